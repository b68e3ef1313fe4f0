// Files that must be deleted if a run is interrupted. A normal end deletes them where they were created. This list is for an
// immediate exit, after the second Ctrl-C, and so a signal handler can read it.
import Glibc
import Synchronization

/// Paths to delete when the process exits at once.
package enum PartialFiles {
    /// So many outputs may be written at the same time.
    package static let mostOutputs = 256
    // For each the output and its writer's own temporary file.
    private static let slots = (0..<2 * mostOutputs).map { _ in Slot() }

    private final class Slot: Sendable {
        /// The address of a C string; 0 if the slot is free.
        let path = Atomic<UInt>(0)
    }

    /// The paths that belong to one output.
    package final class Claim: Sendable {
        private let numbers = Mutex<[Int]>([])

        package init() {}

        /// Adds a path. Its text is never freed, because a handler may be reading it.
        package func add(_ path: String) {
            guard let copy = unsafe strdup(path) else { return }
            let address = UInt(bitPattern: copy)
            for number in slots.indices {
                let (isTaken, _) = slots[number].path.compareExchange(
                    expected: 0, desired: address, ordering: .acquiringAndReleasing)
                if isTaken { return numbers.withLock { $0.append(number) } }
            }
        }

        /// Removes its paths from the list: the files are now complete, or already deleted.
        package func forget() {
            for number in numbers.withLock({ $0 }) { slots[number].path.store(0, ordering: .releasing) }
            numbers.withLock { $0 = [] }
        }
    }

    /// Initialises the list before a handler can use it.
    package static func prepareForHandlers() { _ = slots.count }

    /// Deletes the listed files. Safe in a signal handler.
    package static func removeAll() {
        for index in slots.indices {
            let address = slots[index].path.load(ordering: .acquiring)
            if let path = unsafe UnsafePointer<CChar>(bitPattern: address) { _ = unsafe unlink(path) }
        }
    }
}
