// What Swift's Glibc module leaves out.
#include <sys/eventfd.h>
#include <sys/timerfd.h>
