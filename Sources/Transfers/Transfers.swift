// Transfers: fetches files over HTTP and HTTPS. `WebAddress` checks an address before a socket is opened. A partly
// fetched file continues only if the server still has the same version. A fetched file appears under its name as a
// whole or not at all. A `TransferQueue` carries out requests and reports events.
//
// libcurl carries the bytes; the module loads libcurl when the first transfer begins. The module knows neither the
// content of files, nor their final storage, nor terminals. No render thread calls this module.
