// DSP: measures and filters of sound, without any knowledge of files, devices or scores.
//
// The module has meters of levels and loudness, waveforms, spectrograms, limiters and the channel strip. A matched
// filter finds a known sound; further parts are a pitch tracker, the search for phrases, and the comparison of a take
// with a model. The module does not read sources: the caller hands samples in. Initialisers allocate memory. The
// documentation of each function names the functions for the render thread, and the compiler checks them.

// Lets a program that catches an error of this module name the error's type.
@_exported public import Explanations
