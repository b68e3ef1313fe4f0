internal import Explanations
internal import Glibc
internal import Realtime

/// A raw MIDI device (`/dev/snd/midiC1D0`), or a named pipe with bytes of MIDI. Works without a sequencer.
package final class ByteSource: ControllerSource, @unchecked Sendable {
    // One thread at a time: first the creator's, then the controllers' thread.
    private let path: String
    private var bytes = ControllerBytes()
    package private(set) var descriptor: Int32 = -1
    private var isTold = false

    /// Opens the device.
    package init(path: String) throws(ControlError) {
        self.path = path
        let code = open()
        switch code {
        case 0, ENODEV, ENXIO: break
        // The device appears when its controller is plugged in later.
        case ENOENT where path.hasPrefix("/dev/"): break
        case EACCES, EPERM:
            throw ControlError(
                .permissionDenied, "this user may not open the MIDI device \(path)",
                remedy: AudioGroup.remedy)
        default:
            if let limit = SystemLimit(errno: code) { throw ControlError(.io, limit, at: "\(path): ") }
            throw ControlError(
                .noDevice,
                "\(path): no MIDI device: \(code == EINVAL ? "this is a regular file" : systemText(code))",
                remedy: "List raw MIDI devices with: ls /dev/snd/midi*; or name a port of aconnect -l.")
        }
    }

    /// Returns 0, or an errno.
    private func open() -> Int32 {
        // A pipe opened for both sides stays open when a writer leaves.
        var status = stat()
        let isPipe = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let opened = unsafe Glibc.open(path, (isPipe ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard opened >= 0 else { return errno }
        guard unsafe fstat(opened, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else {
            Glibc.close(opened)
            return EINVAL
        }
        descriptor = opened
        return 0
    }

    package func read() -> [ControllerArrival] {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 { return bytes.messages(buffer.prefix(count)).map { .message($0) } }
        guard count == 0 || (errno != EAGAIN && errno != EINTR) else { return [] }
        close()
        bytes = ControllerBytes()
        isTold = true
        return [.lost(path)]
    }

    package func tryAgain() -> [ControllerArrival] {
        if descriptor >= 0 || open() == 0 {
            isTold = true
            return [.connected(path)]
        }
        defer { isTold = true }
        return isTold ? [] : [.missing(path, others: [])]
    }

    package func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }
}
