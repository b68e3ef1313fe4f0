// Puts a take into the list of takes while it is recorded, so that it is listed whatever happens to this program.
import Glibc
import Synchronization
import Terminal
import Woodshed

/// The place of one take in the list. A store that cannot be changed never disturbs the recording: it is told about at the end.
final class TakeListing: Sendable {
    private struct State {
        var number: Int?
        var failure: (any ExplainedError)?
    }

    private let state = Mutex(State())
    private let path: String
    private let sound: StoredTake.Sound

    init(path: String, _ sound: StoredTake.Sound) { (self.path, self.sound) = (path, sound) }

    /// Adds the take. On a thread of its own, because another program may hold the store for seconds.
    func begin() { BlockingThread.start { self.add() } }

    private func add() {
        state.withLock { state in
            guard state.number == nil else { return }
            do throws(StoreError) {
                state.number = try PracticeStore(.user).addTake(inFileAt: path, sound).number
                state.failure = nil
            } catch { state.failure = error }
        }
    }

    /// Tells the length of the take and where its file is now.
    ///
    /// - Returns: The number of the take.
    /// - Throws: Why it is not in the list. It is remembered, and listed at the next start.
    func finish(frameCount: Int64, path: String) throws -> Int {
        // Once more, if it could not be added at the beginning.
        add()
        let (number, failure) = state.withLock { ($0.number, $0.failure) }
        do {
            if let failure { throw failure }
            guard let number else { throw TakeError(.unknown, "the take is not in the list", remedy: "") }
            return try PracticeStore(.user).finish(take: number, frameCount: frameCount, path: path).number
        } catch {
            var sound = sound
            sound.frameCount = frameCount
            UnlistedTake(inFileAt: path, sound)?.remember()
            throw error
        }
    }

    /// Takes it off the list: it was not kept.
    func drop() {
        // Waits until it was added.
        guard let number = state.withLock({ $0.number }) else { return }
        try? PracticeStore(.user).forget(take: number)
    }
}
