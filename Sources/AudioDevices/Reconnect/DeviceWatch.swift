// CALSA too: alsa-lib's headers include the C library's structs, and the compiler may attribute the structs to CALSA.
import CALSA
import CLinux
import Glibc

/// Notices new sound devices added by the kernel. Without a folder for sound devices, the watch never reports anything,
/// and the caller has to poll.
final class DeviceWatch {
    private let descriptor: Int32

    init(folder: String = "/dev/snd") {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return }
        // Attributes too: a new device cannot be opened until its permissions are set.
        _ = unsafe inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_ATTRIB))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns true if there was a change since the last call.
    func takeNews() -> Bool {
        guard descriptor >= 0 else { return false }
        var hasNews = false
        // Limited; the next call reads further changes.
        for _ in 0..<16 {
            let count = unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                unsafe read(descriptor, buffer.baseAddress, buffer.count)
            }
            guard count > 0 else { break }
            hasNews = true
        }
        return hasNews
    }
}
