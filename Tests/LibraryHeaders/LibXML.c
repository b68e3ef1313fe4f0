// pkg-config: libxml-2.0
// Compares the declarations of CLibXML with libxml2's headers. This file has no code: a difference does not compile.
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <stddef.h>

#define LIBXML_HEADER_IS_INCLUDED
typedef xmlSAXHandler xml_handler;
#include <CLibXML.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
LIBXML_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
LIBXML_OPTIONS(SAME_CONSTANT)
LIBXML_ERROR_LEVELS(SAME_CONSTANT)
LIBXML_ERRORS(SAME_CONSTANT)
_Static_assert(LIBXML_HANDLER_MARK == XML_SAX2_MAGIC, "the mark of a handler has another value");

#define SAME_PLACE(ours, theirs, field) \
    _Static_assert(offsetof(ours, field) == offsetof(theirs, field), #field " has another place");
#define SAME_FIELD(ours, theirs, field) \
    SAME_PLACE(ours, theirs, field) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((ours *)0)->field), __typeof__(((theirs *)0)->field)), \
        #field " has another type");
SAME_FIELD(LibXMLHandler, xmlSAXHandler, entityDecl)
SAME_FIELD(LibXMLHandler, xmlSAXHandler, characters)
SAME_FIELD(LibXMLHandler, xmlSAXHandler, ignorableWhitespace)
SAME_FIELD(LibXMLHandler, xmlSAXHandler, cdataBlock)
SAME_FIELD(LibXMLHandler, xmlSAXHandler, initialized)
SAME_FIELD(LibXMLHandler, xmlSAXHandler, startElementNs)
SAME_FIELD(LibXMLHandler, xmlSAXHandler, endElementNs)
// The last parameters of both handlers are structs of the library.
SAME_PLACE(LibXMLHandler, xmlSAXHandler, attributeDecl)
SAME_PLACE(LibXMLHandler, xmlSAXHandler, serror)
_Static_assert(sizeof(LibXMLHandler) == sizeof(xmlSAXHandler), "a handler has another size");

SAME_FIELD(LibXMLError, xmlError, domain)
SAME_FIELD(LibXMLError, xmlError, code)
SAME_FIELD(LibXMLError, xmlError, message)
SAME_PLACE(LibXMLError, xmlError, level)
SAME_FIELD(LibXMLError, xmlError, line)
