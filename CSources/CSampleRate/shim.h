#pragma once
#include <samplerate.h>

// A converter allocates only when created, and uses no locks. The Swift compiler refuses C calls on the render path
// without a declaration to that effect, which libsamplerate's header lacks; this wrapper has the declaration.
__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
static inline int woodshed_src_process(SRC_STATE *state, SRC_DATA *data) { return src_process(state, data); }

__attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))
static inline int woodshed_src_set_ratio(SRC_STATE *state, double ratio) { return src_set_ratio(state, ratio); }
