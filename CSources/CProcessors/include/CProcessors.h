// On which processors a thread runs: for tests only, which stand witness for each of them. glibc declares what it takes as an
// extension of its own, which Swift's Glibc module leaves out.
#ifndef WOODSHED_CPROCESSORS_H
#define WOODSHED_CPROCESSORS_H

#include <stdint.h>

/// The processors from 0 to 63 on which the calling thread may run, a bit each; 0 when the system does not tell.
uint64_t processors_allowed(void);

/// Has the calling thread run on one processor alone, from 0 to 63. Returns 0 or an errno.
int processor_bind(uint32_t processor);

#endif
