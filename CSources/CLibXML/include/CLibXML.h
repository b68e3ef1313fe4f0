// The functions of libxml2 that read playlists and feeds in XML, as a table filled at the first reading.
//
// This header declares the types, constants and functions, so the build needs neither libxml2's header nor the library.
// scripts/tests/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CLIBXML_H
#define WOODSHED_CLIBXML_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

// Never XML_PARSE_HUGE, which lifts the library's limits, nor XML_PARSE_NOENT, _DTDLOAD or _DTDATTR, which expand
// entities and read other files.
#define LIBXML_OPTIONS(constant) \
    constant(XML_PARSE_RECOVER, 1) \
    constant(XML_PARSE_NONET, 2048) \
    constant(XML_PARSE_IGNORE_ENC, 2097152)

#define LIBXML_ERROR_LEVELS(constant) constant(XML_ERR_FATAL, 3)

#define LIBXML_ERRORS(constant) \
    constant(XML_ERR_NO_MEMORY, 2) \
    constant(XML_ERR_DOCUMENT_END, 5)

// The comparison with the real header includes that header first.
#ifndef LIBXML_HEADER_IS_INCLUDED
enum { LIBXML_OPTIONS(LIBRARY_CONSTANT) };
enum { LIBXML_ERROR_LEVELS(LIBRARY_CONSTANT) };
enum { LIBXML_ERRORS(LIBRARY_CONSTANT) };
#endif

/// A text being read.
typedef struct _xmlParserCtxt xml_parser;

/// An error that the library reports: `xmlError`.
typedef struct {
    int domain;
    int code;
    char *message;
    int level;
    char *file;
    int line;
} LibXMLError;

/// A function that is never set.
typedef void (*LibXMLUnused)(void);

/// The callbacks of the parser: `xmlSAXHandler`, with the fields at the same places.
typedef struct {
    LibXMLUnused internalSubset;
    LibXMLUnused isStandalone;
    LibXMLUnused hasInternalSubset;
    LibXMLUnused hasExternalSubset;
    LibXMLUnused resolveEntity;
    LibXMLUnused getEntity;
    void (*entityDecl)(void *, const unsigned char *, int, const unsigned char *, const unsigned char *, unsigned char *);
    LibXMLUnused notationDecl;
    void (*attributeDecl)(
        void *, const unsigned char *, const unsigned char *, int, int, const unsigned char *, void *);
    LibXMLUnused elementDecl;
    LibXMLUnused unparsedEntityDecl;
    LibXMLUnused setDocumentLocator;
    LibXMLUnused startDocument;
    LibXMLUnused endDocument;
    LibXMLUnused startElement;
    LibXMLUnused endElement;
    LibXMLUnused reference;
    void (*characters)(void *, const unsigned char *, int);
    void (*ignorableWhitespace)(void *, const unsigned char *, int);
    LibXMLUnused processingInstruction;
    LibXMLUnused comment;
    LibXMLUnused warning;
    LibXMLUnused error;
    LibXMLUnused fatalError;
    LibXMLUnused getParameterEntity;
    void (*cdataBlock)(void *, const unsigned char *, int);
    LibXMLUnused externalSubset;
    unsigned int initialized;
    void *own;
    /// Name, prefix, namespace; the number of namespaces declared by the element, and prefix and name of each; the
    /// number of attributes, the number of defaults among them, and of each attribute the name, prefix, namespace, and
    /// the beginning and end of the value.
    void (*startElementNs)(
        void *, const unsigned char *, const unsigned char *, const unsigned char *, int, const unsigned char **, int, int,
        const unsigned char **);
    void (*endElementNs)(void *, const unsigned char *, const unsigned char *, const unsigned char *);
    void (*serror)(void *, LibXMLError *);
} LibXMLHandler;

/// Marks the fields behind `initialized` as present.
#define LIBXML_HANDLER_MARK 0xDEEDBEAF

#ifndef LIBXML_HEADER_IS_INCLUDED
typedef LibXMLHandler xml_handler;
#endif

#define LIBXML_FUNCTIONS(function) \
    function(void, xmlInitParser, (void)) \
    function(xml_parser *, xmlCreatePushParserCtxt, (xml_handler *, void *, const char *, int, const char *)) \
    function(int, xmlCtxtUseOptions, (xml_parser *, int)) \
    function(int, xmlParseChunk, (xml_parser *, const char *, int, int)) \
    function(void, xmlFreeParserCtxt, (xml_parser *))

/// The functions, each under its own name.
typedef struct {
    LIBXML_FUNCTIONS(LIBRARY_FIELD)
} LibXMLFunctions;

/// The library to load.
LibraryDescription libxml_description(void);

/// A handler without functions.
LibXMLHandler libxml_handler(void);

#pragma clang diagnostic pop

#endif
