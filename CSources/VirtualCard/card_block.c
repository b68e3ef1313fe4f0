#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "card_block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OBJECT_NAME_LIMIT = CARD_NAME_LIMIT + 32 };

static void object_name(char *text, const char *kind, const char *name) {
    snprintf(text, OBJECT_NAME_LIMIT, "/woodshed-%s.%s", kind, name);
}

void card_watch_path(const char *name, char *path, size_t capacity) {
    snprintf(path, capacity, "/dev/shm/woodshed-card.%s", name);
}

bool card_name_is_valid(const char *name) {
    const size_t length = strlen(name);
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return length >= 1 && length <= CARD_NAME_LIMIT && strspn(name, allowed) == length;
}

// Maps a shared object. The creator sets the object's first word when finished. With `byte_count` 0, maps an existing
// object with the object's size.
static int map_object(const char *object, bool creates, size_t *byte_count, void **memory, int *descriptor) {
    const int file = shm_open(object, creates ? O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC : O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return -errno;
    struct stat status;
    int error = creates && ftruncate(file, (off_t)*byte_count) < 0 ? -errno : 0;
    // The creator may not have set the size yet.
    for (int attempt = 0; error == 0; attempt++) {
        if (fstat(file, &status) < 0) error = -errno;
        if (error < 0 || status.st_size > 0) break;
        if (attempt == 1000) error = -ETIMEDOUT;
        usleep(1000);
    }
    if (error == 0) {
        *byte_count = (size_t)status.st_size;
        *memory = mmap(NULL, *byte_count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (*memory == MAP_FAILED) error = -errno;
    }
    if (error < 0) {
        close(file);
        if (creates) shm_unlink(object);
        return error;
    }
    *descriptor = file;
    return 0;
}

static int wait_until_ready(_Atomic uint32_t *is_ready) {
    for (int attempt = 0; !atomic_load(is_ready); attempt++) {
        if (attempt == 1000) return -ETIMEDOUT;
        usleep(1000);
    }
    return 0;
}

static int map_clock(struct clock_block **clock, const char *name) {
    char object[OBJECT_NAME_LIMIT];
    object_name(object, "clock", name);
    size_t byte_count = sizeof(struct clock_block);
    void *memory;
    int file, error = map_object(object, true, &byte_count, &memory, &file);
    if (error == 0) {
        *clock = memory;
        atomic_store(&(*clock)->now, clock_second);
        for (int index = 0; index < CLOCK_SEATS; index++) atomic_store(&(*clock)->seats[index].wake, clock_never);
        atomic_store(&(*clock)->is_ready, 1);
    } else if (error == -EEXIST) {
        error = map_object(object, false, &byte_count, &memory, &file);
        if (error == 0) {
            *clock = memory;
            error = wait_until_ready(&(*clock)->is_ready);
        }
    }
    if (error == 0) close(file);
    return error;
}

static void fill(struct card_block *block, const struct card_settings *settings, int64_t now) {
    block->settings = *settings;
    block->epoch = now;
    block->cable.frame_count = settings->cable_frames;
    block->cable.wire_count = settings->channels_max;
    for (int direction = 0; direction < 2; direction++) {
        atomic_store(&block->directions[direction].gap_start, clock_never);
    }
    atomic_store(&block->is_ready, 1);
}

int virtual_card_create(struct virtual_card **card, const char *name, const struct virtual_card_options *options) {
    struct card_settings *settings = malloc(sizeof *settings);
    struct virtual_card *made = calloc(1, sizeof *made);
    int error = settings && made ? 0 : -ENOMEM;
    if (error == 0) error = card_name_is_valid(name) ? settings_read(settings, options, name) : -EINVAL;
    char object[OBJECT_NAME_LIMIT];
    if (error == 0) {
        made->byte_count = sizeof(struct card_block) - sizeof(struct cable) +
                           cable_byte_count(settings->cable_frames, settings->channels_max);
        object_name(object, "card", name);
        error = map_object(object, true, &made->byte_count, (void **)&made->block, &made->descriptor);
    }
    if (error == 0 && settings->is_virtual) error = map_clock(&made->clock, settings->clock_name);
    if (error == 0) {
        fill(made->block, settings, made->clock ? atomic_load(&made->clock->now) : clock_monotonic());
        *card = made;
    } else if (made && made->block) {
        virtual_card_detach(made);
        shm_unlink(object);
    } else {
        free(made);
    }
    free(settings);
    return error;
}

int virtual_card_attach(struct virtual_card **card, const char *name) {
    if (!card_name_is_valid(name)) return -EINVAL;
    struct virtual_card *found = calloc(1, sizeof *found);
    if (!found) return -ENOMEM;
    char object[OBJECT_NAME_LIMIT];
    object_name(object, "card", name);
    int error = map_object(object, false, &found->byte_count, (void **)&found->block, &found->descriptor);
    if (error < 0) {
        free(found);
        return error;
    }
    error = wait_until_ready(&found->block->is_ready);
    if (error == 0 && found->block->settings.is_virtual) {
        error = map_clock(&found->clock, found->block->settings.clock_name);
    }
    if (error < 0) {
        virtual_card_detach(found);
        return error;
    }
    *card = found;
    return 0;
}

int card_find_or_create(struct virtual_card **card, const char *name, const struct virtual_card_options *options) {
    const int error = options ? virtual_card_create(card, name, options) : -EEXIST;
    return error == -EEXIST ? virtual_card_attach(card, name) : error;
}

void virtual_card_detach(struct virtual_card *card) {
    if (card->clock) munmap(card->clock, sizeof *card->clock);
    munmap(card->block, card->byte_count);
    close(card->descriptor);
    free(card);
}

int virtual_card_remove_clock(const char *name) {
    if (!card_name_is_valid(name)) return -EINVAL;
    char object[OBJECT_NAME_LIMIT];
    object_name(object, "clock", name);
    return shm_unlink(object) < 0 ? -errno : 0;
}

int virtual_card_remove(const char *name) {
    if (!card_name_is_valid(name)) return -EINVAL;
    char object[OBJECT_NAME_LIMIT];
    object_name(object, "card", name);
    const int error = shm_unlink(object) < 0 ? -errno : 0;
    // Removes the card's own clock; cards with a real or a shared clock have none of this name.
    virtual_card_remove_clock(name);
    return error;
}
