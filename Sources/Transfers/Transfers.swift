// Transfers: fetches files over HTTP and HTTPS. An address is checked before a socket is opened (`WebAddress`); a file that was fetched in
// part goes on only if the server still has the same one; a fetched file appears under its name as a whole or not at all.
// A `TransferQueue` carries out requests, and tells what happens as events.
//
// libcurl, which carries the bytes, is loaded when the first transfer begins. The module does not know what files contain, where they are
// kept, nor terminals. Nothing here is called by a render thread.
internal import Glibc

/// The clock of timeouts and rates: it cannot be set.
enum Clock {
    /// Seconds since some moment in the past.
    static var seconds: Double {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// Seconds since 1970, by the clock that dates in messages follow.
    static var date: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
