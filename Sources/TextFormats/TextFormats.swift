// TextFormats: texts that other programs and other libraries write: lists of recordings, feeds, web pages, catalogues.
//
// A text may be of any length and may say anything, so each is read in linear time, within limits. The module stays optimised, because a
// list has a hundred thousand entries. It knows no files, no networks and no store.

// So that a program that catches an error of this module can name its type.
@_exported public import Explanations
