// Samples: memory for sound, and arithmetic on samples.
//
// Contents: views and owners of Float32 and 16-bit samples, the vector of the inner loops with the functions that the
// render path may call, the weights of fades, pseudorandom numbers, and a box for large values. Files, devices and the
// meaning of samples are out of scope.
