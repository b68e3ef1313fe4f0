// Errors from an embedder's side: caught, printed, or ending the program; and the command's messages for errors.
import DSP
import Drawing
import Realtime
import TestSupport
import Testing
import Woodshed
import WoodshedLibrary

@testable import WoodshedCLI

@Suite("Errors in words")
struct ErrorTextTests {
    /// One error of each public type, raised as in a program. scripts/checks/house_rules.py finds any type unknown to
    /// the command.
    private static let errors: [(name: String, meet: @Sendable () throws -> Void)] = [
        ("Failure<ScoreErrorKind>", { _ = try Section(5..<5) }),
        ("AudioFileError", { _ = try Clip(path: "/nonexistent") }),
        ("DeviceError", { _ = try OutputDevice(parsing: "") }),
        ("EngineError", { throw EngineError.device(DeviceError(kind: .busy, message: "it is busy", remedy: "Wait.")) }),
        (
            "EngineError",
            { throw EngineError.file(AudioFileError(.broken, path: "a", "a: is broken", remedy: "Mend it.")) }
        ),
        ("EngineError", { throw EngineError.rateMismatch(clip: 1, engine: 2) }),
        ("EngineError", { throw EngineError.tooManyPlayers(limit: 3) }),
        (
            "CalibrationError",
            {
                let request = try StreamRequest(sampleRate: 48_000, channelCount: 2)
                _ = try RoundTrip.measure(output: .null, input: .null, request)
            }
        ),
        ("Failure<PeakFileErrorKind>", { _ = try PeakFile(decoding: []) }),
        ("Failure<WaveformFileErrorKind>", { _ = try WaveformFile(decoding: []) }),
        ("WaveformLevelsError", { _ = try Waveform(sampleRate: 0, frameCount: 0, channels: [], tones: []) }),
        ("SpectrogramError", { _ = try Spectrogram.Settings(sampleRate: 48_000, windowSize: 3) }),
        ("Failure<PictureErrorKind>", { _ = try PictureSheet(width: 0, height: 0, sampleRate: 48_000, frames: 0..<1) }),
        (
            "RealtimeThreadError",
            { _ = try RealtimeThread(name: "huge", configuration: .init(priority: nil, stackBytes: .max)) {} }
        ),
    ]

    @Test(
        "an error is caught by its protocol, prints as its cause and its remedy, and has an exit status",
        arguments: errors.indices)
    func explained(index: Int) throws {
        let (name, meet) = Self.errors[index]
        do {
            try meet()
            Issue.record("\(name): nothing was thrown")
        } catch let error as any ExplainedError {
            #expect("\(type(of: error))" == name)
            #expect("\(error)" == "\(error.message)\n\(error.remedy)")
            // Swift's own text for an uncaught error.
            #expect(String(reflecting: error) == "\(error.message)\n\(error.remedy)")
            #expect(!error.message.isEmpty && !error.remedy.isEmpty && !error.message.contains("Error("))
            #expect(error.exitStatus != .success)
        }
    }

    @Test("the engine reports a build without optimisation, and the command prints it in one line")
    func unoptimised() throws {
        let engine = try Engine(
            output: .null, request: try StreamRequest(sampleRate: 48_000, channelCount: 2, clock: .virtual))
        #expect(engine.warnings == (Workload.isOptimised ? [] : [.unoptimisedBuild]))
        let folder = TestFolder()
        folder.write("song.wav", Wave.ramp(frames: 1000))
        let arguments = ["play", folder["song.wav"], "--output", "null", "--clock", "virtual"]
        let run = Command.run(arguments)
        let told = run.errorLines.filter { $0.contains("without optimisation") }.count
        #expect(told == (Workload.isOptimised ? 0 : 1), "\(run.error)")
        #expect(run.output.isEmpty && Command.run(arguments + ["-q"]).error.isEmpty)
        #expect(EngineWarning.allCases.allSatisfy { "\($0)" == "\($0.message)\n\($0.remedy)" })
    }
}
