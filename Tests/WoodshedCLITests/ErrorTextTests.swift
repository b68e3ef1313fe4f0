// What an embedder sees who prints an error or lets it end the program.
import TestSupport
import Testing
import Woodshed

@Suite("Errors in words")
struct ErrorTextTests {
    /// One of each kind that a program can meet, with its cause and its remedy.
    private static let errors: [(name: String, error: any Error, message: String, remedy: String)] = {
        func met<Failure: Error>(
            _ type: Failure.Type, _ message: KeyPath<Failure, String>, _ remedy: KeyPath<Failure, String>,
            _ body: () throws -> Void
        ) -> (String, any Error, String, String) {
            do { try body() } catch let error as Failure {
                return ("\(type)", error, error[keyPath: message], error[keyPath: remedy])
            } catch { return ("\(type)", error, "another error", "") }
            return ("\(type)", CancellationError(), "no error", "")
        }
        let device = DeviceError(kind: .busy, message: "it is busy", remedy: "Wait.")
        return [
            met(ScoreError.self, \.message, \.remedy) { _ = try Section(5..<5) },
            met(AudioFileError.self, \.message, \.remedy) { _ = try Clip(path: "/nonexistent") },
            met(DeviceError.self, \.message, \.remedy) { _ = try OutputDevice(parsing: "") },
            met(EngineError.self, \.message, \.remedy) { throw EngineError.device(device) },
            met(EngineError.self, \.message, \.remedy) { throw EngineError.tooManyPlayers(limit: 3) },
        ]
    }()

    @Test("an error that is printed is its cause and its remedy, not a dump of its fields", arguments: errors.indices)
    func printed(index: Int) {
        let (name, error, message, remedy) = Self.errors[index]
        #expect("\(error)" == "\(message)\n\(remedy)", "\(name)")
        // What Swift says of an error that nobody catches.
        #expect(String(reflecting: error) == "\(message)\n\(remedy)", "\(name)")
        #expect(!message.isEmpty && !remedy.isEmpty && !message.contains("Error("), "\(name)")
    }

    @Test("a build without optimisation is told by the engine, and by the command in one line")
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
