// replay LOG              lists the log of the device mapper's target log-writes, a line an entry
// replay LOG DISK A B     writes the entries A to B - 1 to a disk's image
//
// An entry has a number, then "mark" and the mark's text, or the number of sectors written and the place, with "flush"
// if everything written before is on the disk, and "fua" if this entry is. See
// Documentation/admin-guide/device-mapper/log-writes.rst of Linux.
#define _GNU_SOURCE
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH = 1, FUA = 2, DISCARD = 4, MARK = 8, SECTOR = 512, LARGEST = 1 << 16 };
static const uint64_t magic = 0x6a736677736872;
struct head { uint64_t magic, version, entries; uint32_t sector; } __attribute__((packed));
struct entry { uint64_t place, sectors, flags, length; };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void list(uint64_t number, const struct entry *entry, const char *text) {
    printf("%" PRIu64, number);
    if (entry->flags & MARK) printf(" mark %.*s", (int)entry->length, text);
    else printf(" %" PRIu64 " at %" PRIu64, entry->sectors, entry->place);
    if (entry->flags & DISCARD) printf(" discard");
    if (entry->flags & FLUSH) printf(" flush");
    if (entry->flags & FUA) printf(" fua");
    puts("");
}

// Copies sectors from the log to the disk; null bytes if there is no log.
static void copy(int log, off_t from, int disk, const struct entry *entry) {
    static char bytes[LARGEST];
    size_t left = entry->sectors * SECTOR;
    off_t to = (off_t)entry->place * SECTOR;
    while (left > 0) {
        const size_t count = left < sizeof bytes ? left : sizeof bytes;
        if (log < 0) memset(bytes, 0, count);
        else if (pread(log, bytes, count, from) != (ssize_t)count) fail("replay: the log");
        if (pwrite(disk, bytes, count, to) != (ssize_t)count) fail("replay: the disk");
        left -= count;
        from += (off_t)count;
        to += (off_t)count;
    }
}

int main(int count, char **words) {
    if (count != 2 && count != 5) return 64;
    const int log = open(words[1], O_RDONLY), disk = count == 5 ? open(words[2], O_WRONLY) : -1;
    if (log < 0 || (count == 5 && disk < 0)) fail("replay");
    const uint64_t first = count == 5 ? strtoull(words[3], NULL, 10) : 0, end = count == 5 ? strtoull(words[4], NULL, 10) : UINT64_MAX;
    struct head head;
    if (pread(log, &head, sizeof head, 0) != sizeof head) fail("replay: the log");
    if (le64toh(head.magic) != magic || le64toh(head.version) != 1 || le32toh(head.sector) != SECTOR) {
        fprintf(stderr, "replay: %s is no log of version 1 with sectors of %d bytes\n", words[1], SECTOR);
        return 1;
    }
    off_t place = SECTOR;
    for (uint64_t number = 0; number < le64toh(head.entries) && number < end; number++) {
        char sector[SECTOR];
        if (pread(log, sector, sizeof sector, place) != sizeof sector) fail("replay: the log");
        struct entry entry;
        memcpy(&entry, sector, sizeof entry);
        entry = (struct entry){le64toh(entry.place), le64toh(entry.sectors), le64toh(entry.flags), le64toh(entry.length)};
        if (entry.length > SECTOR - sizeof entry) entry.length = SECTOR - sizeof entry;
        place += SECTOR;
        const bool is_discard = (entry.flags & DISCARD) != 0;
        if (disk < 0) list(number, &entry, sector + sizeof entry);
        else if (number >= first) copy(is_discard ? -1 : log, place, disk, &entry);
        if (!is_discard) place += (off_t)entry.sectors * SECTOR;
    }
    return 0;
}
