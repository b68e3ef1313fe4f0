#ifndef WOODSHED_CONFORMANCE_H
#define WOODSHED_CONFORMANCE_H

/// Calls every function of woodshed.h with right and with hostile arguments; prints what is wrong, and returns how much.
///
/// `forks` says whether a child process is tried too, which a program with other threads should not do.
int conformance_failures(const char *recording, const char *other, const char *folder, int forks);

#endif
