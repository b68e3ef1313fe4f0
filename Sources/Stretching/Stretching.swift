// Stretching: sound at another speed or pitch.
//
// Contents: the time stretcher for music, the splicer for speech, the changer of pitch, and the analysis of a recording
// that they need beforehand: onsets, attacks, steady sound, speech and its pitch. Reading sources, mixing sounds,
// following sections and choosing speeds are the engine's part; the caller supplies samples. Initialisers allocate all
// memory. Functions for the render thread are marked in their documentation, and the compiler checks them.
