// The functions of Expat that read playlists and feeds in XML, as a table that is filled when the first one is read.
//
// The types, constants and functions are declared here, so neither the header nor the library is needed to build.
// scripts/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CEXPAT_H
#define WOODSHED_CEXPAT_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define EXPAT_STATUSES(constant) \
    constant(XML_STATUS_ERROR, 0) \
    constant(XML_STATUS_OK, 1)

#define EXPAT_ERRORS(constant) \
    constant(XML_ERROR_NONE, 0) \
    constant(XML_ERROR_NO_MEMORY, 1) \
    constant(XML_ERROR_UNKNOWN_ENCODING, 18) \
    constant(XML_ERROR_ABORTED, 35)

// The comparison with the real header includes it first.
#ifndef EXPAT_HEADER_IS_INCLUDED
enum XML_Status { EXPAT_STATUSES(LIBRARY_CONSTANT) };
enum XML_Error { EXPAT_ERRORS(LIBRARY_CONSTANT) };

typedef struct XML_ParserStruct *XML_Parser;
#endif

#define EXPAT_FUNCTIONS(function) \
    function(XML_Parser, XML_ParserCreate, (const char *)) \
    function(void, XML_ParserFree, (XML_Parser)) \
    function(void, XML_SetUserData, (XML_Parser, void *)) \
    function(void, XML_SetElementHandler, \
        (XML_Parser, void (*)(void *, const char *, const char **), void (*)(void *, const char *))) \
    function(void, XML_SetCharacterDataHandler, (XML_Parser, void (*)(void *, const char *, int))) \
    function(void, XML_SetXmlDeclHandler, (XML_Parser, void (*)(void *, const char *, const char *, int))) \
    function(void, XML_SetEntityDeclHandler, \
        (XML_Parser, void (*)(void *, const char *, int, const char *, int, const char *, const char *, const char *, \
            const char *))) \
    function(void, XML_SetAttlistDeclHandler, \
        (XML_Parser, void (*)(void *, const char *, const char *, const char *, const char *, int))) \
    function(void *, XML_GetBuffer, (XML_Parser, int)) \
    function(enum XML_Status, XML_ParseBuffer, (XML_Parser, int, int)) \
    function(enum XML_Status, XML_StopParser, (XML_Parser, unsigned char)) \
    function(enum XML_Error, XML_GetErrorCode, (XML_Parser)) \
    function(unsigned long, XML_GetCurrentLineNumber, (XML_Parser)) \
    function(const char *, XML_ErrorString, (enum XML_Error))

/// The functions, each under its own name.
typedef struct {
    EXPAT_FUNCTIONS(LIBRARY_FIELD)
} ExpatFunctions;

/// The library to load.
LibraryDescription expat_description(void);

#pragma clang diagnostic pop

#endif
