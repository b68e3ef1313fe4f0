#include "CLibraryTable.h"
