internal import Glibc
package import Transfers

extension TransferQueue {
    /// Fetches a file, and waits for the result on the calling thread, which must not be a thread of Swift's task pool.
    ///
    /// - Parameter isCancelled: Called now and then. If it returns true, the transfer is cancelled, and its part is
    ///   removed as soon as the disk allows, possibly after this call.
    package func fetchWaiting(
        _ request: TransferRequest, isCancelled: () -> Bool = { false }
    ) throws(TransferError) -> FetchedFile {
        let transfer = try add(request)
        var wasCancelled = false
        var pause = Self.shortestPauseMicroseconds
        while true {
            if let result = transfer.result { return try result.get() }
            if !wasCancelled, isCancelled() {
                wasCancelled = true
                transfer.cancel(discarding: true)
            }
            usleep(pause)
            // Many threads may wait for silent servers for long.
            pause = min(pause + Self.shortestPauseMicroseconds / 10, 10 * Self.shortestPauseMicroseconds)
        }
    }

    private static var shortestPauseMicroseconds: UInt32 { 5000 }
}
