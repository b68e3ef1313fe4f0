// After any end of a recording, the recorded sound is on the disk, whole, and listed at the next start.
import Database
import Glibc
import TestSupport
import Testing
import VirtualCardSupport
import WoodshedPractice

@testable import WoodshedCLI

@Suite(
    "Takes whose recording is cut off", .serialized,
    .disabled(if: Sanitizers.watchThreads, "it goes by the real clock; TakeWriterTests has the threads watched"))
struct TakeSafetyTests {
    /// The fault during the recording.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case store = "the store fails"
        case disk = "the disk is full"
        case card = "the card is lost"
        case kill = "the program is killed"
        case storeAndKill = "the store fails and the program is killed"

        var testDescription: String { rawValue }
    }

    private let folder = TestFolder()
    private let home: [String: String]
    private static let rate = 48_000

    init() {
        folder.write("song.wav", Wave.ramp(frames: 3 * Self.rate, channels: 1, rate: Self.rate))
        _ = unsafe mkdir(folder["takes"], 0o700)
        home = [
            "ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf", "XDG_DATA_HOME": folder["data"],
            "XDG_STATE_HOME": folder["state"], "XDG_CACHE_HOME": folder["cache"], "TERM": "dumb",
        ]
    }

    private func run(_ arguments: [String], act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(arguments, environment: home, folder: folder.path, act: act)
    }

    /// Runs a command that records until a fault; the fault is over when the call returns.
    private func suffer(_ fault: Fault, _ arguments: [String], unplug: @escaping () -> Void) throws -> Finished {
        switch fault {
        case .store:
            folder.write("data", [1, 2, 3])
            defer { _ = unsafe unlink(folder["data"]) }
            return run(arguments + ["--clock", "virtual"])
        case .disk:
            // A limit on file sizes acts as a full disk that every user can have: of 256 kB, which is enough for the
            // store.
            return Command.run(
                ["-c", #"cd "$1" && shift && ulimit -f 256 && exec "$0" "$@""#, Command.path, folder.path]
                    + arguments + ["--clock", "virtual"], environment: home, program: "/bin/bash")
        case .card: return recorded(arguments) { _ in unplug() }
        case .kill:
            // Outside a session, only a take that is already listed is finished without a request.
            return killed(arguments) {
                try PracticeStore(.file(folder["data/woodshed/practice.db"])).takes().isEmpty == false
            }
        case .storeAndKill:
            folder.write("data", [1, 2, 3])
            defer { _ = unsafe unlink(folder["data"]) }
            return killed(arguments)
        }
    }

    /// - Parameter isReady: Whether the files needed before the kill exist.
    private func killed(_ arguments: [String], isReady: @escaping () throws -> Bool = { true }) -> Finished {
        let run = recorded(arguments) { running in
            #expect(eventually { (try? isReady()) == true })
            running.send(SIGKILL)
        }
        #expect(run.status == -SIGKILL)
        return run
    }

    /// Runs a command, and acts once part of a take is on the disk.
    private func recorded(_ arguments: [String], then act: @escaping (RunningCommand) -> Void) -> Finished {
        run(arguments) { running in
            let path = { folder.names(in: "takes").first.map { folder["takes/\($0)"] } ?? "" }
            #expect(
                eventually {
                    var status = stat()
                    return unsafe stat(path(), &status) == 0 && status.st_size > 40_000
                })
            act(running)
        }
    }

    /// Checks the list at the next start: the list has every recorded file, and each can be read to the end.
    private func check(afterwards: [String] = ["takes", "--json"]) throws {
        let next = run(afterwards)
        #expect(next.status == 0, "\(next.error)")
        let listed = try PracticeStore(.file(folder["data/woodshed/practice.db"])).takes()
        let files = folder.names(in: "takes").map { folder["takes/\($0)"] }
        #expect(!files.isEmpty && Set(listed.map(\.path)) == Set(files), "\(listed) \(next.error)")
        for take in listed {
            let info = try AudioFileInfo(path: take.path)
            let data = try #require(Wave.data(of: TestFolder.read(take.path)))
            #expect(info.frameCount > 1000 && data.count == Int(info.frameCount) * info.channelCount * 3)
            #expect(take.frameCount == info.frameCount)
        }
    }

    @Test("a take cut off by any fault is on the disk, whole, and listed at the next start", arguments: Fault.allCases)
    func recording(fault: Fault) throws {
        let rig = try VirtualCardRig()
        let input = fault == .card ? rig.name : fault == .store || fault == .disk ? "file:song.wav" : "null"
        let arguments = ["record", "takes/a.wav", "--input", input, "--priority", "0"]
        let done = try suffer(fault, arguments) { rig.inject(.unplug, .capture) }
        if fault == .store { #expect(done.status == 0 && done.error.contains("not in the list of takes")) }
        if fault == .disk { #expect([65, 74].contains(done.status), "\(done.status) \(done.error)") }
        if fault == .card { #expect(done.status == 69, "\(done.error)") }
        if fault == .storeAndKill {
            // A take without a place in a session is finished at the user's request.
            #expect(run(["record", "--recover"]).status == 0)
        }
        try check()
    }

    /// Waits until a store has a take, and then holds the store as another program would.
    private func held(_ store: String) -> Database? {
        #expect(eventually { (try? PracticeStore(.file(store)).takes().isEmpty) == false })
        let other = try? Database(path: store, creating: false)
        // The command may be writing just now, for longer than a single attempt waits.
        #expect((0..<24).contains { _ in (try? other?.run("BEGIN IMMEDIATE")) != nil })
        return other
    }

    @Test("a take that is being converted stays until the list names the new file")
    func conversion() throws {
        let store = folder["data/woodshed/practice.db"]
        var isKilled = false
        // If this test is held up for seconds before the kill, the command gives up on the list.
        for _ in 0..<10 where !isKilled {
            for name in ["takes", "data"] { TestFolder.remove(folder[name]) }
            _ = unsafe mkdir(folder["takes"], 0o700)
            var other: Database?
            let done = recorded(["record", "takes/a.flac", "--input", "null", "--priority", "0", "--json"]) { running in
                // The end of the take has to wait for its place in the list.
                other = held(store)
                running.send(SIGINT)
                #expect(running.wait(for: "recording.stopped"))
                running.send(SIGKILL)
            }
            withExtendedLifetime(other) {}
            other = nil
            #expect(folder.names(in: "takes").contains("a.flac"), "\(done.error)")
            isKilled = done.status == -SIGKILL
        }
        try #require(isKilled)
        let take = try #require(try PracticeStore(.file(store)).takes().first)
        #expect(take.path == folder["takes/a.wav"] && folder.names(in: "takes").contains("a.wav"))
    }

    @Test(
        "signals after the end of a take end record after its report, and a second Ctrl-C ends record at once",
        arguments: zip([SIGTERM, SIGHUP, SIGINT], [143, 129, 130] as [Int32]))
    func lateSignals(number: Int32, status: Int32) {
        var (run, isReported) = (Finished(status: -1, output: [], error: ""), false)
        // The command gives up on the list after some seconds, in which a busy machine may not send the signals.
        for _ in 0..<10 where run.status != status || isReported != (number != SIGINT) {
            run = signalledLate(number)
            isReported = run.lines.last?.contains(#""event":"recording.stopped""#) == true
        }
        #expect(run.status == status && isReported == (number != SIGINT), "\(run.status) \(run.lines) \(run.error)")
    }

    /// Discards a take while another program holds the store, and sends a signal again and again.
    private func signalledLate(_ number: Int32) -> Finished {
        let studio = Studio()
        let store = studio.folder["data/woodshed/practice.db"]
        let arguments = ["record", "take.wav", "--input", "null", "--priority", "0", "--json", "--control", "socket"]
        return studio.run(arguments) { running in
            guard let program = studio.connect() else { return }
            // The command waits for the list after the loop and before the report.
            let other = held(store)
            program.send("discard\nyes\n")
            #expect(eventually { !studio.folder.names.contains("take.wav") })
            // The first signals may still arrive within the loop, and the system may deliver two as one.
            for _ in 0..<20 {
                running.send(number)
                usleep(5000)
            }
            if number == SIGINT { #expect(running.interruptUntilEnded()) }
            withExtendedLifetime(other) {}
        }
    }

    @Test("one Ctrl-C ends a take, and another only its conversion: the take is kept, listed and reported")
    func endedConversion() {
        let studio = Studio()
        let script = "#!/bin/sh\n: >'\(studio.folder["started"])'\nexec sleep 600\n"
        _ = unsafe chmod(studio.folder.write("ffmpeg", Array(script.utf8)), 0o755)
        let path = ["PATH": studio.folder.path + ":/usr/local/bin:/usr/bin:/bin"]
        let arguments = ["record", "take.m4a", "--input", "null", "--priority", "0", "--json"]
        let run = studio.run(arguments, with: path) { running in
            #expect(eventually { studio.folder.read("take.wav").count > 40_000 })
            running.send(SIGINT)
            #expect(eventually { studio.folder.names.contains("started") })
            running.send(SIGINT)
        }
        #expect(run.status == 130 && run.error.contains("take 1; next: "), "\(run.status) \(run.error)")
        #expect(run.lines.last?.contains(#""event":"recording.stopped""#) == true, "\(run.lines)")
        #expect(run.lines.last?.contains(#""outcome":"kept""#) == true, "\(run.lines)")
        #expect(studio.folder.names.contains("take.wav") && !studio.folder.names.contains("take.m4a"))
    }

    @Test(
        "a take over a loop cut off by any fault is whole, and listed in its place by the next command",
        arguments: Fault.allCases,
        [["takes", "--json"], ["practice", "song.wav", "--output", "null", "--clock", "virtual", "--to", "0.1"]])
    func loop(fault: Fault, next: [String]) throws {
        let rig = try VirtualCardRig()
        let card = fault == .card ? ["--output", rig.name] : ["--output", "null"]
        let isEnded = fault != .store && fault != .disk
        if isEnded {
            // Long enough to be still playing when the test ends the run.
            let data = [UInt8](repeating: 0, count: 2 * 180 * Self.rate)
            folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: Self.rate, bits: 16, data: data))
        }
        let section = isEnded ? "0.5-179" : "0.5-2.9"
        let arguments =
            ["practice", "song.wav", "--section", section, "-n", "1", "--record", "passes", "--take-folder", "takes"]
            + card + ["--priority", "0"]
        let done = try suffer(fault, arguments) { rig.inject(.unplug, .playback) }
        if fault == .disk { #expect([65, 74].contains(done.status), "\(done.status) \(done.error)") }
        if fault == .card { #expect(done.status == 69, "\(done.error)") }
        // The time played is reported first, after every kind of end.
        if [.disk, .card].contains(fault) {
            let words = fault == .disk ? "finished after 0:0" : "stopped after 0:0"
            #expect(done.errorLines.contains { $0.hasPrefix(words) }, "\(done.error)")
        }
        try check(afterwards: next)
        let listed = try PracticeStore(.file(folder["data/woodshed/practice.db"])).takes()
        #expect(listed.count == 1 && listed[0].model?.frames.lowerBound == 24_000 && listed[0].model?.pass == 1)
        #expect(!folder.names(in: "state/woodshed/takes").contains { $0.hasSuffix(".take") })
    }
}
