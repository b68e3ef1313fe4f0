#pragma once
#include <samplerate.h>

// A converter allocates when it is made and never afterwards, and it knows no locks. libsamplerate's header cannot say so to
// the Swift compiler, which refuses any other C call on the render path; this wrapper can.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
static inline int woodshed_src_process(SRC_STATE *state, SRC_DATA *data) { return src_process(state, data); }

__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
static inline int woodshed_src_set_ratio(SRC_STATE *state, double ratio) { return src_set_ratio(state, ratio); }
