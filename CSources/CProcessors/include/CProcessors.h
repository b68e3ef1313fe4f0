// The processors on which a thread runs, only for tests that occupy each processor with a thread. glibc declares these
// functions as extensions, which Swift's Glibc module leaves out.
#ifndef WOODSHED_CPROCESSORS_H
#define WOODSHED_CPROCESSORS_H

#include <stdint.h>

/// The processors from 0 to 63 on which the calling thread may run, a bit each; 0 if the system does not report them.
uint64_t processors_allowed(void);

/// Makes the calling thread run on only one processor, from 0 to 63. Returns 0 or an errno.
int processor_bind(uint32_t processor);

#endif
