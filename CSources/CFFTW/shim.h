#pragma once
#include <fftw3.h>

// Executing a finished plan neither allocates nor locks. The Swift compiler refuses C calls on the render path unless a
// declaration says so, and FFTW's header does not; these wrappers do. All other functions of FFTW are for control threads only.
#define WOODSHED_REALTIME_SAFE \
    __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

// One plan serves all buffers of its size that fftwf_malloc aligned.
WOODSHED_REALTIME_SAFE
static inline void woodshed_fftwf_forward(const fftwf_plan plan, float *frames, fftwf_complex *spectrum) {
    fftwf_execute_dft_r2c(plan, frames, spectrum);
}

WOODSHED_REALTIME_SAFE
static inline void woodshed_fftwf_inverse(const fftwf_plan plan, fftwf_complex *spectrum, float *frames) {
    fftwf_execute_dft_c2r(plan, spectrum, frames);
}

// Linked into the shared library for C alone, with a copy of FFTW that nothing else uses; see scripts/build-library.sh. Weak, and not hidden here:
// gold gives a hidden symbol that is missing an address.
extern const char private_fftw_is_linked __attribute__((weak));

// Whether no other part of the process can use this FFTW.
static inline _Bool woodshed_fftw_is_private(void) { return &private_fftw_is_linked != 0; }
