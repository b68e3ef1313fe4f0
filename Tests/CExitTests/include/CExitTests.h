// Settings of the processes that Swift Testing starts for `#expect(processExitsWith:)`, made before `main`. Linking
// this target is enough; there is nothing to call.
//
// A hanging test holds the whole run until the step ends it, so each of these processes has an end: SIGALRM, after two
// thirds of the time for which a step may print nothing (WOODSHED_STEP_SECONDS, 900). A body that needs another limit
// calls alarm() itself. No body handles SIGALRM or sets the timer of setitimer(ITIMER_REAL), which is the alarm's.
//
// The test also waits for the end of a pipe that the process inherits. The pipe closes on exec, so that no program
// started by the process can hold the pipe open after the process's end.
#ifndef WOODSHED_CEXITTESTS_H
#define WOODSHED_CEXITTESTS_H

#endif
