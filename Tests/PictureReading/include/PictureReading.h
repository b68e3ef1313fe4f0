// PNG files read back by cairo, linked as any program links it, beside the product's table of functions.
#ifndef WOODSHED_PICTUREREADING_H
#define WOODSHED_PICTUREREADING_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int width, height;
    /// From the top left, 0xAARRGGBB; to be passed to `free`. Null if the file is unreadable.
    uint32_t *_Nullable pixels;
} ReadPicture;

/// The pixels of a PNG file's bytes.
ReadPicture picture_read(const uint8_t *_Nonnull bytes, size_t count);

#endif
