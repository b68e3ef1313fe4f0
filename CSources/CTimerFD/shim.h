// What Swift's Glibc module leaves out of timers. Apart from CLinux, as it brings `timespec` with it: a module that imports this is
// told here and there that `timespec` comes from this one.
#include <sys/timerfd.h>
