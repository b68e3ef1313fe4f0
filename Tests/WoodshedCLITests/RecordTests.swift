// The recorder as a user runs the command.
import Glibc
import TestSupport
import Testing
import VirtualCardSupport
import Woodshed
import WoodshedLibrary

@testable import WoodshedCLI

extension Clip {
    /// All samples of one channel.
    fileprivate func samples(channel: Int) -> [Float] {
        let reader = makeReader(waitsForPages: true)
        defer { release(reader) }
        var result = [Float](repeating: 0, count: Int(frameCount))
        unsafe result.withUnsafeMutableBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            var done = 0
            while done < samples.count {
                let count = min(4096, samples.count - done)
                reader.publishDemand(current: Int64(done), next: -1)
                reader.beginBlock()
                _ = unsafe reader.read(channel: channel, from: Int64(done), count: count, into: base + done)
                reader.endBlock()
                done += count
            }
        }
        return result
    }
}

@Suite(
    "Recording", .serialized,
    .disabled(if: Sanitizers.watchThreads, "it goes by the real clock; RecorderTests has the threads watched"))
struct RecordTests {
    private let folder = TestFolder()
    private let song: String
    /// State is kept in this folder only.
    private var environment: [String: String] {
        [
            "ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf", "XDG_STATE_HOME": folder.path,
        ]
    }

    init() {
        song = folder.write("song.wav", Wave.ramp(frames: 44_100, channels: 2))
    }

    private func record(
        _ arguments: [String], environment more: [String: String] = [:], act: ((RunningCommand) -> Void)? = nil
    ) -> Finished {
        Command.run(
            ["record"] + arguments, environment: environment.merging(more) { $1 }, folder: folder.path, act: act)
    }

    /// The samples of a take, channel by channel.
    private func samples(_ name: String) throws -> [[Float]] {
        let clip = try Clip(path: folder[name])
        return (0..<clip.channelCount).map { clip.samples(channel: $0) }
    }

    private func songSamples(_ channel: Int, _ range: Range<Int>) -> [Float] {
        range.map { Float(Wave.sample($0, channel)) / 32_768 }
    }

    @Test(
        "a recording of a file equals the file, bit for bit, in every format and container",
        arguments: ["wav", "caf"])
    func exact(container: String) throws {
        for bits in ["16", "24", "32", "float"] {
            let name = "take\(bits).\(container)"
            let run = record([name, "--input", "file:\(song)", "--clock", "virtual", "--bits", bits])
            #expect(run.status == 0 && run.error.contains("kept \(name): 0:01.0"))
            let taken = try samples(name)
            #expect(taken == (0..<2).map { songSamples($0, 0..<44_100) })
        }
    }

    @Test("events in JSON have the effective values first, levels ten times a second, and the length at the end")
    func json() throws {
        let run = record([
            "take.wav", "--input", "file:\(song)", "--clock", "virtual", "--json", "--quality", "medium",
        ])
        #expect(run.status == 0)
        let first = try #require(run.lines.first)
        #expect(first.contains(#""event":"recording.started""#) && first.contains(#""path":"take.wav""#))
        #expect(
            first.contains(#""sample_rate":44100"#) && first.contains(#""bits":16"#) && first.contains(#""channels":2"#)
        )
        let levels = run.lines.filter { $0.contains(#""event":"level""#) }
        #expect(levels.count == 10 && levels.allSatisfy { $0.contains(#""peak":-"#) && $0.contains(#""rms":-"#) })
        let last = try #require(run.lines.last)
        #expect(last.contains(#""event":"recording.stopped""#) && last.contains(#""frames":44100"#))
        #expect(last.contains(#""seconds":1"#) && last.contains(#""outcome":"kept""#))
        #expect(run.lines.allSatisfy { $0.hasPrefix(#"{"v":1,"#) })
    }

    @Test("--duration ends the take at its exact frame, and --channels 1 records the channels' mean")
    func duration() throws {
        let arguments = ["--input", "file:\(song)", "--clock", "virtual", "--bits", "float"]
        #expect(record(["a.wav", "--duration", "0.5"] + arguments).status == 0)
        #expect(try samples("a.wav") == (0..<2).map { songSamples($0, 0..<22_050) })
        #expect(record(["b.wav", "--duration", "100f", "--channels", "1"] + arguments).status == 0)
        let mean = zip(songSamples(0, 0..<100), songSamples(1, 0..<100)).map { ($0 + $1) / 2 }
        #expect(try samples("b.wav") == [mean])
    }

    @Test("--input-channel records the chosen channels at full level, and reports their levels alone")
    func inputChannel() throws {
        let run = record([
            "b.wav", "--input", "file:\(song)", "--clock", "virtual", "--input-channel", "2", "--bits", "float",
            "--json",
        ])
        #expect(run.status == 0, "\(run.error)")
        #expect(try samples("b.wav") == [songSamples(1, 0..<44_100)])
        #expect(run.lines[0].contains(#""channels":1,"#) && run.lines[0].contains(#""input_channels":[2]"#))
        let levels = run.lines.filter { $0.contains(#""event":"level""#) }
        #expect(!levels.isEmpty && levels.allSatisfy { $0.split(separator: #""peak":"#).count == 2 })
        let order = record([
            "c.wav", "--input", "file:\(song)", "--clock", "virtual", "--input-channel", "2,1", "--bits", "float",
        ])
        #expect(order.status == 0, "\(order.error)")
        #expect(try samples("c.wav") == [songSamples(1, 0..<44_100), songSamples(0, 0..<44_100)])
        let none = record(["d.wav", "--input", "file:\(song)", "--clock", "virtual", "--input-channel", "3"])
        #expect(none.status == 69 && none.error.contains("no channel 3"), "\(none.error)")
        #expect(record(["d.wav", "--input-channel", "1", "--channels", "2"]).status == 64)
        #expect(!folder.names.contains("d.wav"))
    }

    @Test("record to standard output writes a WAV stream", arguments: [["-"], ["-o", "-"]])
    func pipe(out: [String]) throws {
        let run = record(out + ["--input", "file:\(song)", "--clock", "virtual", "--bits", "16"])
        #expect(run.status == 0 && run.output.prefix(4) == Array("RIFF".utf8)[...])
        let data = try #require(Wave.data(of: run.output))
        #expect(data == Wave.data(of: folder.read("song.wav")))
    }

    @Test("a signal right after the creation of the take's file ends and reports the take")
    func earlySignal() {
        for round in 0..<cases(8, few: 3) {
            let name = "early\(round).wav"
            let run = record([name, "--input", "null", "--json"]) { running in
                #expect(eventually { folder.names.contains(name) })
                running.send(SIGTERM)
            }
            let isReported = run.lines.last?.contains(#""event":"recording.stopped""#) == true
            #expect(run.status == 143 && isReported, "\(run.error)")
        }
    }

    @Test(
        "a signal ends the take and keeps it, with the signal's exit status",
        arguments: zip([SIGINT, SIGTERM, SIGHUP], [130, 143, 129] as [Int32]))
    func signals(number: Int32, code: Int32) throws {
        let run = record(["take.wav", "--input", "null", "--json"]) { running in
            Self.waitForFrames(20_000, in: folder["take.wav"])
            running.send(number)
        }
        #expect(run.status == code)
        let frames = try Clip(path: folder["take.wav"]).frameCount
        #expect(
            frames > 10_000 && run.lines.last?.contains(#""frames":\#(frames),"#) == true,
            "\(frames) \(run.lines.suffix(2)) \(run.error)")
    }

    /// Waits until a file is as long as so many frames of 24 bits in stereo.
    ///
    /// - Parameter meanwhile: Called before each look at the file; reads the output of a terminal, so that the program
    ///   does not wait for a reader.
    private static func waitForFrames(_ count: Int, in path: String, meanwhile: () -> Void = {}) {
        #expect(
            eventually {
                meanwhile()
                var status = stat()
                return unsafe stat(path, &status) == 0 && status.st_size >= count * 6
            })
    }

    @Test("SIGUSR1 pauses and resumes a recording, and sound during the pause is not in the take")
    func pauses() throws {
        let run = record(["take.wav", "--input", "null", "--json"]) { running in
            Self.waitForFrames(10_000, in: folder["take.wav"])
            for (event, count) in [("paused", 1), ("resumed", 1), ("paused", 2)] {
                running.send(SIGUSR1)
                #expect(running.wait(for: #""event":"\#(event)""#, count: count))
            }
            running.send(SIGINT)
        }
        #expect(run.status == 130)
        func frames(_ event: String) -> [Int] {
            run.lines.filter { $0.contains(#""event":"\#(event)""#) }.compactMap { line in
                let rest = line.split(separator: #""frame":"#).dropFirst().first ?? ""
                return Int(rest.prefix { $0.isNumber })
            }
        }
        #expect(frames("paused").count == 2 && frames("resumed").count == 1)
        #expect(frames("paused").first == frames("resumed").first)
        #expect(frames("paused").last == frames("recording.stopped").first)
    }

    @Test("no file is ever overwritten, and wrong requests have their exit statuses")
    func refusals() {
        folder.write("old.wav", [1, 2, 3])
        let existing = record(["old.wav", "--input", "null"])
        #expect(existing.status == 73 && folder.read("old.wav") == [1, 2, 3])
        for (arguments, code) in [
            (["--input", "file:no-such.wav"], 66), (["take.wav", "--input", "no-such-card"], 69),
            (["no-such-folder/take.wav", "--input", "null"], 73), (["take.xyz", "--input", "null"], 64),
            (["take.wav", "--format", "caf", "--input", "null"], 64), (["-", "--json", "--input", "null"], 64),
            (["take.wav", "--duration", "50%"], 64), (["take.wav", "--bits", "12"], 64),
            (["take.wav", "--rate", "1"], 64), (["take.wav", "--channels", "65"], 64),
            (["take.wav", "--arm", "--clock", "virtual", "--input", "null"], 64),
        ] as [([String], Int32)] {
            let run = record(arguments)
            #expect(run.status == code, "\(arguments): \(run.error)")
            #expect(run.output.isEmpty && run.errorLines.count >= 2)
        }
        #expect(folder.names.filter { $0.contains("take") }.isEmpty)
    }

    @Test("a full disk ends the take with the cause, and keeps what was written")
    func full() throws {
        // A limit on file sizes acts as a full disk that every user can have: 512 kB, or 1.8 s.
        let limited = "ulimit -f 512; exec \"$0\" \"$@\""
        let run = withExtendedLifetime(folder) {
            Command.run(
                ["-c", limited, Command.path, "record", folder["take.wav"], "--input", "null", "--json"],
                environment: environment, program: "/bin/sh")
        }
        #expect(run.status == 65 || run.status == 74)
        // Cause and remedy, each on a separate line.
        #expect(!run.error.contains("\\u{"), "\(run.error)")
        #expect(run.text.contains(#""event":"recording.failed""#))
        let frames = try Clip(path: folder["take.wav"]).frameCount
        #expect(frames > 40_000 && run.lines.last?.contains(#""frames":\#(frames),"#) == true)
    }

    @Test("a card that is unplugged ends the take, which is kept")
    func unplugged() throws {
        let rig = try VirtualCardRig()
        let run = record(["take.wav", "--input", rig.name, "--priority", "0", "--json"]) { _ in
            Self.waitForFrames(100_000, in: folder["take.wav"])
            rig.inject(.unplug, .capture)
        }
        #expect(run.status == 69 && run.error.contains("kept take.wav") && run.error.contains("unplugged"))
        #expect(run.lines.contains { $0.contains(#""event":"input.lost""#) })
        let frames = try Clip(path: folder["take.wav"]).frameCount
        #expect(frames > 12_000 && run.lines.last?.contains(#""frames":\#(frames),"#) == true)
    }

    @Test("a card that is suspended and goes on is reported as suspended, and the take goes on")
    func suspended() throws {
        let rig = try VirtualCardRig()
        let run = record(["take.wav", "--input", rig.name, "--priority", "0", "--json"]) { running in
            Self.waitForFrames(100_000, in: folder["take.wav"])
            rig.inject(.suspendPrepare, .capture)
            #expect(running.wait(for: #""event":"device.suspended""#))
            rig.inject(.unplug, .capture)
        }
        #expect(run.status == 69 && run.error.contains("was suspended and goes on"), "\(run.error)")
        let told = run.lines.filter { $0.contains(#""event":"device.suspended""#) }
        #expect(
            told.count == 1 && told.allSatisfy { $0.contains(#""input_frame":"#) && $0.contains(#""lost_frames":"#) })
        #expect(!run.text.contains("asleep_seconds"))
        #expect(try Clip(path: folder["take.wav"]).frameCount > 24_000)
    }

    @Test("a take that is killed is whole, up to a fifth of a second before the kill")
    func killed() throws {
        var generator = SeededGenerator(printedFor: "RecordTests.killed")
        let kills = environmentCount("WOODSHED_KILLS", short: cases(4, few: 2))
        var (number, inTime) = (0, 0)
        // More kills only if the writer was late each time, as on a busy machine.
        while number < kills || inTime == 0 && number < 50 {
            defer { number += 1 }
            let name = "take\(number).wav"
            var killed = -1
            let run = record([name, "--input", "null", "--json"]) { running in
                Self.waitForFrames(1, in: folder[name])
                usleep(UInt32.random(in: 0...700_000, using: &generator))
                killed = number
                running.send(SIGKILL)
            }
            #expect(run.status == -SIGKILL && killed == number)
            var frames: Int64 = 0
            do throws(AudioFileError) { frames = try Clip(path: folder[name]).frameCount } catch {
                // Killed before the first frames were due on the disk.
                #expect(error.kind == .empty)
            }
            // Each level came after its frames; the next level would have come a tenth of a second later.
            let heard = run.lines.filter { $0.contains(#""event":"level""#) }.count * 4800
            print("killed with \(heard) frames told: \(frames) are in the file")
            // A fifth of a second on an idle machine; beside other tests the writer may have had to wait, but not each
            // time.
            if kills > 4 { #expect(frames >= heard - 9600) }
            inTime += frames >= heard - 48_000 ? 1 : 0
        }
        #expect(inTime > 0)
    }

    @Test("record on a terminal shows the panel and marks, and asks before a take is discarded", .needsTerminal)
    func terminal() throws {
        let run = TerminalRun(
            Command.path, ["record", folder["take.wav"], "--input", "null"], environment: environment, columns: 80)
        #expect(run.wait(for: "● REC 0:"))
        // A take without a frame cannot be thrown away.
        Self.waitForFrames(1, in: folder["take.wav"]) { run.read(seconds: 0.01) }
        run.send(" ")
        #expect(run.wait(for: "PAUSED"))
        run.send(" m")
        #expect(run.wait(for: "mark 1 at 0:"))
        run.send("d")
        #expect(run.wait(for: "Throw this take away?"))
        run.send("y")
        #expect(run.finish() == 0)
        #expect(run.text.contains("thrown away") && !folder.names.contains("take.wav"))
    }

    @Test(
        "record without a panel prints the question, and only y discards the take", .needsTerminal,
        arguments: ["--plain", "--quiet"])
    func question(flag: String) throws {
        let run = TerminalRun(
            Command.path, ["record", folder["take.wav"], "--input", "null", flag], environment: environment,
            columns: 80)
        for _ in 0..<6000 where !folder.names.contains("take.wav") { run.read(seconds: 0.02) }
        Self.waitForFrames(10_000, in: folder["take.wav"])
        run.send("d")
        #expect(run.wait(for: "Throw this take away?"))
        var before = run.seen.count
        // "No", by a key that otherwise stops the recording.
        run.send("s")
        #expect(run.wait(for: "The take goes on", from: before))
        before = run.seen.count
        run.send("d")
        #expect(run.wait(for: "Throw this take away?", from: before))
        run.send("y")
        #expect(run.finish() == 0)
        #expect(!folder.names.contains("take.wav"))
    }

    @Test(
        "a take that is stopped within a tenth of a second is not kept, unless that length was requested",
        .needsTerminal)
    func short() throws {
        // Stopped as soon as the recording is armed and begun: by far most of the take is the half second before, so
        // without --arm.
        let run = TerminalRun(
            Command.path, ["record", folder["take.wav"], "--input", "null", "--period", "64"],
            environment: environment, columns: 80)
        run.send("s")
        #expect(run.finish() == 0)
        let frames = (try? Clip(path: folder["take.wav"]).frameCount) ?? 0
        #expect(frames == 0 || frames >= 4800, "\(frames)")
        // Stopped before the first block came, the take is empty.
        let isTold = run.text.contains("too short to keep") || run.text.contains("nothing was recorded")
        #expect(isTold || frames >= 4800, "\(run.text)")
        let arguments = ["--input", "file:\(song)", "--clock", "virtual"]
        #expect(record(["a.wav", "--duration", "100f"] + arguments).status == 0 && folder.names.contains("a.wav"))
    }

    @Test("record --arm waits for the start of the take, and then includes the half second before", .needsTerminal)
    func armed() throws {
        // An input with sound, so that the panel shows a bar for each tenth of a second that has arrived.
        let long = folder.write("long.wav", Wave.ramp(frames: 2_400_000, channels: 1, rate: 8000))
        let run = TerminalRun(
            Command.path, ["record", folder["take.wav"], "--input", "file:" + long, "--arm"], environment: environment,
            columns: 80)
        #expect(run.wait(for: "READY 0:00.0") && run.wait(for: "██████"), "\(run.text)")
        run.send(" ")
        #expect(run.wait(for: "REC 0:0"))
        run.send("s")
        #expect(run.finish() == 0)
        #expect(try Clip(path: folder["take.wav"]).frameCount >= 4000)
    }
}
