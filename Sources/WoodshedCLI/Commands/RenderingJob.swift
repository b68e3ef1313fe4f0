import Realtime
import Synchronization
import Terminal
import WoodshedPractice

/// A recording rendered into a file by `render`.
struct RenderingJob {
    let file: String
    /// The output's name, as typed by the user.
    let name: String
    let format: FileFormat
    let options: Render

    /// Renders on the main thread, with playback events, for a user who may stop it.
    ///
    /// - Parameter signals: The file descriptor from `Signals.install`.
    func write(to target: OutputFile, signals: Int32) throws -> WrittenFile {
        try write(to: target, note: StandardStream.error.note) { listening in
            let run = try Run<Session>(messages: options.messages, signals: signals, takesKeys: false)
            let session = Session(listening, in: run, tellsFigures: false)
            return (try session.play(), session.finish?.frame ?? 0)
        }
    }

    /// Renders on any thread, without printed events and without questions.
    ///
    /// - Parameter note: Gets a line for the user.
    func writeUnattended(to target: OutputFile, note: (String) -> Void) throws -> WrittenFile {
        try write(to: target, note: note) { listening in
            let engine = listening.engine
            // Events are requested before the start, because earlier events would be lost.
            let events = listening.session.events
            let finish = Finish()
            Task {
                for await event in events { finish.take(event) }
                finish.end()
            }
            listening.session.start()
            do {
                try engine.start()
            } catch {
                engine.stop()
                throw error
            }
            try engine.waitUntilFinished()
            return (.success, finish.frame)
        }
    }

    /// - Parameter run: Plays; returns the exit status and the number of frames.
    private func write(
        to target: OutputFile, note: (String) -> Void, run: (Listening) throws -> (ExitStatus, Int64)
    ) throws -> WrittenFile {
        var written: WrittenFile?
        try target.whole {
            let listening = try listening(to: target, note: note)
            let (status, frameCount) = try run(listening)
            let configuration = listening.engine.configuration
            written = WrittenFile(
                name: name, format: format, sampleRate: configuration.sampleRate,
                channelCount: configuration.channelCount, frameCount: frameCount)
            return status
        }
        guard let written else { throw CommandFailure(.software, "\(name): nothing was written") }
        return written
    }

    private func listening(to target: OutputFile, note: (String) -> Void) throws -> Listening {
        let keeper = SectionKeeper(file: file)
        let saved = { info in SavedSections(areDefault: false) { try keeper.kept(info).list() } }
        return try Listening(
            path: file, output: .file(path: target.temporaryPath),
            request: { rate, channels in
                try StreamRequest(
                    sampleRate: rate, channelCount: channels, periodFrames: options.periods.period ?? 4096,
                    periodCount: options.periods.periods ?? 2, clock: .virtual, fileFormat: format,
                    realtimePriority: nil)
            },
            plan: { clip in
                let timeline = Timeline(clip)
                var session = SessionPlan(try options.plan.plan(for: timeline, saved: saved(clip.info)))
                session.frozen = try options.frozen.place(in: timeline, of: session.practice.sections)
                return session
            },
            strip: { _ in options.strip.strip() },
            note: note,
            opening: { try target.opening($0) })
    }

    /// The player's final frame, for a thread waiting for the end.
    private final class Finish: Sendable {
        private let lock = ConditionLock()
        private let known = Atomic<Int64>(0)
        private let isOver = Atomic(false)

        func take(_ event: SessionEvent) {
            guard case .player(let event) = event, case .finished = event.kind else { return }
            known.store(event.frame, ordering: .relaxed)
        }

        func end() {
            lock.withLock {
                isOver.store(true, ordering: .relaxed)
                lock.wakeAll()
            }
        }

        /// Waits for the end of the events, then returns the frame.
        var frame: Int64 {
            lock.withLock {
                while !isOver.load(ordering: .relaxed) { lock.wait() }
                return known.load(ordering: .relaxed)
            }
        }
    }
}
