// Plans transforms with the system's FFTW in a separate thread while the library opens slowed players:
// planner RECORDING RUNS
//
// FFTW's planner and wisdom are state of the whole process. The host's and the library's plans must not disturb each
// other.
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <woodshed.h>

#define REQUIRE(condition) \
    do { \
        if (!(condition)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), _exit(1); \
    } while (0)

// A signal ends a run that hangs for so many seconds.
enum { LONGEST_SECONDS = 300, PLANNED_BEFORE = 20 };

static atomic_bool is_over;
static atomic_int planned;

static void *plan(void *ignored) {
    for (unsigned number = 0; !is_over; number++) {
        const int size = 16 + 2 * (int)(number * 2654435761u % 6000);
        float *frames = fftwf_malloc(sizeof(float) * (size_t)size);
        fftwf_complex *spectrum = fftwf_malloc(sizeof(fftwf_complex) * (size_t)(size / 2 + 1));
        fftwf_plan made = fftwf_plan_dft_r2c_1d(size, frames, spectrum, FFTW_ESTIMATE);
        REQUIRE(made);
        fftwf_destroy_plan(made);
        fftwf_free(frames), fftwf_free(spectrum);
        planned++;
    }
    return ignored;
}

static void play_slowed(const char *recording) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.ends_with_players = 1, options.clock = WOODSHED_CLOCK_VIRTUAL;
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.start = 0, section.end = 4410, section.passes = 1, section.speed = 0.7;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section, plan.section_count = 1;
    woodshed_engine *engine;
    woodshed_clip *clip;
    woodshed_player *player;
    REQUIRE(woodshed_engine_open("null", &options, &engine) == WOODSHED_OK);
    REQUIRE(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    REQUIRE(woodshed_player_open(engine, clip, &plan, &player) == WOODSHED_OK);
    REQUIRE(woodshed_player_start(player, WOODSHED_NOW) == WOODSHED_OK);
    REQUIRE(woodshed_engine_start(engine) == WOODSHED_OK);
    REQUIRE(woodshed_engine_wait(engine) == WOODSHED_OK);
    REQUIRE(woodshed_engine_close(engine) == WOODSHED_OK);
    REQUIRE(woodshed_clip_close(clip) == WOODSHED_OK);
}

static void run(const char *recording, int number) {
    alarm(LONGEST_SECONDS);
    if (number == 0) {
        // Without the thread the host's wisdom does not change while the library plays.
        char *before = fftwf_export_wisdom_to_string();
        play_slowed(recording);
        char *after = fftwf_export_wisdom_to_string();
        REQUIRE(before && after && strcmp(before, after) == 0);
        free(before), free(after);
        return;
    }
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, plan, NULL) == 0);
    while (planned < PLANNED_BEFORE) usleep(100);
    play_slowed(recording);
    is_over = true;
    pthread_join(thread, NULL);
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    // Each run has a separate process, because the library plans each size once.
    int failures = 0;
    const int runs = atoi(arguments[2]);
    for (int number = 0; number < runs && failures == 0; number++) {
        const pid_t child = fork();
        if (child == 0) run(arguments[1], number), _exit(0);
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) failures++;
    }
    printf("planner: %s\n", failures == 0 ? "every run ended" : "a run failed");
    return failures == 0 ? 0 : 1;
}
