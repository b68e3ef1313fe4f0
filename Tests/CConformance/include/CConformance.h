#ifndef WOODSHED_CONFORMANCE_H
#define WOODSHED_CONFORMANCE_H

/// Calls every function of woodshed.h with right and with hostile arguments.
///
/// `forks` says whether to try a child process and a limit of the process too, which a program with other threads
/// should not do.
///
/// Returns a line for each failed check; empty if all is right. The text is valid until the next call.
const char *conformance_failures(const char *recording, const char *other, const char *folder, int forks);

#endif
