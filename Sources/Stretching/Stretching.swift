// Stretching: sound at another speed or pitch.
//
// Contents: the time stretcher for music, the splicer for speech, the changer of pitch, and the analysis of a recording
// that they need beforehand: onsets, attacks, steady sound, speech and its pitch. Excluded are reading sources (the
// caller supplies samples), mixing sounds, following sections and choosing speeds: the engine does all of this.
// Initialisers allocate all memory. Functions for the render thread are marked in their documentation, and the compiler
// checks them.
