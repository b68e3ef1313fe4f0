// TextFormats: texts written by other programs and other libraries: lists of recordings, feeds, web pages, catalogues.
//
// A text may have any length and any content, so every parser runs in linear time, within limits. The module stays
// optimised, because a list may have a hundred thousand entries. The module knows neither files, networks nor the
// store.

// A module that catches an error of this module can read its kind.
@_exported public import Explanations
