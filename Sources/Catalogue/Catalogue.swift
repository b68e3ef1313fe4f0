// Catalogue: the recordings that a user keeps, and their playlists: rows of the store, finding them, taking files in, documents, the trash.
//
// It shares the store with the practice of a recording: a recording in the library is the recording whose sections and takes are kept there.
// Everything that a list or a search calls for each row is here, so the module stays optimised. It knows no network and no formats of lists.

// So that a program that catches an error of this module can name its type.
@_exported public import Explanations
