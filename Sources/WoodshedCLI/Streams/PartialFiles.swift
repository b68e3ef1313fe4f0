// Files that must not outlive an interrupted run. A normal end removes them where they were made; this list exists for
// the end that leaves no time for that, the second Ctrl-C, and is therefore readable from a signal handler.
import Glibc
import Synchronization

/// Paths to delete when the process leaves at once.
enum PartialFiles {
    // A handful is enough: one output and its writer's own temporary file.
    private static let slots = [Slot(), Slot(), Slot(), Slot()]

    private final class Slot: Sendable {
        /// The address of a C string; 0 while free.
        let path = Atomic<UInt>(0)
    }

    /// Touches what a handler will use.
    static func prepareForHandlers() { _ = slots.count }

    /// Remembers a path; the text is never freed, because a handler may be reading it.
    static func add(_ path: String) {
        guard let copy = unsafe strdup(path) else { return }
        let address = UInt(bitPattern: copy)
        for slot in slots {
            let (isTaken, _) = slot.path.compareExchange(
                expected: 0, desired: address, ordering: .acquiringAndReleasing)
            if isTaken { return }
        }
    }

    /// Forgets every path: what is there now is finished, or gone.
    static func forgetAll() {
        for slot in slots { slot.path.store(0, ordering: .releasing) }
    }

    /// Deletes what is listed. Safe in a signal handler.
    static func removeAll() {
        for index in 0..<4 {
            let address = slots[index].path.load(ordering: .acquiring)
            if let path = unsafe UnsafePointer<CChar>(bitPattern: address) { _ = unsafe unlink(path) }
        }
    }
}
