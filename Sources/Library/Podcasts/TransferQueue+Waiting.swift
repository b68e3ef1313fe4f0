internal import Glibc
package import Transfers

extension TransferQueue {
    /// Fetches a file and waits for its end on the calling thread, which must not be one of Swift's own for tasks.
    ///
    /// - Parameter isCancelled: Called now and then; if it returns true, the transfer is cancelled, and its part removed as soon as its disk allows,
    ///   which can be after this call.
    package func fetchWaiting(
        _ request: TransferRequest, isCancelled: () -> Bool = { false }
    ) throws(TransferError) -> FetchedFile {
        let transfer = try add(request)
        var wasCancelled = false
        while true {
            if let result = transfer.result { return try result.get() }
            if !wasCancelled, isCancelled() {
                wasCancelled = true
                transfer.cancel(discarding: true)
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    private static var pauseMicroseconds: UInt32 { 5000 }
}
