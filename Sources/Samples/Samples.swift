// Samples: memory for sound, and arithmetic on samples.
//
// It holds views and owners of Float32 and 16-bit samples, the vector of the inner loops with the functions that the render path may call, the
// weights of fades, and a box for large values. It knows no file, no device and no meaning of the samples.
