#include "CLibXML.h"

static const char *const names[] = {LIBXML_FUNCTIONS(LIBRARY_NAME)};

// Version 2.14 of the library changed the number of its binary interface, but nothing in the part used here.
LibraryDescription libxml_description(void) {
    return (LibraryDescription){
        "libxml2.so.2", "libxml2", names, sizeof names / sizeof *names, "libxml2.so.16"};
}

LibXMLHandler libxml_handler(void) { return (LibXMLHandler){.initialized = LIBXML_HANDLER_MARK}; }
