// Practice: what a musician or learner does with a recording, above the engine that plays it. Sections that are there tomorrow, with
// the recording and not with its file's name; marking them by ear and finding them automatically; sessions that lead through them.
//
// The module does not know terminals or networks, and makes no sound of its own: everything that is heard is a score of the engine's.

// So that a program that catches an error of this module can name its type.
@_exported public import Explanations
