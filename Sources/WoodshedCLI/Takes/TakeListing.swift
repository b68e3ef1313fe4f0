// Adds a take to the list of takes while it is recorded, so the take stays listed after a crash of this program.
import Glibc
import Synchronization
import Terminal
import WoodshedPractice

/// The list entry of a take. An unwritable store never disturbs the recording; the failure is reported at the end.
final class TakeListing: Sendable {
    private struct State {
        var number: Int?
        var failure: (any ExplainedError)?
        /// True once the take is gone. The thread of `begin()` may start later, and must not list the take then.
        var isDropped = false
    }

    private let state = Mutex(State())
    private let path: String
    private let sound: StoredTake.Sound

    init(path: String, _ sound: StoredTake.Sound) { (self.path, self.sound) = (path, sound) }

    /// Adds the take on a separate thread, because another program may lock the store for seconds.
    func begin() { BlockingThread.start { self.add() } }

    /// Adds the take, unless the take is listed or dropped already.
    func add() {
        state.withLock { state in
            guard state.number == nil, !state.isDropped else { return }
            do throws(StoreError) {
                state.number = try PracticeStore(.user).addTake(inFileAt: path, sound).number
                state.failure = nil
            } catch { state.failure = error }
        }
    }

    /// Stores the length of the take and the final place of its file.
    ///
    /// - Returns: The number of the take.
    /// - Throws: The reason why the take is not in the list. The take is remembered, and listed at the next start.
    func finish(frameCount: Int64, path: String) throws -> Int {
        // Retries if the first attempt failed.
        add()
        let (number, failure) = state.withLock { ($0.number, $0.failure) }
        do {
            if let failure { throw failure }
            guard let number else {
                throw TakeError(
                    .unknown, "the take is not in the list",
                    remedy: "Add the take to the list with: woodshed library check --fix")
            }
            return try PracticeStore(.user).finish(take: number, frameCount: frameCount, path: path).number
        } catch {
            var sound = sound
            sound.frameCount = frameCount
            UnlistedTake(inFileAt: path, sound)?.remember()
            throw error
        }
    }

    /// Removes a take that was not kept from the list.
    func drop() {
        // The lock waits for a running `add`.
        let number = state.withLock { state in
            state.isDropped = true
            return state.number
        }
        guard let number else { return }
        try? PracticeStore(.user).forget(take: number)
    }
}
