// Reserves 1 GiB without using the memory yet, and plays on a device of the real clock: locked RECORDING
//
// The library must lock its own buffers and nothing of the host's, and leave nothing locked when the engine is closed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <woodshed.h>

#define REQUIRE(condition) \
    do { \
        if (!(condition)) fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, woodshed_error_message()), exit(1); \
    } while (0)

// A field of the kernel's account of this process, in kB.
static long kilobytes(const char *field) {
    FILE *file = fopen("/proc/self/status", "r");
    REQUIRE(file);
    char line[256];
    long found = -1;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, field, strlen(field)) == 0) found = strtol(line + strlen(field), NULL, 10);
    }
    fclose(file);
    return found;
}

// Whether this process may lock memory without limit: by RLIMIT_MEMLOCK, or by the capability CAP_IPC_LOCK.
static int may_lock(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return 1;
    FILE *file = fopen("/proc/self/status", "r");
    REQUIRE(file);
    char line[256];
    unsigned long long rights = 0;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "CapEff:", 7) == 0) rights = strtoull(line + 7, NULL, 16);
    }
    fclose(file);
    return rights >> 14 & 1;
}

static void open_slowed(woodshed_engine *engine, woodshed_clip *clip) {
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.start = 0, section.end = 44100, section.passes = 100, section.speed = 0.7;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section, plan.section_count = 1;
    woodshed_player *player;
    REQUIRE(woodshed_player_open(engine, clip, &plan, &player) == WOODSHED_OK);
    REQUIRE(woodshed_player_start(player, WOODSHED_NOW) == WOODSHED_OK);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    const size_t reserved = (size_t)1 << 30;
    char *memory = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    const long before = kilobytes("VmRSS:"), before_files = kilobytes("RssFile:");
    woodshed_engine *engine;
    woodshed_clip *clip;
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.clock = WOODSHED_CLOCK_REAL;
    REQUIRE(woodshed_engine_open("null", &options, &engine) == WOODSHED_OK);
    REQUIRE(woodshed_clip_open(engine, arguments[1], &clip) == WOODSHED_OK);
    open_slowed(engine, clip);
    REQUIRE(woodshed_engine_start(engine) == WOODSHED_OK);
    const long locked = kilobytes("VmLck:");
    // The buffers of a player opened while the engine runs are locked, too.
    open_slowed(engine, clip);
    const long with_second = kilobytes("VmLck:"), resident = kilobytes("VmRSS:"), files = kilobytes("RssFile:");
    REQUIRE(woodshed_engine_close(engine) == WOODSHED_OK);
    REQUIRE(woodshed_clip_close(clip) == WOODSHED_OK);
    const long left = kilobytes("VmLck:");
    printf("locked: %ld kB, %ld kB with a second player, %ld kB after the close; resident: %ld kB more than before, %ld kB of it code\n", locked,
           with_second, left, resident - before, files - before_files);

    REQUIRE(left == 0);
    // A slowed player in stereo has some 10 MB of buffers; with a fifth voice, and separate windows for each voice,
    // the buffers had 14 MB.
    REQUIRE(resident - before < 44 * 1024 && with_second < 44 * 1024);
    if (may_lock()) REQUIRE(locked > 1024 && with_second > locked + 1024);
    else REQUIRE(locked <= 1024);
    return 0;
}
