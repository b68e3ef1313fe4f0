#pragma once
#include <fftw3.h>

// Executing a finished plan neither allocates nor locks. The Swift compiler refuses C calls on the render path without
// a declaration to that effect, which FFTW's header lacks; these wrappers have the declaration. All other functions of
// FFTW are for control threads only.
#define WOODSHED_REALTIME_SAFE \
    __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

// A plan serves all buffers of its size aligned by fftwf_malloc.
WOODSHED_REALTIME_SAFE
static inline void woodshed_fftwf_forward(const fftwf_plan plan, float *frames, fftwf_complex *spectrum) {
    fftwf_execute_dft_r2c(plan, frames, spectrum);
}

WOODSHED_REALTIME_SAFE
static inline void woodshed_fftwf_inverse(const fftwf_plan plan, fftwf_complex *spectrum, float *frames) {
    fftwf_execute_dft_c2r(plan, spectrum, frames);
}

// Linked into the shared library for C alone, with a private copy of FFTW; see scripts/build-library.sh. Weak, and not
// hidden here: gold gives a missing hidden symbol an address.
extern const char private_fftw_is_linked __attribute__((weak));

// Whether no other part of the process can use this FFTW.
static inline _Bool woodshed_fftw_is_private(void) { return &private_fftw_is_linked != 0; }
