// Computes a waveform while showing the progress. Ctrl-C ends the process, as in every command before playing starts.
import Files
import Glibc
import Synchronization
import Terminal
import Woodshed

/// Computes a recording's waveform. After a moment, a line on the terminal shows the progress.
enum WaveformWork {
    /// - Parameter maker: The opened recording.
    static func waveform(_ maker: WaveformMaker, draws: Bool) throws -> Waveform {
        let outcome = Outcome()
        // Without a pipe to wait on, the progress is not shown, which is harmless.
        let pipe = draws ? try? WakePipe() : nil
        guard let pipe else { return try result(of: outcome, made: { outcome.set(of: maker) }) }
        BlockingThread.start {
            outcome.set(of: maker)
            pipe.wake()
        }
        defer { pipe.closeBoth() }
        var line = ReadingLine(draws: true)
        var waiting = pollfd(fd: pipe.readEnd, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&waiting, 1, Int32(ReadingLine.milliseconds)) <= 0 {
            line.show(Double(maker.framesDone) / Double(max(1, maker.info.frameCount)))
        }
        line.clear()
        return try result(of: outcome, made: {})
    }

    private static func result(of outcome: Outcome, made: () -> Void) throws -> Waveform {
        made()
        switch outcome.value {
        case .success(let waveform): return waveform
        case .failure(let error): throw error
        case nil: throw CommandFailure(.software, "the waveform was not made", remedy: "Try again.")
        }
    }

    /// Passes the result from the other thread.
    private final class Outcome: Sendable {
        private let stored = Mutex<Result<Waveform, AudioFileError>?>(nil)

        var value: Result<Waveform, AudioFileError>? { stored.withLock { $0 } }

        func set(of maker: WaveformMaker) {
            let result: Result<Waveform, AudioFileError>
            do throws(AudioFileError) {
                result = .success(try maker.make())
            } catch {
                result = .failure(error)
            }
            stored.withLock { $0 = result }
        }
    }
}
