// Finds out whether any code closes a descriptor twice: the second time the number may be another file's.
import Foundation
import Synchronization

/// Opens and closes files on a separate thread. The thread gets the number of each descriptor closed elsewhere, and
/// notices when other code closes a descriptor of the thread. For a separate process, where no other code closes
/// descriptors.
package final class DescriptorThief: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let isRobbed = Atomic<Bool>(false)
    private let opened = Atomic<Int>(0)
    private let began = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Returns once the thread has opened and closed its first file: a busy machine may start the thread late. At least
    /// one descriptor must be free.
    package init() {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .acquiring) {
                let copy = dup(0)
                if copy < 0 { continue }
                for _ in 0..<100 where fcntl(copy, F_GETFD) < 0 { isRobbed.store(true, ordering: .releasing) }
                if close(copy) != 0 { isRobbed.store(true, ordering: .releasing) }
                if opened.add(1, ordering: .relaxed).newValue == 1 { began.signal() }
            }
            ended.signal()
        }
        began.wait()
    }

    /// How many files the thread has opened. The number stands still while no descriptor is free.
    package var openedCount: Int { opened.load(ordering: .relaxed) }

    /// Ends the thread. Returns whether other code closed a descriptor of the thread.
    package func wasRobbed() -> Bool {
        isOver.store(true, ordering: .releasing)
        ended.wait()
        return isRobbed.load(ordering: .acquiring)
    }
}
