internal import Glibc

/// A process as recorded in a file. In another container, on another computer or after a restart, the same number means
/// another process. The file therefore also records where the number is valid.
package struct NotedProcess: Equatable, Sendable {
    /// Process number; 0 for none.
    package let number: Int32
    /// Identifier of the system start and the process number space in which the number is valid. Nil in files of
    /// earlier versions; such numbers are treated as valid here.
    package let place: String?

    package init(number: Int32, place: String?) { (self.number, self.place) = (number, place) }

    /// No process.
    package static let none = NotedProcess(number: 0, place: nil)

    /// This process.
    package static var own: NotedProcess { NotedProcess(number: getpid(), place: here) }

    /// True if this is the current process.
    package var isOwn: Bool { number == getpid() && countsHere }

    /// True if the number is valid here, and can be shown to a user.
    package var countsHere: Bool { number > 0 && (place == nil || place == Self.here) }

    /// True if the process is a running program of ours, by its name. Where files have no locks, this tells whether a
    /// file is in use. Processes elsewhere are unknown, and do not count as running.
    package var isRunning: Bool {
        guard countsHere, let name = Self.text("/proc/\(number)/comm") else { return false }
        return name == Self.text("/proc/self/comm") || name == Array("woodshed\n".utf8)
    }

    /// Identifier of this system start and of its process number space; nil if unavailable.
    private static let here: String? = {
        var space = [CChar](repeating: 0, count: 64)
        let count = unsafe readlink("/proc/self/ns/pid", &space, space.count)
        guard count > 0, let start = text("/proc/sys/kernel/random/boot_id") else { return nil }
        let bytes = start.filter { $0 > 32 } + [32] + space[..<count].map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }()

    private static func text(_ path: String) -> [UInt8]? {
        do throws(FileFault) {
            let file = try unsafe RegularFile(path)
            return try FileBytes.bytes(of: file.descriptor, count: 64)
        } catch { return nil }
    }
}
