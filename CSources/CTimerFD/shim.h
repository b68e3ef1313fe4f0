// The timers that Swift's Glibc module leaves out. Not part of CLinux, because this header also declares `timespec`: in
// a module that imports it, some of the compiler's messages name this module as the origin of `timespec`.
#include <sys/timerfd.h>
