// Descriptors that the runtime opens late, and keeps.
import Foundation

/// Waits until libdispatch, which runs Swift's tasks, has opened the descriptor of its timers. For separate processes
/// that limit or count descriptors: call this first.
///
/// The manager thread of libdispatch opens the descriptor in its first turn, which a busy machine may delay beyond any
/// later line of the process.
///
/// - Returns: Whether the descriptor is open.
package func waitForRuntimeDescriptors() -> Bool {
    // A timer that never fires needs the descriptor, and no further thread.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1_000_000)) {}
    let folder = "/proc/self/fd"
    return eventually {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return target?.contains("timerfd") == true
        }
    }
}
