// Library: the recordings that a user keeps. It takes them in, from files and from the network, finds them again, and puts them in lists.
//
// It shares the store of `Practice`: a recording in the library is the recording whose sections and takes are kept there. The module does
// not know terminals, nor how bytes come over the network (`Transfers`).
