#pragma once
#include <fftw3.h>

// Executing a finished plan neither allocates nor locks. FFTW's header cannot say so to the Swift compiler, which refuses
// any other C call on the render path; these wrappers can. Everything else of FFTW is for the control side only.
#define WOODSHED_REALTIME_SAFE \
    __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

WOODSHED_REALTIME_SAFE
static inline void woodshed_fftwf_execute(const fftwf_plan plan) { fftwf_execute(plan); }
