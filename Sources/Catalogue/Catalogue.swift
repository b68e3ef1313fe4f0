// Catalogue: the recordings that a user keeps, and their playlists: rows of the store, searching, adding files,
// documents, the trash.
//
// The module shares the store with the practice of a recording: a recording in the library is the recording whose
// sections and takes the store keeps. All code that a list or a search calls for each row is here, so the module stays
// optimised. The module knows neither networks nor list formats.

// A program that catches an error of this module can name its type.
@_exported public import Explanations
