// Stretching: sound at another speed or pitch.
//
// It holds the time stretcher for music, the splicer for speech, the changer of pitch, and the analysis of a recording that they need
// beforehand: onsets, attacks, steady sound, speech and its pitch. It does not read sources (the caller hands samples in), mix sounds, follow
// sections or choose speeds; that is the engine's part. Memory is allocated in initialisers; functions for the render thread say so in their
// documentation, and the compiler checks them.
