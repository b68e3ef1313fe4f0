// Calls every function of woodshed.h with right arguments and with hostile ones: conformance RECORDING OTHER FOLDER
//
// RECORDING has some seconds of sound at 44100 Hz; OTHER is not audio; FOLDER receives the files.
// scripts/tests/test-c.sh builds and runs this file as a program, with the shared library, with and without the address
// sanitizer; CInterfaceTests runs the checks in its own process, so also under the thread sanitizer and the real-time
// sanitizer.
#include "checks.h"
#include "include/CConformance.h"
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static char report[16384];

// As checks.h says.
void report_failure(const char *file, int line, const char *condition) {
    pthread_mutex_lock(&report_lock);
    size_t used = strlen(report);
    snprintf(report + used, sizeof report - used, "%s:%d: %s (%s)\n", file, line, condition, woodshed_error_message());
    pthread_mutex_unlock(&report_lock);
}

static void *const made_up[] = {NULL, (void *)1, (void *)0x7fffdeadbeef, (void *)-1, (void *)16, (void *)17, report};
#define MADE_UP (sizeof made_up / sizeof *made_up)

woodshed_engine *open_null(int clock, int ends) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.clock = clock, options.ends_with_players = ends;
    woodshed_engine *engine = NULL;
    EXPECT(woodshed_engine_open("null", &options, &engine) == WOODSHED_OK);
    return engine;
}

// ---- Handles ----

static void refuse_handle(void *handle, const char *recording) {
    woodshed_engine *engine = handle;
    woodshed_clip *clip = handle;
    woodshed_player *player = handle;
    woodshed_listener *listener = handle;
    woodshed_device_list *list = handle;
    woodshed_configuration configuration = WOODSHED_CONFIGURATION_INIT;
    woodshed_position position = WOODSHED_POSITION_INIT;
    woodshed_statistics statistics = WOODSHED_STATISTICS_INIT;
    woodshed_clip_info info = WOODSHED_CLIP_INFO_INIT;
    woodshed_player_status status = WOODSHED_PLAYER_STATUS_INIT;
    float samples[4] = {0}, *buffers[2] = {samples, samples};
    const float *sources[1] = {samples};
    int64_t frames = 7;
    int32_t descriptor;
    const woodshed_event *event;
    INVALID(woodshed_engine_start(engine));
    INVALID(woodshed_engine_wait(engine));
    INVALID(woodshed_engine_stop(engine));
    INVALID(woodshed_engine_get_configuration(engine, &configuration));
    INVALID(woodshed_engine_get_position(engine, &position));
    INVALID(woodshed_engine_get_statistics(engine, &statistics));
    EXPECT(woodshed_engine_render(engine, buffers, 4, 0) == -1);
    woodshed_clip *new_clip = (woodshed_clip *)1;
    INVALID(woodshed_clip_open(engine, recording, &new_clip));
    EXPECT(new_clip == NULL);
    new_clip = (woodshed_clip *)1;
    INVALID(woodshed_clip_open_memory(engine, sources, 1, 4, &new_clip));
    EXPECT(new_clip == NULL);
    INVALID(woodshed_clip_get_info(clip, &info));
    INVALID(woodshed_plan_get_frames(NULL, clip, &frames));
    EXPECT(frames == 7);
    woodshed_player *new_player = (woodshed_player *)1;
    INVALID(woodshed_player_open(engine, clip, NULL, &new_player));
    EXPECT(new_player == NULL);
    INVALID(woodshed_player_start(player, 0));
    INVALID(woodshed_player_start_in(player, 1, -1, 0));
    INVALID(woodshed_player_pause(player, 0));
    INVALID(woodshed_player_resume(player, 0));
    INVALID(woodshed_player_stop(player, 0));
    INVALID(woodshed_player_seek(player, 0, 0));
    INVALID(woodshed_player_skip(player, 1, 0));
    INVALID(woodshed_player_set_speed(player, 1, -1, 0));
    INVALID(woodshed_player_set_pitch(player, 0, 0));
    INVALID(woodshed_player_set_gain(player, 0, 0));
    INVALID(woodshed_player_set_strip(player, NULL, 0));
    INVALID(woodshed_player_set_reversed(player, 1, 0));
    INVALID(woodshed_player_set_plan(player, NULL, 0));
    INVALID(woodshed_player_freeze(player, 0));
    INVALID(woodshed_player_unfreeze(player, 0));
    INVALID(woodshed_player_prepare(player));
    INVALID(woodshed_player_get_status(player, &status));
    INVALID(woodshed_player_get_heard_frame(player, 0, &frames));
    INVALID(woodshed_player_take_peaks(player, samples, 2));
    woodshed_listener *new_listener = (woodshed_listener *)1;
    // Without an engine the listener is a queue for answers.
    if (engine) INVALID(woodshed_listener_open(engine, 0, &new_listener));
    EXPECT(!engine || new_listener == NULL);
    INVALID(woodshed_listener_next(listener, 0, &event));
    EXPECT(event == NULL);
    INVALID(woodshed_listener_get_descriptor(listener, &descriptor));
    INVALID(woodshed_listener_set_callback(listener, NULL, NULL));
    woodshed_recorder *recorder = handle;
    woodshed_waveform *waveform = handle;
    woodshed_recorder_status recorder_status = WOODSHED_RECORDER_STATUS_INIT;
    woodshed_take take = WOODSHED_TAKE_INIT;
    woodshed_level levels[2];
    woodshed_column columns[2];
    INVALID(woodshed_recorder_arm(recorder));
    INVALID(woodshed_recorder_record(recorder, "x.wav", NULL));
    INVALID(woodshed_recorder_pause(recorder));
    INVALID(woodshed_recorder_resume(recorder));
    INVALID(woodshed_recorder_mark(recorder, "x"));
    INVALID(woodshed_recorder_stop(recorder, &take));
    INVALID(woodshed_recorder_discard(recorder));
    INVALID(woodshed_recorder_get_status(recorder, &recorder_status));
    INVALID(woodshed_recorder_get_levels(recorder, levels, 2));
    new_listener = (woodshed_listener *)1;
    INVALID(woodshed_listener_open_recorder(recorder, 0, &new_listener));
    EXPECT(new_listener == NULL);
    INVALID(woodshed_waveform_get_columns(waveform, 0, 1, 0, columns, 2));
    INVALID(woodshed_waveform_get_frames(waveform, &frames));
    woodshed_store *store = handle;
    woodshed_section_list *sections = handle, *new_sections = handle;
    int32_t id = 7;
    INVALID(woodshed_section_list_open(store, recording, &new_sections));
    EXPECT(new_sections == NULL);
    INVALID(woodshed_store_add_section(store, recording, 0, 1, NULL, NULL, &id));
    EXPECT(id == 7);
    INVALID(woodshed_store_mark(store, recording, 1, NULL));
    INVALID(woodshed_store_move_section(store, recording, 1, 0, 1));
    INVALID(woodshed_store_rename_section(store, recording, 1, "x"));
    INVALID(woodshed_store_remove_section(store, recording, 1));
    INVALID(woodshed_store_undo(store, recording));
    INVALID(woodshed_store_redo(store, recording));
    EXPECT(woodshed_section_list_count(sections) == 0);
    EXPECT(woodshed_section_list_at(sections, 0) == NULL);
    int64_t clip_frame = 7;
    INVALID(woodshed_clip_get_frame_of_file(clip, 0, &clip_frame));
    EXPECT(woodshed_device_list_count(list) == 0);
    EXPECT(woodshed_device_list_at(list, 0) == NULL);
    // NULL is nothing to close.
    woodshed_status wanted = handle == NULL ? WOODSHED_OK : WOODSHED_INVALID;
    EXPECT(woodshed_engine_close(engine) == wanted);
    EXPECT(woodshed_clip_close(clip) == wanted);
    EXPECT(woodshed_player_close(player) == wanted);
    EXPECT(woodshed_listener_close(listener) == wanted);
    EXPECT(woodshed_device_list_close(list) == wanted);
    EXPECT(woodshed_recorder_close(recorder) == wanted);
    EXPECT(woodshed_waveform_close(waveform) == wanted);
    EXPECT(woodshed_store_close(store) == wanted);
    EXPECT(woodshed_section_list_close(sections) == wanted);
}

static void test_handles(const char *recording) {
    for (size_t index = 0; index < MADE_UP; index++) {
        refuse_handle(made_up[index], recording);
        refuse_session_handle(made_up[index], recording);
        refuse_request_handle(made_up[index], recording);
    }
    // Closed handles, and handles of another kind.
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    INVALID(woodshed_engine_start((woodshed_engine *)clip));
    INVALID(woodshed_clip_close((woodshed_clip *)engine));
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    refuse_handle(engine, recording);
    refuse_handle(clip, recording);
    refuse_session_handle(clip, recording);
    refuse_request_handle(clip, recording);
    // Many, opened and closed: each is another number.
    woodshed_engine *owner = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    void *previous = NULL;
    for (int turn = 0; turn < 2000; turn++) {
        woodshed_listener *listener;
        EXPECT(woodshed_listener_open(owner, 16, &listener) == WOODSHED_OK);
        EXPECT((void *)listener != previous);
        previous = listener;
        EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
        INVALID(woodshed_listener_close(listener));
    }
    EXPECT(woodshed_engine_close(owner) == WOODSHED_OK);
}

// ---- Arguments ----

static void test_places_for_results(const char *recording) {
    INVALID(woodshed_engine_open("null", NULL, NULL));
    INVALID(woodshed_engine_open_pulled(NULL, NULL));
    INVALID(woodshed_device_list_open(NULL));
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    woodshed_player *player;
    woodshed_listener *listener;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_player_open(engine, clip, NULL, &player) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &listener) == WOODSHED_OK);
    INVALID(woodshed_engine_get_configuration(engine, NULL));
    INVALID(woodshed_engine_get_position(engine, NULL));
    INVALID(woodshed_engine_get_statistics(engine, NULL));
    INVALID(woodshed_clip_open(engine, recording, NULL));
    woodshed_clip *other = (woodshed_clip *)1;
    INVALID(woodshed_clip_open(engine, NULL, &other));
    EXPECT(other == NULL);
    INVALID(woodshed_clip_open_memory(engine, NULL, 1, 1, &other));
    const float samples[4] = {0, 0.5f, NAN, -1}, *sources[1] = {samples};
    EXPECT(woodshed_clip_open_memory(engine, sources, 1, 4, &other) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(other) == WOODSHED_OK);
    INVALID(woodshed_clip_get_info(clip, NULL));
    INVALID(woodshed_plan_get_frames(NULL, clip, NULL));
    INVALID(woodshed_player_open(engine, clip, NULL, NULL));
    INVALID(woodshed_player_get_status(player, NULL));
    INVALID(woodshed_player_get_heard_frame(player, 0, NULL));
    INVALID(woodshed_player_take_peaks(player, NULL, 1));
    INVALID(woodshed_listener_open(engine, 0, NULL));
    INVALID(woodshed_listener_next(listener, 0, NULL));
    INVALID(woodshed_listener_get_descriptor(listener, NULL));
    INVALID(woodshed_listener_set_callback(listener, NULL, NULL));
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

static void test_options(const char *other, const char *folder) {
    woodshed_engine *engine;
    static const struct { size_t offset; int32_t value; } bad[] = {
        {offsetof(woodshed_engine_options, sample_rate), 7999}, {offsetof(woodshed_engine_options, sample_rate), INT32_MIN},
        {offsetof(woodshed_engine_options, channels), 65}, {offsetof(woodshed_engine_options, channels), -1},
        {offsetof(woodshed_engine_options, period_frames), 8193}, {offsetof(woodshed_engine_options, period_frames), -1},
        {offsetof(woodshed_engine_options, periods), 1}, {offsetof(woodshed_engine_options, periods), 17},
        {offsetof(woodshed_engine_options, priority), 100}, {offsetof(woodshed_engine_options, priority), -2},
        {offsetof(woodshed_engine_options, clock), 3}, {offsetof(woodshed_engine_options, clock), -1},
        {offsetof(woodshed_engine_options, on_loss), 3}, {offsetof(woodshed_engine_options, samples), 8},
        {offsetof(woodshed_engine_options, samples), 16}, // not for "null"
    };
    for (size_t index = 0; index < sizeof bad / sizeof *bad; index++) {
        woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
        memcpy((char *)&options + bad[index].offset, &bad[index].value, sizeof(int32_t));
        engine = (woodshed_engine *)1;
        INVALID(woodshed_engine_open("null", &options, &engine));
        EXPECT(engine == NULL);
    }
    INVALID(woodshed_engine_open(NULL, NULL, &engine));
    REFUSED(woodshed_engine_open("", NULL, &engine));
    REFUSED(woodshed_engine_open("no such device \xff", NULL, &engine));
    char text[4096];
    snprintf(text, sizeof text, "file:%s/no such folder/x.wav", folder);
    EXPECT(woodshed_engine_open(text, NULL, &engine) == WOODSHED_CANNOT_CREATE);
    snprintf(text, sizeof text, "file:%s/x.m4a", folder);
    REFUSED(woodshed_engine_open(text, NULL, &engine));

    engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip = (woodshed_clip *)1;
    EXPECT(woodshed_clip_open(engine, other, &clip) == WOODSHED_BAD_DATA);
    EXPECT(clip == NULL);
    EXPECT(woodshed_clip_open(engine, "/no/such/file", &clip) == WOODSHED_NOT_FOUND);
    EXPECT(woodshed_clip_open(engine, folder, &clip) == WOODSHED_BAD_DATA);
    EXPECT(woodshed_clip_open(engine, "/dev/null", &clip) == WOODSHED_BAD_DATA);
    const float samples[2] = {0, NAN}, *sources[2] = {samples, NULL};
    INVALID(woodshed_clip_open_memory(engine, sources, 0, 2, &clip));
    INVALID(woodshed_clip_open_memory(engine, sources, 65, 2, &clip));
    INVALID(woodshed_clip_open_memory(engine, sources, 2, 2, &clip));
    INVALID(woodshed_clip_open_memory(engine, sources, 1, 0, &clip));
    INVALID(woodshed_clip_open_memory(engine, sources, 1, INT64_MAX, &clip));
    // A clip of an engine with another rate.
    woodshed_engine_options faster = WOODSHED_ENGINE_OPTIONS_INIT;
    faster.sample_rate = 96000;
    woodshed_engine *fast;
    EXPECT(woodshed_engine_open("null", &faster, &fast) == WOODSHED_OK);
    EXPECT(woodshed_clip_open_memory(fast, sources, 1, 2, &clip) == WOODSHED_OK);
    woodshed_player *player = (woodshed_player *)1;
    INVALID(woodshed_player_open(engine, clip, NULL, &player));
    woodshed_session *session = (woodshed_session *)1;
    INVALID(woodshed_session_open(engine, clip, NULL, NULL, &session));
    EXPECT(player == NULL && session == NULL && strstr(woodshed_error_message(), "96000 Hz"));
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(fast) == WOODSHED_OK);
    woodshed_listener *listener;
    INVALID(woodshed_listener_open(engine, 15, &listener));
    INVALID(woodshed_listener_open(engine, INT32_MAX, &listener));
    INVALID(woodshed_listener_open(engine, -1, &listener));
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
}

static void test_sizes(void) {
    woodshed_engine *engine;
    // Without the macro.
    woodshed_engine_options options;
    memset(&options, 0, sizeof options);
    INVALID(woodshed_engine_open("null", &options, &engine));
    options.size = 4097;
    INVALID(woodshed_engine_open("null", &options, &engine));
    options.size = UINT32_MAX;
    INVALID(woodshed_engine_open("null", &options, &engine));
    // A later version, with unused fields, and with a used field.
    struct { woodshed_engine_options known; int64_t later[4]; } wide;
    memset(&wide, 0, sizeof wide);
    wide.known.size = sizeof wide;
    wide.known.sample_rate = 44100;
    EXPECT(woodshed_engine_open("null", &wide.known, &engine) == WOODSHED_OK);
    // An earlier version, which has fewer fields.
    struct { woodshed_configuration known; int32_t guard; } narrow;
    memset(&narrow, 0x55, sizeof narrow);
    narrow.known.size = 12;
    EXPECT(woodshed_engine_get_configuration(engine, &narrow.known) == WOODSHED_OK);
    EXPECT(narrow.known.size == 12 && narrow.known.sample_rate == 44100 && narrow.known.channels == 2);
    EXPECT(narrow.known.period_frames == 0x55555555 && narrow.guard == 0x55555555);
    struct { woodshed_configuration known; int32_t later[4], guard; } long_one;
    memset(&long_one, 0x55, sizeof long_one);
    long_one.known.size = sizeof long_one.known + sizeof long_one.later;
    EXPECT(woodshed_engine_get_configuration(engine, &long_one.known) == WOODSHED_OK);
    EXPECT(long_one.known.buffer_frames == 768 && long_one.later[3] == 0 && long_one.guard == 0x55555555);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    wide.later[3] = 1;
    INVALID(woodshed_engine_open("null", &wide.known, &engine));
    EXPECT(engine == NULL);
}

static void test_plans(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    woodshed_clip_info info = WOODSHED_CLIP_INFO_INIT;
    EXPECT(woodshed_clip_get_info(clip, &info) == WOODSHED_OK);
    EXPECT(info.sample_rate == 44100 && info.frames > 0 && info.channels > 0 && strlen(info.container) > 0 && info.codec);
    int64_t clip_frame = 7;
    EXPECT(woodshed_clip_get_frame_of_file(clip, 1000, &clip_frame) == WOODSHED_OK && clip_frame == 1000);
    INVALID(woodshed_clip_get_frame_of_file(clip, -1, &clip_frame));
    INVALID(woodshed_clip_get_frame_of_file(clip, INT64_MAX, &clip_frame));
    INVALID(woodshed_clip_get_frame_of_file(clip, 1000, NULL));
    // A refusal leaves the place unwritten.
    EXPECT(clip_frame == 1000);
    EXPECT(woodshed_clip_get_frame_of_file(clip, info.file_frames, &clip_frame) == WOODSHED_OK && clip_frame == info.frames);
    int64_t frames;
    EXPECT(woodshed_plan_get_frames(NULL, clip, &frames) == WOODSHED_OK && frames == info.frames);
    woodshed_section sections[2] = {WOODSHED_SECTION_INIT, WOODSHED_SECTION_INIT};
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = sections, plan.section_count = 2, plan.joint = WOODSHED_JOINT_HARD;
    sections[0].start = 1000, sections[0].end = 3000, sections[0].passes = 3;
    sections[1].start = 0, sections[1].end = 500;
    EXPECT(woodshed_plan_get_frames(&plan, clip, &frames) == WOODSHED_OK && frames == 6500);
    plan.gap_frames = 100;
    EXPECT(woodshed_plan_get_frames(&plan, clip, &frames) == WOODSHED_OK && frames == 6800);
    plan.gap_frames = 0, plan.gap_passes = 1;
    EXPECT(woodshed_plan_get_frames(&plan, clip, &frames) == WOODSHED_OK && frames == 12500);
    plan.gap_passes = 0, plan.speed = 0.5;
    EXPECT(woodshed_plan_get_frames(&plan, clip, &frames) == WOODSHED_OK && frames == 13000);
    plan.passes = WOODSHED_ENDLESS;
    EXPECT(woodshed_plan_get_frames(&plan, clip, &frames) == WOODSHED_OK && frames == -1);
    plan.passes = 0;

    const double wrong[] = {NAN, INFINITY, -INFINITY, -1, 0.2, 4.1, 1e300};
    for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
        woodshed_plan bad = plan;
        bad.speed = wrong[index];
        REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
        woodshed_section worse[2] = {sections[0], sections[1]};
        worse[1].speed = wrong[index];
        bad = plan, bad.sections = worse;
        REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
        bad = plan, bad.speed_to = wrong[index], bad.speed_step = 0.1;
        REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
        if (wrong[index] < -0.5 || isnan(wrong[index]) || wrong[index] > 1e6) {
            bad = plan, bad.gap_passes = wrong[index];
            REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
            bad = plan, bad.semitones = wrong[index] * 25;
            REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
        }
    }
    const int64_t bounds[][2] = {{0, 0}, {5, 4}, {-1, 5}, {0, INT64_MAX}, {INT64_MIN, INT64_MAX}, {INT64_MAX, INT64_MIN}};
    for (size_t index = 0; index < sizeof bounds / sizeof *bounds; index++) {
        woodshed_section bad = sections[0];
        bad.start = bounds[index][0], bad.end = bounds[index][1];
        woodshed_plan one = WOODSHED_PLAN_INIT;
        one.sections = &bad, one.section_count = 1;
        REFUSED(woodshed_plan_get_frames(&one, clip, &frames));
    }
    woodshed_plan bad = plan;
    bad.joint = 3;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    bad = plan, bad.material = -1;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    bad = plan, bad.passes = -2;
    REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
    bad = plan, bad.gap_frames = -1;
    REFUSED(woodshed_plan_get_frames(&bad, clip, &frames));
    bad = plan, bad.sections = NULL;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    bad = plan, bad.section_count = SIZE_MAX;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    woodshed_section unsized = sections[0];
    unsized.size = 0;
    bad = plan, bad.sections = &unsized, bad.section_count = 1;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    woodshed_section named = sections[0];
    named.name = "\xff\xfe";
    bad.sections = &named;
    bad.formants = 3;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    bad.formants = 0;
    INVALID(woodshed_plan_get_frames(&bad, clip, &frames));
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
}

static void test_requests(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 0);
    woodshed_clip *clip;
    woodshed_player *player;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_player_open(engine, clip, NULL, &player) == WOODSHED_OK);
    INVALID(woodshed_player_start(player, -2));
    INVALID(woodshed_player_start(player, INT64_MIN));
    REFUSED(woodshed_player_start_in(player, 0, -1, WOODSHED_NOW));
    REFUSED(woodshed_player_start_in(player, 2, -1, WOODSHED_NOW));
    REFUSED(woodshed_player_start_in(player, 1, INT64_MAX, WOODSHED_NOW));
    REFUSED(woodshed_player_seek(player, INT64_MAX, WOODSHED_NOW));
    REFUSED(woodshed_player_seek(player, -1, WOODSHED_NOW));
    REFUSED(woodshed_player_skip(player, INT32_MIN, WOODSHED_NOW));
    REFUSED(woodshed_player_set_speed(player, NAN, -1, WOODSHED_NOW));
    REFUSED(woodshed_player_set_speed(player, 1, -2, WOODSHED_NOW));
    REFUSED(woodshed_player_set_pitch(player, NAN, WOODSHED_NOW));
    REFUSED(woodshed_player_set_pitch(player, 25, WOODSHED_NOW));
    INVALID(woodshed_player_set_gain(player, NAN, WOODSHED_NOW));
    INVALID(woodshed_player_set_gain(player, 61, WOODSHED_NOW));
    woodshed_strip strip = WOODSHED_STRIP_INIT;
    strip.balance = NAN;
    REFUSED(woodshed_player_set_strip(player, &strip, WOODSHED_NOW));
    strip.balance = 0, strip.low_decibels = 13;
    REFUSED(woodshed_player_set_strip(player, &strip, WOODSHED_NOW));
    strip.low_decibels = 0, strip.left_channel = INT32_MIN;
    REFUSED(woodshed_player_set_strip(player, &strip, WOODSHED_NOW));
    strip.left_channel = 99, strip.right_channel = 1;
    REFUSED(woodshed_player_set_strip(player, &strip, WOODSHED_NOW));
    strip.left_channel = 2, strip.centre = 3;
    INVALID(woodshed_player_set_strip(player, &strip, WOODSHED_NOW));
    INVALID(woodshed_player_set_strip(player, &strip, -2));
    float peaks[9];
    INVALID(woodshed_player_take_peaks(player, peaks, 9));
    // Correct arguments only.
    EXPECT(woodshed_player_prepare(player) == WOODSHED_OK);
    EXPECT(woodshed_player_start_in(player, 1, 100, WOODSHED_NOW) == WOODSHED_OK);
    EXPECT(woodshed_player_start(player, 0) == WOODSHED_OK);
    EXPECT(woodshed_player_set_gain(player, -INFINITY, WOODSHED_NOW) == WOODSHED_OK);
    EXPECT(woodshed_player_set_gain(player, 0, 10) == WOODSHED_OK);
    strip.centre = WOODSHED_CENTRE_REMOVED, strip.balance = -0.5, strip.mid_decibels = 6;
    EXPECT(woodshed_player_set_strip(player, &strip, 15) == WOODSHED_OK);
    EXPECT(woodshed_player_set_strip(player, NULL, 16) == WOODSHED_OK);
    EXPECT(woodshed_player_set_speed(player, 0.7, 0, 20) == WOODSHED_OK);
    EXPECT(woodshed_player_set_pitch(player, 2, 30) == WOODSHED_OK);
    EXPECT(woodshed_player_seek(player, 2000, 4000) == WOODSHED_OK);
    EXPECT(woodshed_player_skip(player, 1, 5000) == WOODSHED_OK);
    EXPECT(woodshed_player_set_reversed(player, 1, 6000) == WOODSHED_OK);
    EXPECT(woodshed_player_set_reversed(player, 0, 7000) == WOODSHED_OK);
    EXPECT(woodshed_player_freeze(player, 8000) == WOODSHED_OK);
    EXPECT(woodshed_player_unfreeze(player, 9000) == WOODSHED_OK);
    EXPECT(woodshed_player_pause(player, 10000) == WOODSHED_OK);
    EXPECT(woodshed_player_resume(player, 11000) == WOODSHED_OK);
    EXPECT(woodshed_player_set_plan(player, NULL, 12000) == WOODSHED_OK);
    EXPECT(woodshed_player_stop(player, 20000) == WOODSHED_OK);
    woodshed_listener *listener;
    EXPECT(woodshed_listener_open(engine, 0, &listener) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    const woodshed_event *event;
    int seen[32] = {0};
    do {
        EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK);
        EXPECT(event->size >= sizeof *event && event->kind >= 0 && event->kind < 32);
        if (event->kind == WOODSHED_EVENT_NONE) break;
        EXPECT(event->player == player && event->events_lost == 0);
        seen[event->kind & 31]++;
    } while (event->kind != WOODSHED_EVENT_FINISHED);
    EXPECT(seen[WOODSHED_EVENT_STARTED] && seen[WOODSHED_EVENT_MOVED] && seen[WOODSHED_EVENT_SPEED_CHANGED]);
    EXPECT(seen[WOODSHED_EVENT_FROZEN] == 1 && seen[WOODSHED_EVENT_UNFROZEN] == 1);
    EXPECT(seen[WOODSHED_EVENT_PAUSED] == 1 && seen[WOODSHED_EVENT_RESUMED] == 1 && seen[WOODSHED_EVENT_FINISHED] == 1);
    EXPECT(event->data.finished.finish == WOODSHED_FINISH_STOPPED && event->data.finished.failure.message == NULL);
    EXPECT(event->data.place.section == 1 && event->frame > 20000 && event->frame < 20500);
    woodshed_player_status status = WOODSHED_PLAYER_STATUS_INIT;
    EXPECT(woodshed_player_get_status(player, &status) == WOODSHED_OK && status.state == WOODSHED_PLAYER_FINISHED);
    EXPECT(woodshed_player_take_peaks(player, peaks, 8) == WOODSHED_OK && peaks[0] > 0 && peaks[0] <= 1.5);
    int64_t heard;
    EXPECT(woodshed_player_get_heard_frame(player, 100, &heard) == WOODSHED_OK && heard >= 0);
    const int64_t never[] = {-1, INT64_MIN, INT64_MAX};
    for (size_t index = 0; index < sizeof never / sizeof *never; index++)
        EXPECT(woodshed_player_get_heard_frame(player, never[index], &heard) == WOODSHED_OK && heard == -1);
    INVALID(woodshed_player_take_peaks(player, peaks, (size_t)-1));
    woodshed_position position = WOODSHED_POSITION_INIT;
    // The end is reported when rendered; the file is complete a moment later.
    for (int turn = 0; turn < PATIENCE * 200 && position.written <= 20000; turn++) {
        EXPECT(woodshed_engine_get_position(engine, &position) == WOODSHED_OK);
        if (position.written <= 20000) usleep(5000);
    }
    EXPECT(position.written > 20000);
    woodshed_statistics statistics = WOODSHED_STATISTICS_INIT;
    EXPECT(woodshed_engine_get_statistics(engine, &statistics) == WOODSHED_OK && statistics.blocks > 10 && statistics.xruns == 0);
    REFUSED(woodshed_engine_start(engine));
    EXPECT(woodshed_player_close(player) == WOODSHED_OK);
    EXPECT(woodshed_engine_stop(engine) == WOODSHED_OK);
    EXPECT(woodshed_engine_wait(engine) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_listener_next(listener, 0, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_CLOSED);
    // The listener reports the end once, and then nothing waits.
    EXPECT(woodshed_listener_next(listener, -1, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_NONE);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

// ---- Events ----

struct called {
    woodshed_listener *listener;
    pthread_t thread;
    // The thread of a listener writes these fields while the test reads.
    atomic_int count, is_closed;
    int closes_itself;
};

static void note(void *context, const woodshed_event *event) {
    struct called *called = context;
    called->thread = pthread_self();
    called->count++;
    if (event->kind == WOODSHED_EVENT_CLOSED) called->is_closed = 1;
    if (called->closes_itself) EXPECT(woodshed_listener_close(called->listener) == WOODSHED_OK);
}

struct closing {
    woodshed_listener *listener;
    pthread_barrier_t *both;
    // The other callback may still run when the test frees this one, so the test waits for both.
    atomic_int is_done;
};

static void close_other(void *context, const woodshed_event *event) {
    struct closing *closing = context;
    (void)event;
    pthread_barrier_wait(closing->both);
    EXPECT(woodshed_listener_close(closing->listener) == WOODSHED_OK);
    closing->is_done = 1;
}

static void test_mutual_close(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    woodshed_player *player;
    woodshed_listener *listeners[2];
    pthread_barrier_t both;
    EXPECT(pthread_barrier_init(&both, NULL, 2) == 0);
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    for (int index = 0; index < 2; index++) EXPECT(woodshed_listener_open(engine, 0, &listeners[index]) == WOODSHED_OK);
    struct closing closing[2] = {{listeners[1], &both, 0}, {listeners[0], &both, 0}};
    for (int index = 0; index < 2; index++)
        EXPECT(woodshed_listener_set_callback(listeners[index], close_other, &closing[index]) == WOODSHED_OK);
    EXPECT(woodshed_player_open(engine, clip, NULL, &player) == WOODSHED_OK);
    EXPECT(woodshed_player_start(player, WOODSHED_NOW) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    for (int index = 0; index < 2; index++) {
        for (int turn = 0; turn < PATIENCE * 200 && !closing[index].is_done; turn++) usleep(5000);
        EXPECT(closing[index].is_done);
    }
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(pthread_barrier_destroy(&both) == 0);
}

static void test_listeners(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    woodshed_player *player;
    woodshed_listener *small, *polled, *called_one, *closing;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 16, &small) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &polled) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &called_one) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &closing) == WOODSHED_OK);
    struct called called = {called_one, pthread_self(), 0, 0, 0}, itself = {closing, pthread_self(), 0, 0, 1};
    EXPECT(woodshed_listener_set_callback(called_one, note, &called) == WOODSHED_OK);
    EXPECT(woodshed_listener_set_callback(closing, note, &itself) == WOODSHED_OK);
    INVALID(woodshed_listener_set_callback(called_one, note, &called));
    const woodshed_event *event;
    INVALID(woodshed_listener_next(called_one, 0, &event));
    INVALID(woodshed_listener_next(polled, NAN, &event));
    EXPECT(woodshed_listener_next(polled, 0, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_NONE);
    EXPECT(woodshed_listener_next(polled, 0.01, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_NONE);
    int32_t descriptor;
    EXPECT(woodshed_listener_get_descriptor(polled, &descriptor) == WOODSHED_OK);
    struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
    EXPECT(poll(&waiting, 1, 0) == 0);

    woodshed_section section = WOODSHED_SECTION_INIT;
    section.start = 1000, section.end = 2000, section.passes = 100;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section, plan.section_count = 1;
    EXPECT(woodshed_player_open(engine, clip, &plan, &player) == WOODSHED_OK);
    EXPECT(woodshed_player_start(player, WOODSHED_NOW) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    EXPECT(woodshed_engine_wait(engine) == WOODSHED_OK);
    EXPECT(poll(&waiting, 1, (int)(PATIENCE * 1000)) == 1);
    int passes = 0;
    while (woodshed_listener_next(polled, 0, &event) == WOODSHED_OK && event->kind != WOODSHED_EVENT_NONE)
        if (event->kind == WOODSHED_EVENT_PASS_STARTED) EXPECT(event->data.place.pass == ++passes && event->data.place.passes == 100);
    EXPECT(passes == 100);
    EXPECT(poll(&waiting, 1, 0) == 0);
    for (int taken = 0; taken < 16; taken++) {
        EXPECT(woodshed_listener_next(small, 0, &event) == WOODSHED_OK && event->kind != WOODSHED_EVENT_NONE);
        EXPECT(event->kind != WOODSHED_EVENT_FINISHED);
    }
    // The listener counts events without room, but keeps the end.
    EXPECT(woodshed_listener_next(small, 0, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_FINISHED);
    EXPECT(event->events_lost > 180 && event->player == player);
    EXPECT(woodshed_listener_next(small, 0, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_NONE);

    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    INVALID(woodshed_player_stop(player, WOODSHED_NOW));
    EXPECT(poll(&waiting, 1, (int)(PATIENCE * 1000)) == 1);
    EXPECT(woodshed_listener_next(polled, -1, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_CLOSED);
    EXPECT(event->events_lost == 0 && poll(&waiting, 1, 0) == 0);
    EXPECT(woodshed_listener_next(polled, 0, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_NONE);
    for (int turn = 0; turn < PATIENCE * 200 && !called.is_closed; turn++) usleep(5000);
    EXPECT(woodshed_listener_close(called_one) == WOODSHED_OK);
    EXPECT(called.is_closed && called.count > 200 && !pthread_equal(called.thread, pthread_self()));
    EXPECT(itself.count == 1);
    INVALID(woodshed_listener_close(closing));
    EXPECT(woodshed_listener_close(polled) == WOODSHED_OK);
    EXPECT(woodshed_listener_close(small) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

// Without a free descriptor a listener works on, and the same call succeeds later. Changes a limit of the whole
// process.
static void test_no_descriptor(void) {
    woodshed_listener *listener;
    EXPECT(woodshed_listener_open(NULL, 0, &listener) == WOODSHED_OK);
    struct rlimit limit, none;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = limit, none.rlim_cur = 0;
    EXPECT(setrlimit(RLIMIT_NOFILE, &none) == 0);
    int32_t descriptor = 7;
    const woodshed_status status = woodshed_listener_get_descriptor(listener, &descriptor);
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(status == WOODSHED_TRY_AGAIN && descriptor == 7 && woodshed_error_remedy()[0]);
    EXPECT(woodshed_listener_get_descriptor(listener, &descriptor) == WOODSHED_OK && descriptor > 2);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
}

// ---- An audio thread of the host's own ----

// Passes of one frame have more events in a block than there is room for. The player reports or counts each event.
static void test_dropped_events(void) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 8000, options.channels = 1, options.period_frames = 8192;
    options.clock = WOODSHED_CLOCK_VIRTUAL, options.ends_with_players = 1;
    woodshed_engine *engine;
    EXPECT(woodshed_engine_open("null", &options, &engine) == WOODSHED_OK);
    woodshed_listener *listener;
    EXPECT(woodshed_listener_open(engine, 65536, &listener) == WOODSHED_OK);
    const float sample = 0.5f, *const channels[] = {&sample};
    woodshed_clip *clip;
    EXPECT(woodshed_clip_open_memory(engine, channels, 1, 1, &clip) == WOODSHED_OK);
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.end = 1, section.passes = 20000;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section, plan.section_count = 1, plan.joint = WOODSHED_JOINT_HARD;
    woodshed_player *player;
    EXPECT(woodshed_player_open(engine, clip, &plan, &player) == WOODSHED_OK);
    EXPECT(woodshed_player_start(player, 0) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    EXPECT(woodshed_engine_wait(engine) == WOODSHED_OK);
    int64_t told = 0;
    const woodshed_event *event;
    while (woodshed_listener_next(listener, 0, &event) == WOODSHED_OK && event->kind != WOODSHED_EVENT_NONE) {
        EXPECT(event->events_lost == 0);
        told += event->player == player;
    }
    woodshed_player_status status = WOODSHED_PLAYER_STATUS_INIT;
    EXPECT(woodshed_player_get_status(player, &status) == WOODSHED_OK);
    // The beginning and the end of each pass, of the section and of the plan.
    EXPECT(status.dropped_events > 20000 && told + status.dropped_events == 40004);
    // A program compiled with an earlier version has no such field.
    woodshed_player_status earlier = WOODSHED_PLAYER_STATUS_INIT;
    earlier.size = offsetof(woodshed_player_status, dropped_events), earlier.dropped_events = 7;
    EXPECT(woodshed_player_get_status(player, &earlier) == WOODSHED_OK && earlier.dropped_events == 7);
    EXPECT(earlier.frame == status.frame);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
}

static void test_pulling(const char *recording) {
    // The same sound for every block length.
    float *sounds[2];
    enum { total = 30000 };
    for (int run = 0; run < 2; run++) {
        woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
        options.sample_rate = 44100, options.clock = WOODSHED_CLOCK_VIRTUAL, options.channels = 1;
        woodshed_engine *engine;
        woodshed_clip *clip;
        woodshed_player *player;
        EXPECT(woodshed_engine_open_pulled(&options, &engine) == WOODSHED_OK);
        EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
        woodshed_section section = WOODSHED_SECTION_INIT;
        section.start = 500, section.end = 5500, section.passes = 4, section.speed = 0.8;
        woodshed_plan plan = WOODSHED_PLAN_INIT;
        plan.sections = &section, plan.section_count = 1;
        EXPECT(woodshed_player_open(engine, clip, &plan, &player) == WOODSHED_OK);
        float *sound = sounds[run] = calloc(total, sizeof *sound);
        float *channels[1] = {sound};
        EXPECT(woodshed_engine_render(engine, channels, 64, 0) == 0);
        EXPECT(woodshed_player_start(player, WOODSHED_NOW) == WOODSHED_OK);
        EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
        EXPECT(woodshed_engine_render(engine, NULL, 64, 0) == -1);
        EXPECT(woodshed_engine_render(engine, channels, -1, 0) == -1);
        EXPECT(woodshed_engine_render(engine, channels, 0, 0) == 0);
        float *none[1] = {NULL};
        EXPECT(woodshed_engine_render(engine, none, 64, 0) == -1);
        for (int done = 0; done < total;) {
            int count = run == 0 ? 64 : 1 + done * 7 % 997;
            if (count > total - done) count = total - done;
            channels[0] = sound + done;
            EXPECT(woodshed_engine_render(engine, channels, count, run == 0 ? 0 : INT64_MAX) == count);
            done += count;
        }
        EXPECT(woodshed_engine_stop(engine) == WOODSHED_OK);
        float after[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        channels[0] = after;
        EXPECT(woodshed_engine_render(engine, channels, 8, 0) == 0 && after[0] == 0 && after[7] == 0);
        EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
        EXPECT(woodshed_engine_render(engine, channels, 8, 0) == -1);
        EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    }
    EXPECT(memcmp(sounds[0], sounds[1], total * sizeof(float)) == 0);
    int is_silent = 1;
    for (int frame = 0; frame < total; frame++) is_silent &= sounds[0][frame] == 0;
    EXPECT(!is_silent);
    free(sounds[0]), free(sounds[1]);
    woodshed_engine *with_device = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    float buffer[8], *channels[2] = {buffer, buffer};
    EXPECT(woodshed_engine_render(with_device, channels, 8, 0) == -1);
    EXPECT(woodshed_engine_close(with_device) == WOODSHED_OK);
}

// Closed while another thread renders: the renderer gets -1 and touches nothing freed.
static void *render_until_closed(void *engine) {
    float buffers[2][64], *channels[2] = {buffers[0], buffers[1]};
    while (woodshed_engine_render(engine, channels, 64, 0) >= 0) {}
    return NULL;
}

static void test_closing_while_rendering(void) {
    for (int turn = 0; turn < 200; turn++) {
        woodshed_engine *engine;
        EXPECT(woodshed_engine_open_pulled(NULL, &engine) == WOODSHED_OK);
        EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, render_until_closed, engine) == 0);
        if (turn % 3) usleep(turn * 10);
        EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
        pthread_join(thread, NULL);
    }
}

// Players disappear if opened and closed while the engine renders no block, or if closed after the end.
static void test_closing_unheard(const char *recording) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.channels = 1;
    options.clock = WOODSHED_CLOCK_VIRTUAL, options.ends_with_players = 1;
    woodshed_engine *engine;
    woodshed_clip *clip;
    EXPECT(woodshed_engine_open_pulled(&options, &engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.end = 1000, section.passes = 1;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section, plan.section_count = 1;
    woodshed_player *player, *other;
    EXPECT(woodshed_player_open(engine, clip, &plan, &player) == WOODSHED_OK);
    EXPECT(woodshed_player_start(player, 0) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    float sound[100], *channels[1] = {sound};
    EXPECT(woodshed_engine_render(engine, channels, 100, 0) == 100);
    for (int turn = 0; turn < 300; turn++) {
        EXPECT(woodshed_player_open(engine, clip, &plan, &other) == WOODSHED_OK);
        if (turn % 2) EXPECT(woodshed_player_start(other, WOODSHED_NOW) == WOODSHED_OK);
        EXPECT(woodshed_player_close(other) == WOODSHED_OK);
    }
    for (int turn = 0; turn < 20; turn++) woodshed_engine_render(engine, channels, 100, 0);
    EXPECT(woodshed_engine_render(engine, channels, 100, 0) == 0);
    EXPECT(woodshed_player_close(player) == WOODSHED_OK);
    for (int turn = 0; turn < 300; turn++) {
        EXPECT(woodshed_player_open(engine, clip, &plan, &other) == WOODSHED_OK);
        EXPECT(woodshed_player_close(other) == WOODSHED_OK);
    }
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

// ---- Recorders ----

static woodshed_recorder *open_recorder(const char *input, int clock) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.clock = clock;
    woodshed_recorder *recorder = NULL;
    EXPECT(woodshed_recorder_open(input, &options, &recorder) == WOODSHED_OK);
    return recorder;
}

static void test_recorders(const char *recording, const char *folder) {
    woodshed_recorder *recorder;
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    INVALID(woodshed_recorder_open("null", &options, NULL));
    INVALID(woodshed_recorder_open(NULL, &options, &recorder));
    options.ends_with_players = 1;
    INVALID(woodshed_recorder_open("null", &options, &recorder));
    REFUSED(woodshed_recorder_open("file:/no/such/file.wav", NULL, &recorder));
    EXPECT(recorder == NULL);

    // A whole recording, as fast as possible: the take has every frame of it.
    char path[4200], other[4200], input[4200];
    snprintf(path, sizeof path, "%s/take.wav", folder), unlink(path);
    snprintf(other, sizeof other, "%s/other.caf", folder), unlink(other);
    snprintf(input, sizeof input, "file:%s", recording);
    recorder = open_recorder(input, WOODSHED_CLOCK_VIRTUAL);
    woodshed_recorder_status status = WOODSHED_RECORDER_STATUS_INIT;
    EXPECT(woodshed_recorder_get_status(recorder, &status) == WOODSHED_OK && status.state == WOODSHED_RECORDER_IDLE);
    woodshed_take take = WOODSHED_TAKE_INIT;
    INVALID(woodshed_recorder_pause(recorder));
    INVALID(woodshed_recorder_resume(recorder));
    INVALID(woodshed_recorder_mark(recorder, "x"));
    INVALID(woodshed_recorder_stop(recorder, &take));
    INVALID(woodshed_recorder_discard(recorder));
    INVALID(woodshed_recorder_record(recorder, NULL, NULL));
    INVALID(woodshed_recorder_record(recorder, "x.mp3", NULL));
    EXPECT(woodshed_recorder_record(recorder, "/no/such/folder/x.wav", NULL) == WOODSHED_CANNOT_CREATE);
    woodshed_take_options bad = WOODSHED_TAKE_OPTIONS_INIT;
    bad.samples = 7;
    INVALID(woodshed_recorder_record(recorder, path, &bad));
    bad.samples = 0, bad.frame_limit = -1;
    INVALID(woodshed_recorder_record(recorder, path, &bad));
    woodshed_listener *listener;
    INVALID(woodshed_listener_open_recorder(recorder, 3, &listener));
    INVALID(woodshed_listener_open_recorder(recorder, 0, NULL));
    EXPECT(woodshed_listener_open_recorder(recorder, 0, &listener) == WOODSHED_OK);
    EXPECT(woodshed_recorder_record(recorder, path, NULL) == WOODSHED_OK);
    INVALID(woodshed_recorder_record(recorder, path, NULL));
    INVALID(woodshed_recorder_arm(recorder));
    const woodshed_event *event;
    int ends = 0;
    do {
        EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK);
        ends += event->kind == WOODSHED_EVENT_INPUT_ENDED;
        if (event->kind == WOODSHED_EVENT_TAKE_STARTED) EXPECT(event->data.take_started.earlier_frames == 0 && event->data.take_started.input_frame == 0);
    } while (event->kind != WOODSHED_EVENT_TAKE_STOPPED && event->kind != WOODSHED_EVENT_NONE);
    EXPECT(event->kind == WOODSHED_EVENT_TAKE_STOPPED && event->data.take_stopped.end == WOODSHED_TAKE_INPUT_ENDED && ends == 1);
    int64_t whole = event->frame;
    EXPECT(woodshed_recorder_stop(recorder, &take) == WOODSHED_OK);
    EXPECT(take.frames == whole && whole > 44100 && take.lost_frames == 0 && take.sample_rate == 44100);
    EXPECT(take.end == WOODSHED_TAKE_INPUT_ENDED && take.loudness < 0 && take.loudness > -60 && take.true_peak < 6);
    INVALID(woodshed_recorder_stop(recorder, NULL));
    EXPECT(woodshed_recorder_get_status(recorder, &status) == WOODSHED_OK);
    EXPECT(status.state == WOODSHED_RECORDER_STOPPED && status.frames == whole && status.channels > 0);
    INVALID(woodshed_recorder_get_status(recorder, NULL));
    woodshed_level levels[65];
    INVALID(woodshed_recorder_get_levels(recorder, levels, 65));
    INVALID(woodshed_recorder_get_levels(recorder, NULL, 1));
    EXPECT(woodshed_recorder_get_levels(recorder, levels, 64) == WOODSHED_OK);
    EXPECT(levels[0].peak > 0 && levels[0].rms > 0 && levels[0].peak >= levels[0].rms && levels[63].peak == 0);
    EXPECT(woodshed_recorder_close(recorder) == WOODSHED_OK);
    do EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK);
    while (event->kind > WOODSHED_EVENT_CLOSED);
    EXPECT(event->kind == WOODSHED_EVENT_CLOSED);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);

    // A recorder overwrites no existing file. The input is silence, which does not end however long the other threads
    // of the machine take.
    recorder = open_recorder("null", WOODSHED_CLOCK_REAL);
    EXPECT(woodshed_recorder_record(recorder, path, NULL) == WOODSHED_CANNOT_CREATE);
    EXPECT(woodshed_recorder_arm(recorder) == WOODSHED_OK);
    INVALID(woodshed_recorder_arm(recorder));
    EXPECT(woodshed_recorder_get_status(recorder, &status) == WOODSHED_OK && status.state == WOODSHED_RECORDER_ARMED);
    woodshed_take_options float_take = WOODSHED_TAKE_OPTIONS_INIT;
    float_take.samples = WOODSHED_SAMPLES_FLOAT32;
    EXPECT(woodshed_recorder_record(recorder, other, &float_take) == WOODSHED_OK);
    EXPECT(woodshed_recorder_mark(recorder, "Strophe") == WOODSHED_OK);
    INVALID(woodshed_recorder_mark(recorder, NULL));
    INVALID(woodshed_recorder_mark(recorder, "\xff"));
    EXPECT(woodshed_recorder_pause(recorder) == WOODSHED_OK);
    INVALID(woodshed_recorder_pause(recorder));
    EXPECT(woodshed_recorder_resume(recorder) == WOODSHED_OK);
    INVALID(woodshed_recorder_resume(recorder));
    take.size = 3;
    INVALID(woodshed_recorder_stop(recorder, &take));
    EXPECT(woodshed_recorder_stop(recorder, NULL) == WOODSHED_OK);
    EXPECT(access(other, R_OK) == 0);
    EXPECT(woodshed_recorder_close(recorder) == WOODSHED_OK);

    // Discarded, and closed while recording.
    unlink(other);
    recorder = open_recorder("null", WOODSHED_CLOCK_REAL);
    EXPECT(woodshed_recorder_record(recorder, other, NULL) == WOODSHED_OK);
    EXPECT(woodshed_recorder_discard(recorder) == WOODSHED_OK);
    EXPECT(access(other, F_OK) != 0);
    EXPECT(woodshed_recorder_close(recorder) == WOODSHED_OK);
    recorder = open_recorder("null", WOODSHED_CLOCK_REAL);
    EXPECT(woodshed_recorder_record(recorder, other, NULL) == WOODSHED_OK);
    EXPECT(woodshed_recorder_close(recorder) == WOODSHED_OK);
    EXPECT(access(other, R_OK) == 0);
    unlink(other), unlink(path);
}

// ---- Measures ----

static void test_measures(const char *recording, const char *words, const char *folder) {
    woodshed_loudness loudness = WOODSHED_LOUDNESS_INIT;
    EXPECT(woodshed_measure(recording, &loudness) == WOODSHED_OK);
    EXPECT(loudness.integrated < 0 && loudness.integrated > -60 && loudness.true_peak >= loudness.sample_peak - 0.01);
    EXPECT(loudness.maximum_momentary >= loudness.integrated && loudness.frames > 44100 && loudness.overs >= 0);
    EXPECT(loudness.maximum_short_term <= loudness.maximum_momentary + 0.5 && loudness.range >= -1);
    INVALID(woodshed_measure(recording, NULL));
    INVALID(woodshed_measure(NULL, &loudness));
    EXPECT(woodshed_measure(words, &loudness) == WOODSHED_BAD_DATA);
    EXPECT(woodshed_measure(folder, &loudness) == WOODSHED_BAD_DATA);
    EXPECT(woodshed_measure("/no/such/file", &loudness) == WOODSHED_NOT_FOUND);
    loudness.size = 0;
    INVALID(woodshed_measure(recording, &loudness));

    woodshed_waveform *waveform;
    INVALID(woodshed_waveform_open(recording, NULL));
    EXPECT(woodshed_waveform_open(words, &waveform) == WOODSHED_BAD_DATA && waveform == NULL);
    EXPECT(woodshed_waveform_open(recording, &waveform) == WOODSHED_OK);
    int64_t frames;
    EXPECT(woodshed_waveform_get_frames(waveform, &frames) == WOODSHED_OK && frames == loudness.frames);
    INVALID(woodshed_waveform_get_frames(waveform, NULL));
    woodshed_column columns[200];
    EXPECT(woodshed_waveform_get_columns(waveform, 0, frames, -1, columns, 200) == WOODSHED_OK);
    float highest = 0;
    for (int index = 0; index < 200; index++) {
        EXPECT(columns[index].minimum <= columns[index].maximum && columns[index].rms >= 0);
        highest = fmaxf(highest, fmaxf(columns[index].maximum, -columns[index].minimum));
    }
    EXPECT(fabs(20 * log10(highest) - loudness.sample_peak) < 0.1);
    EXPECT(woodshed_waveform_get_columns(waveform, 100, 101, 0, columns, 1) == WOODSHED_OK);
    INVALID(woodshed_waveform_get_columns(waveform, 0, frames, -1, NULL, 1));
    INVALID(woodshed_waveform_get_columns(waveform, 0, frames, -1, columns, 0));
    INVALID(woodshed_waveform_get_columns(waveform, 0, frames, -1, columns, SIZE_MAX));
    INVALID(woodshed_waveform_get_columns(waveform, 0, frames, 64, columns, 1));
    INVALID(woodshed_waveform_get_columns(waveform, 0, frames, -2, columns, 1));
    INVALID(woodshed_waveform_get_columns(waveform, -1, frames, 0, columns, 1));
    INVALID(woodshed_waveform_get_columns(waveform, 5, 5, 0, columns, 1));
    INVALID(woodshed_waveform_get_columns(waveform, INT64_MIN, INT64_MAX, 0, columns, 1));
    EXPECT(woodshed_waveform_close(waveform) == WOODSHED_OK);

    // Without a card there is nothing to measure; with a card, AudioDevicesTests and RecordingTests measure.
    woodshed_round_trip trip = WOODSHED_ROUND_TRIP_INIT;
    REFUSED(woodshed_calibrate("null", "null", NULL, &trip));
    INVALID(woodshed_calibrate("null", "null", NULL, NULL));
    INVALID(woodshed_calibrate(NULL, "null", NULL, &trip));
    INVALID(woodshed_calibrate("null", NULL, NULL, &trip));
}

// ---- Kept sections ----

static void test_stores(const char *recording, const char *words, const char *folder) {
    char path[4200];
    snprintf(path, sizeof path, "%s/kept.db", folder), unlink(path);
    woodshed_store *store, *other;
    woodshed_section_list *list;
    INVALID(woodshed_store_open(path, NULL));
    EXPECT(woodshed_store_open(path, &store) == WOODSHED_OK);
    REFUSED(woodshed_store_undo(store, recording));
    int32_t first = 0, second = 0;
    EXPECT(woodshed_store_add_section(store, recording, 1000, 5000, "Strophe", "erste Zeile", &first) == WOODSHED_OK);
    EXPECT(woodshed_store_add_section(store, recording, 200, 900, NULL, NULL, &second) == WOODSHED_OK && second != first);
    EXPECT(woodshed_store_add_section(store, recording, 0, 100, "x", NULL, NULL) == WOODSHED_OK);
    EXPECT(woodshed_store_undo(store, recording) == WOODSHED_OK);
    EXPECT(woodshed_store_redo(store, recording) == WOODSHED_OK);
    EXPECT(woodshed_store_undo(store, recording) == WOODSHED_OK);
    REFUSED(woodshed_store_add_section(store, recording, 5, 5, NULL, NULL, NULL));
    REFUSED(woodshed_store_add_section(store, recording, 5, 4, NULL, NULL, NULL));
    REFUSED(woodshed_store_add_section(store, recording, -1, 4, NULL, NULL, NULL));
    REFUSED(woodshed_store_add_section(store, recording, 0, INT64_MAX, NULL, NULL, NULL));
    REFUSED(woodshed_store_add_section(store, recording, INT64_MIN, INT64_MAX, NULL, NULL, NULL));
    INVALID(woodshed_store_add_section(store, recording, 0, 4, "\xff", NULL, NULL));
    INVALID(woodshed_store_add_section(store, NULL, 0, 4, NULL, NULL, NULL));
    EXPECT(woodshed_store_add_section(store, words, 0, 4, NULL, NULL, NULL) == WOODSHED_BAD_DATA);
    EXPECT(woodshed_store_add_section(store, "/no/such/file", 0, 4, NULL, NULL, NULL) == WOODSHED_NOT_FOUND);
    REFUSED(woodshed_store_mark(store, recording, INT64_MAX, NULL));
    REFUSED(woodshed_store_move_section(store, recording, 1000000, 0, 1));
    REFUSED(woodshed_store_move_section(store, recording, first, 7, 6));
    INVALID(woodshed_store_rename_section(store, recording, first, NULL));
    EXPECT(woodshed_store_remove_section(store, recording, INT32_MIN) == WOODSHED_NOT_FOUND);
    EXPECT(woodshed_store_rename_section(store, recording, second, "Intro") == WOODSHED_OK);
    EXPECT(woodshed_store_move_section(store, recording, second, 200, 950) == WOODSHED_OK);
    INVALID(woodshed_section_list_open(store, recording, NULL));

    // Another handle of the same store sees the section.
    EXPECT(woodshed_store_open(path, &other) == WOODSHED_OK);
    EXPECT(woodshed_section_list_open(other, recording, &list) == WOODSHED_OK);
    EXPECT(woodshed_section_list_count(list) == 2);
    const woodshed_kept_section *intro = woodshed_section_list_at(list, 0), *verse = woodshed_section_list_at(list, 1);
    EXPECT(intro && intro->id == second && intro->number == 1 && intro->start == 200 && intro->end == 950);
    EXPECT(intro && strcmp(intro->name, "Intro") == 0 && strcmp(intro->text, "") == 0 && intro->is_hard == 0);
    EXPECT(verse && verse->id == first && strcmp(verse->name, "Strophe") == 0 && strcmp(verse->text, "erste Zeile") == 0);
    EXPECT(woodshed_section_list_at(list, 2) == NULL && woodshed_section_list_at(list, SIZE_MAX) == NULL);
    // A list does not change, and outlives its store.
    EXPECT(woodshed_store_remove_section(store, recording, first) == WOODSHED_OK);
    EXPECT(woodshed_store_mark(store, recording, 20000, "B") == WOODSHED_OK);
    EXPECT(woodshed_store_close(other) == WOODSHED_OK);
    EXPECT(woodshed_section_list_count(list) == 2 && strcmp(verse->name, "Strophe") == 0);
    EXPECT(woodshed_section_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_section_list_open(store, recording, &list) == WOODSHED_OK && woodshed_section_list_count(list) == 3);
    EXPECT(woodshed_section_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_store_close(store) == WOODSHED_OK);

    EXPECT(woodshed_store_open(folder, &store) == WOODSHED_OK);
    REFUSED(woodshed_store_add_section(store, recording, 0, 4, NULL, NULL, NULL));
    EXPECT(woodshed_store_close(store) == WOODSHED_OK);
    unlink(path);
}

// ---- Processes and devices ----

static void test_fork(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_device_list *list;
    EXPECT(woodshed_device_list_open(&list) == WOODSHED_OK);
    const woodshed_device *device = woodshed_device_list_at(list, 0);
    pid_t child = fork();
    if (child == 0) {
        woodshed_clip *const unwritten = (woodshed_clip *)engine, *clip = unwritten;
        int is_right = woodshed_clip_open(engine, recording, &clip) == WOODSHED_UNAVAILABLE && clip == unwritten
            && woodshed_engine_close(engine) == WOODSHED_UNAVAILABLE && strstr(woodshed_error_remedy(), "fork") != NULL;
        float buffer[8] = {2}, *channels[2] = {buffer, buffer};
        is_right = is_right && woodshed_engine_render(engine, channels, 8, 0) == -1 && buffer[0] == 2;
        is_right = is_right && woodshed_device_list_count(list) == 0 && strstr(woodshed_error_message(), "fork") != NULL
            && woodshed_device_list_at(list, 0) == NULL && woodshed_device_list_close(NULL) == WOODSHED_UNAVAILABLE;
        is_right = is_right && woodshed_api_version() >= WOODSHED_API_VERSION && strchr(woodshed_version(), '.') != NULL
            && device && strlen(device->name) > 0;
        _exit(is_right ? 0 : 1);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(woodshed_device_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
}

static void test_devices(void) {
    woodshed_device_list *list;
    EXPECT(woodshed_device_list_open(&list) == WOODSHED_OK);
    size_t count = woodshed_device_list_count(list);
    EXPECT(count > 0);
    for (size_t place = 0; place < count; place++) {
        const woodshed_device *device = woodshed_device_list_at(list, place);
        EXPECT(device && device->size == sizeof *device && strlen(device->name) > 0 && device->description);
    }
    EXPECT(woodshed_device_list_at(list, count) == NULL);
    EXPECT(woodshed_device_list_at(list, SIZE_MAX) == NULL);
    EXPECT(woodshed_device_list_close(list) == WOODSHED_OK);
}

// Each thread has its own messages.
static void *fail_elsewhere(void *ignored) {
    (void)ignored;
    EXPECT(strlen(woodshed_error_message()) == 0);
    EXPECT(strlen(woodshed_error_remedy()) == 0);
    INVALID(woodshed_engine_start(NULL));
    return NULL;
}

static void test_words(void) {
    EXPECT(woodshed_api_version() >= WOODSHED_API_VERSION);
    EXPECT(strchr(woodshed_version(), '.') != NULL);
    woodshed_clip *clip;
    INVALID(woodshed_clip_open(NULL, "x", &clip));
    char before[256];
    snprintf(before, sizeof before, "%s", woodshed_error_message());
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, fail_elsewhere, NULL) == 0);
    pthread_join(thread, NULL);
    EXPECT(strcmp(before, woodshed_error_message()) == 0);
}

const char *conformance_failures(const char *recording, const char *other, const char *folder, int forks) {
    report[0] = 0;
    test_words();
    test_handles(recording);
    test_places_for_results(recording);
    test_options(other, folder);
    test_sizes();
    test_plans(recording);
    test_requests(recording);
    test_listeners(recording);
    test_mutual_close(recording);
    test_dropped_events();
    test_pulling(recording);
    test_closing_while_rendering();
    test_closing_unheard(recording);
    test_recorders(recording, folder);
    test_measures(recording, other, folder);
    test_stores(recording, other, folder);
    test_sessions(recording, folder);
    test_takes(recording, folder);
    test_progress(recording, folder);
    test_requests_of_listeners(recording, other, folder);
    test_meters_and_comparisons(recording, other);
    if (forks) test_no_descriptor(), test_fork(recording);
    test_devices();
    return report;
}

#ifdef CONFORMANCE_PROGRAM
int main(int count, char **arguments) {
    if (count != 4) return 64;
    const char *found = conformance_failures(arguments[1], arguments[2], arguments[3], 1);
    fputs(found, stderr);
    return found[0] ? 1 : 0;
}
#endif
