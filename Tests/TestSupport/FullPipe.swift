// Whether a pipe takes no more.
internal import Glibc

/// Whether the next write to a pipe would wait.
///
/// The number of bytes inside does not decide: a write too long for the rest of a page begins another page, so a pipe
/// of 64 KiB may be full with several KiB less.
///
/// - Parameter reader: The read end of the pipe, as a descriptor.
public func isFull(pipe reader: Int32) -> Bool {
    let writer = unsafe open("/proc/self/fd/\(reader)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard writer >= 0 else { return false }
    defer { close(writer) }
    var request = pollfd(fd: writer, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&request, 1, 0) == 0
}
