// CALSA too: alsa-lib's headers bring the C library's structs with them, and the compiler may count them as its own.
import CALSA
import CLinux
import Glibc

/// Notices that the kernel has shown a new sound device. Where it has no folder for them, nothing is ever noticed, and whoever
/// waits has to look by itself.
final class DeviceWatch {
    private let descriptor: Int32

    init(folder: String = "/dev/snd") {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return }
        // Attributes too: a new device belongs to nobody until its rights have been set.
        _ = unsafe inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_ATTRIB))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether there was news since the last call.
    func takeNews() -> Bool {
        guard descriptor >= 0 else { return false }
        var hasNews = false
        // Bounded: what comes faster than this is read at the next look.
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
