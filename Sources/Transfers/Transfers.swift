// Transfers: fetches files over HTTP and HTTPS. An address is checked before a socket is opened; a file that was fetched in part goes on only
// if the server still has the same one; a fetched file appears under its name as a whole or not at all.
//
// libcurl, which carries the bytes, is loaded when the first transfer begins. The module does not know what files contain, where they are
// kept, nor terminals.
