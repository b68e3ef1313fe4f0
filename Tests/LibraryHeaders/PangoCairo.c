// pkg-config: pangocairo fontconfig
// Compares the declarations of CPangoCairo with the headers of cairo, Pango and fontconfig. This file has no code: a
// difference does not compile.
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>

#define PANGO_CAIRO_HEADERS_ARE_INCLUDED
#include <CPangoCairo.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
PANGO_CAIRO_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
CAIRO_STATUS_CONSTANTS(SAME_CONSTANT)
CAIRO_FORMAT_CONSTANTS(SAME_CONSTANT)
CAIRO_SVG_UNIT_CONSTANTS(SAME_CONSTANT)
CAIRO_ANTIALIAS_CONSTANTS(SAME_CONSTANT)
CAIRO_HINT_STYLE_CONSTANTS(SAME_CONSTANT)
CAIRO_HINT_METRICS_CONSTANTS(SAME_CONSTANT)
CAIRO_FILTER_CONSTANTS(SAME_CONSTANT)
PANGO_ELLIPSIZE_CONSTANTS(SAME_CONSTANT)
PANGO_WEIGHT_CONSTANTS(SAME_CONSTANT)
SAME_CONSTANT(FcSetSystem, 0)
SAME_CONSTANT(FcSetApplication, 1)

// Every enumeration is passed as an integer of this size, independent of the constants.
#define AS_WIDE_AS_INT(type) _Static_assert(sizeof(type) == sizeof(int), #type " has another size");
AS_WIDE_AS_INT(cairo_status_t)
AS_WIDE_AS_INT(cairo_format_t)
AS_WIDE_AS_INT(cairo_svg_unit_t)
AS_WIDE_AS_INT(cairo_antialias_t)
AS_WIDE_AS_INT(cairo_hint_style_t)
AS_WIDE_AS_INT(cairo_hint_metrics_t)
AS_WIDE_AS_INT(cairo_filter_t)
AS_WIDE_AS_INT(PangoEllipsizeMode)
AS_WIDE_AS_INT(PangoWeight)
AS_WIDE_AS_INT(FcSetName)

_Static_assert(sizeof(PangoRectangle) == 4 * sizeof(int), "PangoRectangle has another size");
_Static_assert(offsetof(PangoRectangle, x) == 0, "PangoRectangle.x has another place");
_Static_assert(offsetof(PangoRectangle, y) == sizeof(int), "PangoRectangle.y has another place");
_Static_assert(offsetof(PangoRectangle, width) == 2 * sizeof(int), "PangoRectangle.width has another place");
_Static_assert(offsetof(PangoRectangle, height) == 3 * sizeof(int), "PangoRectangle.height has another place");
_Static_assert(offsetof(FcFontSet, nfont) == 0, "FcFontSet.nfont has another place");
_Static_assert(__builtin_types_compatible_p(__typeof__(((FcFontSet *)0)->nfont), int), "FcFontSet.nfont has another type");
_Static_assert(__builtin_types_compatible_p(gboolean, int), "gboolean has another type");
