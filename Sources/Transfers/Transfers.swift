// Transfers: fetches files over HTTP and HTTPS. `WebAddress` checks an address before a socket is opened. A partly
// fetched file continues only if the server still has the same version. A fetched file appears under its name as a
// whole or not at all. A `TransferQueue` carries out requests and reports events.
//
// libcurl carries the bytes; the module loads libcurl when the first transfer begins. The module knows neither the
// content of files, nor their final storage, nor terminals. No render thread calls this module.
internal import Glibc

/// The clock for timeouts and rates. The clock is monotonic: no user can set it.
enum Clock {
    /// Seconds since an arbitrary moment in the past.
    static var seconds: Double {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// Seconds since 1970, by the realtime clock, as in the dates of messages.
    static var date: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
