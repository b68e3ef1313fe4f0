// Descriptors as a program has them between its fork and its exec.
internal import Foundation

/// Copies of this process's descriptors of a file, which share the locks of the originals, until the release of the
/// object. Each thread of the system that starts a program makes such copies for a moment.
package final class DescriptorCopies: Sendable {
    private let copies: [Int32]

    /// - Parameter ending: The end of the file's path.
    package init(ofPathsEndingIn ending: String) {
        let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).compactMap {
            Int32($0)
        }
        copies = numbers.filter { number in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return path?.hasSuffix(ending) == true
        }.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    }

    deinit { for copy in copies { close(copy) } }

    /// The number of copies.
    package var count: Int { copies.count }
}
