// Transforms: the Fourier transform of real samples, over FFTW, and the windows applied to samples before a transform.
//
// Modules above decide on the use of a spectrum.
