// Practice: a musician's or learner's work with a recording, above the engine that plays it and beside the store of its
// sections. Marking sections by ear and finding sections automatically; sessions that lead through sections; takes over
// loops, for playback and comparison.
//
// Knows no terminals and no networks, and makes no sound: every sound is a score of the engine.

// Re-exported so that a program can name the type of an error of this module.
@_exported public import Explanations
