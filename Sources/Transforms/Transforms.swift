// Transforms: the Fourier transform of real samples, over FFTW, and the windows that are laid over samples before one.
//
// What is done with a spectrum is the business of the modules above.
