// Transfers: fetches files over HTTP and HTTPS. `WebAddress` checks an address before a socket is opened. A partly
// fetched file continues only if the server still has the same version. A fetched file appears under its name as a
// whole or not at all. A `TransferQueue` carries out requests and reports events.
//
// libcurl carries the bytes; the module loads libcurl when the first transfer begins. The module knows neither the
// content of files, nor their final storage, nor terminals. No render thread calls this module.
internal import Glibc

/// The clock of dates.
enum Clock {
    /// Seconds since 1970, by the realtime clock, as in the dates of messages.
    static var date: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
