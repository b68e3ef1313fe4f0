#include "PictureReading.h"

#include <cairo/cairo.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t left;
} Rest;

static cairo_status_t take(void *closure, unsigned char *target, unsigned int count) {
    Rest *rest = closure;
    if (rest->left < count) return CAIRO_STATUS_READ_ERROR;
    memcpy(target, rest->bytes, count);
    rest->bytes += count;
    rest->left -= count;
    return CAIRO_STATUS_SUCCESS;
}

ReadPicture picture_read(const uint8_t *bytes, size_t count) {
    ReadPicture read = {0, 0, NULL};
    Rest rest = {bytes, count};
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(take, &rest);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    if (cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS && data != NULL) {
        read.width = cairo_image_surface_get_width(surface);
        read.height = cairo_image_surface_get_height(surface);
        const size_t line = (size_t)read.width * sizeof *read.pixels;
        const size_t stride = (size_t)cairo_image_surface_get_stride(surface);
        read.pixels = malloc(line * (size_t)read.height);
        for (int y = 0; read.pixels != NULL && y < read.height; y++)
            memcpy(read.pixels + (size_t)y * (size_t)read.width, data + (size_t)y * stride, line);
    }
    cairo_surface_destroy(surface);
    return read;
}
