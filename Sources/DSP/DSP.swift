// DSP: measures and filters of sound, without any knowledge of files, devices or scores.
//
// It holds meters of levels and loudness, waveforms, spectrograms, limiters, the channel strip, a filter that finds a known sound in a
// recording, a pitch tracker, the search for phrases, and the comparison of a take with a model. It does not read sources: the caller hands
// samples in. Memory is allocated in initialisers; functions for the render thread say so in their documentation, and the compiler checks them.

// So that a program that catches an error of this module can name its type.
@_exported public import Explanations
