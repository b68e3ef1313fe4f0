// Finds out whether somebody closes a descriptor twice: the second time its number may be another file's.
import Foundation
import Synchronization

/// Opens and closes files on a thread of its own, so that it gets the number of each descriptor that is closed elsewhere, and sees when
/// one of its own is closed by somebody else. For a process of its own, where nobody else closes anything.
package final class DescriptorThief: Sendable {
    private let isOver = Atomic<Bool>(false)
    private let isRobbed = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    package init() {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .acquiring) {
                let copy = dup(0)
                if copy < 0 { continue }
                for _ in 0..<100 where fcntl(copy, F_GETFD) < 0 { isRobbed.store(true, ordering: .releasing) }
                if close(copy) != 0 { isRobbed.store(true, ordering: .releasing) }
            }
            ended.signal()
        }
    }

    /// Ends it; whether a descriptor of its own was closed by somebody else.
    package func wasRobbed() -> Bool {
        isOver.store(true, ordering: .releasing)
        ended.wait()
        return isRobbed.load(ordering: .acquiring)
    }
}
