#pragma once
#include <fftw3.h>

// Executing a finished plan neither allocates nor locks. The Swift compiler refuses C calls on the render path unless a
// declaration says so, and FFTW's header does not; these wrappers do. All other functions of FFTW are for control threads only.
#define WOODSHED_REALTIME_SAFE \
    __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

WOODSHED_REALTIME_SAFE
static inline void woodshed_fftwf_execute(const fftwf_plan plan) { fftwf_execute(plan); }
