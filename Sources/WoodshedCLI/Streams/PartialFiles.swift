// Files that must be deleted if a run is interrupted. A normal end deletes them where they were created. This list is for an
// immediate exit, after the second Ctrl-C, and so a signal handler can read it.
import Glibc
import Synchronization

/// Paths to delete when the process exits at once.
enum PartialFiles {
    // A few are enough: one output and its writer's own temporary file.
    private static let slots = [Slot(), Slot(), Slot(), Slot()]

    private final class Slot: Sendable {
        /// The address of a C string; 0 if the slot is free.
        let path = Atomic<UInt>(0)
    }

    /// Initialises the list before a handler can use it.
    static func prepareForHandlers() { _ = slots.count }

    /// Adds a path. Its text is never freed, because a handler may be reading it.
    static func add(_ path: String) {
        guard let copy = unsafe strdup(path) else { return }
        let address = UInt(bitPattern: copy)
        for slot in slots {
            let (isTaken, _) = slot.path.compareExchange(
                expected: 0, desired: address, ordering: .acquiringAndReleasing)
            if isTaken { return }
        }
    }

    /// Removes all paths from the list: the files are now complete, or already deleted.
    static func forgetAll() {
        for slot in slots { slot.path.store(0, ordering: .releasing) }
    }

    /// Deletes the listed files. Safe in a signal handler.
    static func removeAll() {
        for index in 0..<4 {
            let address = slots[index].path.load(ordering: .acquiring)
            if let path = unsafe UnsafePointer<CChar>(bitPattern: address) { _ = unsafe unlink(path) }
        }
    }
}
