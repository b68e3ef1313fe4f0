// Every kind of error, and the exit status that a script sees.
import ArgumentParser
import Explanations
import Files
import Glibc
import Realtime
import Settings
import Terminal
import Testing
import UserState
import Woodshed
import WoodshedLibrary
import WoodshedPractice

@testable import WoodshedCLI

@Suite("Messages and codes")
struct MessageTests {
    @Test("every file error has its exit status")
    func files() {
        for kind in AudioFileError.Kind.allCases {
            let error = AudioFileError(kind, path: "a", "Cause.", remedy: "Remedy.")
            #expect(error.exitStatus == kind.exitStatus, "\(kind)")
            #expect(error.exitStatus != .success && error.exitStatus != .software, "\(kind)")
        }
    }

    @Test("every device error has its exit status, and its message and remedy are printed unchanged")
    func devices() {
        for kind in DeviceError.Kind.allCases {
            let error = DeviceError(kind: kind, message: "Cause.", remedy: "Remedy.")
            #expect(error.exitStatus != .success && error.exitStatus != .software, "\(kind)")
            #expect(error.text == "woodshed: Cause.\nRemedy.", "\(kind)")
            let wrapped = EngineError.device(error)
            #expect(wrapped.exitStatus == error.exitStatus && wrapped.text == error.text)
        }
    }

    @Test(
        "an error for too many open files has its cause, its remedy and the status 75, whichever file it is",
        arguments: [EMFILE, ENFILE])
    func openFiles(code: Int32) throws {
        let errors: [any ExplainedError] = [
            AudioFileError.reading("a", errno: code), AudioFileError.writing("a", errno: code, creating: true),
            AudioFileError.creatingNew("a", errno: code), RecordingLibraryError.reading("a", FileFault(code: code)),
            RecordingLibraryError.writing("a", FileFault(code: code)), StoreError.system("a", code),
            SettingsLayers.failure(.file(.init(code: code, action: "cannot be read")), path: "a"),
        ]
        let limit = try #require(SystemLimit(errno: code))
        let pipe = WakePipeError(code)
        #expect(pipe.message == limit.cause && pipe.remedy == limit.remedy && pipe.exitStatus == .tryAgain)
        for error in errors {
            #expect(error.message.hasPrefix("a: ") && error.message.contains(limit.cause), "\(error)")
            #expect(error.remedy == limit.remedy && error.exitStatus == .tryAgain, "\(error)")
        }
        #expect(limit.remedy.contains(code == EMFILE ? "ulimit -n" : "fs.file-max"))
        #expect(WakePipeError(ENOMEM).message.contains(systemText(ENOMEM)))
        #expect(SystemLimit(errno: EIO) == nil && AudioFileError.reading("a", errno: EIO).exitStatus == .inputOutput)
    }

    @Test("an error for a thread that could not be made has its remedy and the status 75")
    func threads() {
        let huge = RealtimeThread.Configuration(priority: nil, stackBytes: .max)
        let refused = #expect(throws: RealtimeThreadError.self) {
            _ = try RealtimeThread(name: "huge", configuration: huge) {}
        }
        let errors = [DeviceError(.threads, "for the recorder")] + [refused].compactMap(\.self).map { DeviceError($0) }
        for error in errors {
            #expect(
                error.kind == .io && error.exitStatus == .tryAgain && error.remedy.contains("ulimit -u"), "\(error)")
            #expect(EngineError.device(error).exitStatus == .tryAgain)
        }
        #expect(errors.count == 2 && errors[0].message == "the system has no thread left for the recorder")
    }

    @Test("a program that cannot be started lacks a process or memory, but a file that would block does not")
    func startedPrograms() {
        for (code, limit) in [(EAGAIN, .processes), (ENOMEM, .memory), (EMFILE, .files)] as [(Int32, SystemLimit)] {
            #expect(SystemLimit(startErrno: code) == limit)
        }
        #expect(SystemLimit(startErrno: ENOENT) == nil && SystemLimit(errno: EAGAIN) == nil)
        #expect(SystemLimit.allCases.allSatisfy { $0.exitStatus == .tryAgain && !$0.cause.isEmpty })
    }

    @Test("every score error has its exit status")
    func scores() {
        let refused: [() throws -> Void] = [
            { _ = try Section(5..<5) }, { _ = try Speed(factor: 0) }, { _ = try Pitch(semitones: 99) },
        ]
        for refuse in refused {
            #expect {
                try refuse()
            } throws: { error in
                guard let known = error as? ScoreError, let status = (error as? any ExplainedError)?.exitStatus else {
                    return false
                }
                // The command finds the status through the protocol, without the type of the error.
                return status == known.kind.exitStatus && status != .success && status != .software
            }
        }
    }

    @Test("wrong use of the engine is reported as an internal error")
    func engine() {
        #expect(EngineError.rateMismatch(clip: 1, engine: 2).exitStatus == .software)
        #expect(EngineError.tooManyPlayers(limit: 1).exitStatus == .software)
    }

    @Test("the plan has the values that were typed as options")
    func plan() throws {
        let song = Timeline(fileRate: 44100, fileFrames: 441_000, clipRate: 44100, clipFrames: 441_000)
        let options = try PlanOptions.parse([
            "--section", "2.0-3.0", "--section", "90112f-131072f", "-n", "5", "--speed", "70%", "--gap", "0.1",
            "--joint", "hard",
        ])
        let plan = try options.plan(for: song)
        #expect(plan.sections.map(\.range) == [88200..<132_300, 90112..<131_072])
        #expect(plan.passes == 5)
        #expect(plan.speeds == .constant(try Speed(factor: 0.7)))
        #expect(plan.gap == .frames(4410))
        #expect(plan.joint == .hard)
        let whole = try PlanOptions.parse([]).plan(for: song)
        #expect(whole.sections.map(\.range) == [0..<441_000])
        #expect(whole.gap == .none && whole.joint == .crossfade && whole.passes == 1)
        let ramp = try PlanOptions.parse(["--ramp", "60%:100%:5%", "--gap", "1.0x", "--from", "1", "--to", "50%"]).plan(
            for: song)
        #expect(ramp.speeds == .ramp(from: try Speed(factor: 0.6), to: .normal, step: 0.05))
        #expect(ramp.gap == .passLengths(1))
        let glide = try PlanOptions.parse(["--ramp", "60%:100%"]).plan(for: song)
        #expect(glide.speeds == .glide(from: try Speed(factor: 0.6), to: .normal))
        let curve = try PlanOptions.parse(["--curve", "0=60%,1~100%,2~repeat"]).plan(for: song)
        let slow = try Speed(factor: 0.6)
        #expect(
            curve.speeds
                == .curve(
                    [
                        SpeedPoint(at: 0, slow), SpeedPoint(at: 44100, .normal, .glide),
                        SpeedPoint(at: 88200, slow, .glide),
                    ],
                    repeatingEvery: 88200))
        for both in [["--speed", "70%", "--curve", "0=70%"], ["--ramp", "60%:100%", "--curve", "0=70%"]] {
            #expect(throws: (any Error).self) { try PlanOptions.parse(both) }
        }
        #expect(whole.pitch == .original)
        let low = try PlanOptions.parse(["--pitch", "-2.5", "--speed", "80%"]).plan(for: song)
        #expect(try low.pitch == Pitch(semitones: -2.5))
        #expect(low.speeds == .constant(try Speed(factor: 0.8)))
        #expect(ramp.sections.map(\.range) == [44100..<220_500])
    }

    @Test("the error for a section that ends before its start names its start and the recording's length")
    func backwards() throws {
        let song = Timeline(fileRate: 44100, fileFrames: 441_000, clipRate: 44100, clipFrames: 441_000)
        let options = try PlanOptions.parse(["--section", "3-2"])
        #expect {
            try options.plan(for: song)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.exitStatus == .badData && failure?.message.contains("0:02.000") == true
                && failure?.remedy.contains("0:10.000") == true
        }
    }
}
