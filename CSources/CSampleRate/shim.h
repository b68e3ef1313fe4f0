#pragma once
#include <samplerate.h>

// A converter allocates only when it is created, and uses no locks. The Swift compiler refuses C calls on the render path
// unless a declaration says so, and libsamplerate's header does not; this wrapper does.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
static inline int woodshed_src_process(SRC_STATE *state, SRC_DATA *data) { return src_process(state, data); }

__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
static inline int woodshed_src_set_ratio(SRC_STATE *state, double ratio) { return src_set_ratio(state, ratio); }
