// Files to delete if a run is interrupted. A normal end deletes such files at their place of creation. This list serves
// an immediate exit, after the second Ctrl-C, so a signal handler can read it.
import Glibc
import Synchronization

/// Paths to delete when the process exits at once.
package enum PartialFiles {
    /// Number of outputs that may be written at the same time.
    package static let mostOutputs = 256
    // Slots for each output and for its writer's own temporary file.
    private static let slots = (0..<2 * mostOutputs).map { _ in Slot() }

    private final class Slot: Sendable {
        /// Address of a C string; 0 for a free slot.
        let path = Atomic<UInt>(0)
    }

    /// The paths of an output.
    package final class Claim: Sendable {
        private let numbers = Mutex<[Int]>([])

        package init() {}

        /// Adds a path. Its text is never freed, because a handler may be reading the text.
        package func add(_ path: String) {
            guard let copy = unsafe strdup(path) else { return }
            let address = UInt(bitPattern: copy)
            for number in slots.indices {
                let (isTaken, _) = slots[number].path.compareExchange(
                    expected: 0, desired: address, ordering: .acquiringAndReleasing)
                if isTaken { return numbers.withLock { $0.append(number) } }
            }
        }

        /// Removes the claim's paths from the list: the files are now complete, or already deleted.
        package func forget() {
            for number in numbers.withLock({ $0 }) { slots[number].path.store(0, ordering: .releasing) }
            numbers.withLock { $0 = [] }
        }
    }

    /// Initialises the list before any handler uses it.
    package static func prepareForHandlers() { _ = slots.count }

    /// Deletes the listed files. Safe in a signal handler.
    package static func removeAll() {
        for index in slots.indices {
            let address = slots[index].path.load(ordering: .acquiring)
            if let path = unsafe UnsafePointer<CChar>(bitPattern: address) { _ = unsafe unlink(path) }
        }
    }
}
