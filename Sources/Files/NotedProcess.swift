internal import Glibc

/// A process as a file names it. In another container, on another computer and after a restart its number is that of another process, so the
/// file also says where it counts.
package struct NotedProcess: Equatable, Sendable {
    /// 0 for none.
    package let number: Int32
    /// Where the number counts; nil in files of earlier versions, whose numbers are taken to count here.
    package let place: String?

    package init(number: Int32, place: String?) { (self.number, self.place) = (number, place) }

    /// No process.
    package static let none = NotedProcess(number: 0, place: nil)

    /// This one.
    package static var own: NotedProcess { NotedProcess(number: getpid(), place: here) }

    /// Whether it is this process.
    package var isOwn: Bool { number == getpid() && countsHere }

    /// Whether the number can be told to a user, and mean that process.
    package var countsHere: Bool { number > 0 && (place == nil || place == Self.here) }

    /// Whether it is a running program of ours, by its name. Where files have no locks, this tells whether a file is in use. Nothing is known of
    /// processes elsewhere: they do not count as running.
    package var isRunning: Bool {
        guard countsHere, let name = Self.text("/proc/\(number)/comm") else { return false }
        return name == Self.text("/proc/self/comm") || name == Array("woodshed\n".utf8)
    }

    /// This start of the system, and the space of its processes' numbers; nil if the system does not tell.
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
