// Nothing but the header, which has to compile alone. The functions are in Sources/CInterface.
#include "woodshed.h"
