// The functions of cairo and Pango that draw pictures, as a table filled at the first picture.
//
// This header declares the types, constants and functions, so the build needs neither the original headers nor the
// libraries. scripts/tests/test-headers.sh compares the list with the real headers: a difference does not compile.
#ifndef WOODSHED_CPANGOCAIRO_H
#define WOODSHED_CPANGOCAIRO_H

#include <CLibraryTable.h>

// As in the headers of the libraries, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define CAIRO_STATUS_CONSTANTS(constant) \
    constant(CAIRO_STATUS_SUCCESS, 0) \
    constant(CAIRO_STATUS_NO_MEMORY, 1) \
    constant(CAIRO_STATUS_WRITE_ERROR, 11)
#define CAIRO_FORMAT_CONSTANTS(constant) constant(CAIRO_FORMAT_RGB24, 1)
#define CAIRO_SVG_UNIT_CONSTANTS(constant) constant(CAIRO_SVG_UNIT_PX, 3)
#define CAIRO_ANTIALIAS_CONSTANTS(constant) constant(CAIRO_ANTIALIAS_GRAY, 2)
#define CAIRO_HINT_STYLE_CONSTANTS(constant) constant(CAIRO_HINT_STYLE_SLIGHT, 2)
#define CAIRO_HINT_METRICS_CONSTANTS(constant) constant(CAIRO_HINT_METRICS_OFF, 1)
#define CAIRO_FILTER_CONSTANTS(constant) constant(CAIRO_FILTER_NEAREST, 3)
#define PANGO_ELLIPSIZE_CONSTANTS(constant) \
    constant(PANGO_ELLIPSIZE_NONE, 0) \
    constant(PANGO_ELLIPSIZE_END, 3)
#define PANGO_WEIGHT_CONSTANTS(constant) \
    constant(PANGO_WEIGHT_NORMAL, 400) \
    constant(PANGO_WEIGHT_BOLD, 700)

// The comparison with the real headers includes those headers first.
#ifndef PANGO_CAIRO_HEADERS_ARE_INCLUDED
typedef enum { CAIRO_STATUS_CONSTANTS(LIBRARY_CONSTANT) } cairo_status_t;
typedef enum { CAIRO_FORMAT_CONSTANTS(LIBRARY_CONSTANT) } cairo_format_t;
typedef enum { CAIRO_SVG_UNIT_CONSTANTS(LIBRARY_CONSTANT) } cairo_svg_unit_t;
typedef enum { CAIRO_ANTIALIAS_CONSTANTS(LIBRARY_CONSTANT) } cairo_antialias_t;
typedef enum { CAIRO_HINT_STYLE_CONSTANTS(LIBRARY_CONSTANT) } cairo_hint_style_t;
typedef enum { CAIRO_HINT_METRICS_CONSTANTS(LIBRARY_CONSTANT) } cairo_hint_metrics_t;
typedef enum { CAIRO_FILTER_CONSTANTS(LIBRARY_CONSTANT) } cairo_filter_t;
typedef enum { PANGO_ELLIPSIZE_CONSTANTS(LIBRARY_CONSTANT) } PangoEllipsizeMode;
typedef enum { PANGO_WEIGHT_CONSTANTS(LIBRARY_CONSTANT) } PangoWeight;

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo_pattern cairo_pattern_t;
typedef struct _cairo_font_options cairo_font_options_t;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoContext PangoContext;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _FcConfig FcConfig;
typedef cairo_status_t (*cairo_write_func_t)(void *closure, const unsigned char *data, unsigned int length);
typedef int gboolean;
typedef void *gpointer;

/// In 1024ths of a pixel.
typedef struct {
    int x, y, width, height;
} PangoRectangle;

/// The number of fonts; the rest of the type is left out.
typedef struct {
    int nfont;
} FcFontSet;
typedef enum { FcSetSystem = 0, FcSetApplication = 1 } FcSetName;
#endif

#define PANGO_CAIRO_FUNCTIONS(function) \
    function(cairo_surface_t *, cairo_image_surface_create, (cairo_format_t, int, int)) \
    function(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *)) \
    function(int, cairo_image_surface_get_stride, (cairo_surface_t *)) \
    function(cairo_surface_t *, cairo_svg_surface_create_for_stream, (cairo_write_func_t, void *, double, double)) \
    function(void, cairo_svg_surface_set_document_unit, (cairo_surface_t *, cairo_svg_unit_t)) \
    function(cairo_status_t, cairo_surface_write_to_png_stream, (cairo_surface_t *, cairo_write_func_t, void *)) \
    function(cairo_status_t, cairo_surface_status, (cairo_surface_t *)) \
    function(void, cairo_surface_finish, (cairo_surface_t *)) \
    function(void, cairo_surface_flush, (cairo_surface_t *)) \
    function(void, cairo_surface_mark_dirty, (cairo_surface_t *)) \
    function(void, cairo_surface_destroy, (cairo_surface_t *)) \
    function(cairo_t *, cairo_create, (cairo_surface_t *)) \
    function(void, cairo_destroy, (cairo_t *)) \
    function(cairo_status_t, cairo_status, (cairo_t *)) \
    function(const char *, cairo_status_to_string, (cairo_status_t)) \
    function(void, cairo_save, (cairo_t *)) \
    function(void, cairo_restore, (cairo_t *)) \
    function(void, cairo_translate, (cairo_t *, double, double)) \
    function(void, cairo_scale, (cairo_t *, double, double)) \
    function(void, cairo_clip, (cairo_t *)) \
    function(void, cairo_set_source_rgba, (cairo_t *, double, double, double, double)) \
    function(void, cairo_set_source_surface, (cairo_t *, cairo_surface_t *, double, double)) \
    function(cairo_pattern_t *, cairo_get_source, (cairo_t *)) \
    function(void, cairo_pattern_set_filter, (cairo_pattern_t *, cairo_filter_t)) \
    function(void, cairo_rectangle, (cairo_t *, double, double, double, double)) \
    function(void, cairo_arc, (cairo_t *, double, double, double, double, double)) \
    function(void, cairo_move_to, (cairo_t *, double, double)) \
    function(void, cairo_new_path, (cairo_t *)) \
    function(void, cairo_new_sub_path, (cairo_t *)) \
    function(void, cairo_close_path, (cairo_t *)) \
    function(void, cairo_fill, (cairo_t *)) \
    function(cairo_font_options_t *, cairo_font_options_create, (void)) \
    function(void, cairo_font_options_set_antialias, (cairo_font_options_t *, cairo_antialias_t)) \
    function(void, cairo_font_options_set_hint_style, (cairo_font_options_t *, cairo_hint_style_t)) \
    function(void, cairo_font_options_set_hint_metrics, (cairo_font_options_t *, cairo_hint_metrics_t)) \
    function(void, cairo_font_options_destroy, (cairo_font_options_t *)) \
    function(void, cairo_set_font_options, (cairo_t *, const cairo_font_options_t *)) \
    function(PangoLayout *, pango_cairo_create_layout, (cairo_t *)) \
    function(void, pango_cairo_show_layout, (cairo_t *, PangoLayout *)) \
    function(PangoContext *, pango_layout_get_context, (PangoLayout *)) \
    function(void, pango_context_set_round_glyph_positions, (PangoContext *, gboolean)) \
    function(void, pango_layout_context_changed, (PangoLayout *)) \
    function(void, pango_layout_set_text, (PangoLayout *, const char *, int)) \
    function(void, pango_layout_set_font_description, (PangoLayout *, const PangoFontDescription *)) \
    function(void, pango_layout_set_single_paragraph_mode, (PangoLayout *, gboolean)) \
    function(void, pango_layout_set_width, (PangoLayout *, int)) \
    function(void, pango_layout_set_ellipsize, (PangoLayout *, PangoEllipsizeMode)) \
    function(gboolean, pango_layout_is_ellipsized, (PangoLayout *)) \
    function(int, pango_layout_get_baseline, (PangoLayout *)) \
    function(void, pango_layout_get_extents, (PangoLayout *, PangoRectangle *, PangoRectangle *)) \
    function(int, pango_layout_get_unknown_glyphs_count, (PangoLayout *)) \
    function(PangoFontDescription *, pango_font_description_new, (void)) \
    function(void, pango_font_description_set_family, (PangoFontDescription *, const char *)) \
    function(void, pango_font_description_set_weight, (PangoFontDescription *, PangoWeight)) \
    function(void, pango_font_description_set_absolute_size, (PangoFontDescription *, double)) \
    function(void, pango_font_description_free, (PangoFontDescription *)) \
    function(void, g_object_unref, (gpointer)) \
    function(FcFontSet *, FcConfigGetFonts, (FcConfig *, FcSetName))

/// The functions, each under its own name.
typedef struct {
    PANGO_CAIRO_FUNCTIONS(LIBRARY_FIELD)
} PangoCairoFunctions;

/// The library to load: PangoCairo depends on all the others.
LibraryDescription pango_cairo_description(void);

#pragma clang diagnostic pop

#endif
