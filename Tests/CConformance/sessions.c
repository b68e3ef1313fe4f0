// Sessions and their practice log.
#include "checks.h"
#include <math.h>

void refuse_session_handle(void *handle, const char *recording) {
    woodshed_session *session = handle, *new_session = handle;
    woodshed_player *player = (woodshed_player *)1;
    woodshed_session_status status = WOODSHED_SESSION_STATUS_INIT;
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.end = 1000;
    INVALID(woodshed_session_open(handle, handle, NULL, NULL, &new_session));
    EXPECT(new_session == NULL);
    INVALID(woodshed_session_keep_log(session, handle, recording));
    INVALID(woodshed_session_get_player(session, &player));
    EXPECT(player == NULL);
    INVALID(woodshed_session_start(session, 0));
    INVALID(woodshed_session_stop(session));
    INVALID(woodshed_session_pause(session));
    INVALID(woodshed_session_resume(session));
    INVALID(woodshed_session_set_loop_start(session));
    INVALID(woodshed_session_set_loop_end(session));
    INVALID(woodshed_session_loop(session, 0, 1));
    INVALID(woodshed_session_loop_last_heard(session));
    INVALID(woodshed_session_toggle_loop(session));
    INVALID(woodshed_session_move_edge(session, WOODSHED_EDGE_START, 1));
    INVALID(woodshed_session_set_speed(session, 1));
    INVALID(woodshed_session_set_pitch(session, 1));
    INVALID(woodshed_session_set_passes(session, 1));
    INVALID(woodshed_session_set_gap(session, 1, 0));
    INVALID(woodshed_session_skip(session, 1));
    INVALID(woodshed_session_go(session, 1));
    INVALID(woodshed_session_set_sections(session, &section, 1));
    INVALID(woodshed_session_set_reversed(session, 1));
    INVALID(woodshed_session_jump_to_start(session));
    INVALID(woodshed_session_set_frozen(session, 1));
    INVALID(woodshed_session_get_status(session, &status));
    int32_t is_on = 7;
    INVALID(woodshed_session_record(session, NULL, NULL, NULL));
    INVALID(woodshed_session_toggle_take(session, &is_on));
    woodshed_take_list *takes = handle;
    INVALID(woodshed_take_list_open(handle, NULL, &takes));
    EXPECT(takes == NULL && is_on == 7);
    EXPECT(woodshed_take_list_count(handle) == 0 && woodshed_take_list_at(handle, 0) == NULL);
    EXPECT(woodshed_take_list_close(handle) == (handle ? WOODSHED_INVALID : WOODSHED_OK));
    EXPECT(woodshed_session_close(session) == (handle ? WOODSHED_INVALID : WOODSHED_OK));
    woodshed_due_list *list = handle;
    INVALID(woodshed_store_rate_section(handle, recording, 1, WOODSHED_RATING_GOOD));
    INVALID(woodshed_due_list_open(handle, NULL, &list));
    EXPECT(list == NULL);
    EXPECT(woodshed_due_list_count(handle) == 0 && woodshed_due_list_at(handle, 0) == NULL);
    EXPECT(woodshed_due_list_close(handle) == (handle ? WOODSHED_INVALID : WOODSHED_OK));
}

// As checks.h says.
void two_sections(woodshed_section *sections, woodshed_plan *plan) {
    for (int index = 0; index < 2; index++) {
        sections[index] = (woodshed_section)WOODSHED_SECTION_INIT;
        sections[index].start = 1000 + 9000 * index, sections[index].end = 9000 + 9000 * index;
        sections[index].id = 1 + index;
    }
    *plan = (woodshed_plan)WOODSHED_PLAN_INIT;
    plan->sections = sections, plan->section_count = 2, plan->passes = 2;
}

static void refuse_options(woodshed_engine *engine, woodshed_clip *clip) {
    woodshed_section sections[2];
    woodshed_plan plan;
    two_sections(sections, &plan);
    woodshed_session *session;
    woodshed_session_options good = WOODSHED_SESSION_OPTIONS_INIT, bad;
#define BAD(change) \
    do { \
        bad = good, session = (woodshed_session *)1, change; \
        REFUSED(woodshed_session_open(engine, clip, &plan, &bad, &session)); \
        EXPECT(session == NULL); \
    } while (0)
    BAD(bad.size = 0);
    BAD(bad.first_section = 3);
    BAD(bad.first_section = -1);
    BAD(bad.first_frame = INT64_MIN);
    BAD(bad.count_in_clicks = 33);
    BAD(bad.count_in_clicks = INT32_MIN);
    BAD((bad.count_in_clicks = 4, bad.count_in_tempo = 401));
    BAD((bad.count_in_clicks = 4, bad.count_in_tempo = NAN));
    BAD(bad.rewind_seconds = 61);
    BAD(bad.rewind_seconds = -2);
    BAD(bad.rewind_seconds = NAN);
#undef BAD
    INVALID(woodshed_session_open(engine, clip, &plan, NULL, NULL));
    plan.sections = NULL;
    INVALID(woodshed_session_open(engine, clip, &plan, NULL, &session));
}

static void refuse_requests(woodshed_session *session) {
    woodshed_section section = WOODSHED_SECTION_INIT;
    INVALID(woodshed_session_start(session, -2));
    REFUSED(woodshed_session_set_loop_start(session));
    REFUSED(woodshed_session_set_loop_end(session));
    REFUSED(woodshed_session_loop_last_heard(session));
    INVALID(woodshed_session_loop(session, 5, 5));
    INVALID(woodshed_session_loop(session, 6, 5));
    INVALID(woodshed_session_loop(session, -1, 5));
    INVALID(woodshed_session_loop(session, INT64_MIN, INT64_MAX));
    REFUSED(woodshed_session_move_edge(session, WOODSHED_EDGE_START, 1));
    INVALID(woodshed_session_move_edge(session, 2, 1));
    REFUSED(woodshed_session_set_speed(session, NAN));
    REFUSED(woodshed_session_set_speed(session, 0));
    REFUSED(woodshed_session_set_pitch(session, INFINITY));
    INVALID(woodshed_session_set_passes(session, 0));
    INVALID(woodshed_session_set_passes(session, INT32_MIN));
    REFUSED(woodshed_session_set_gap(session, -1, 0));
    REFUSED(woodshed_session_set_gap(session, 0, NAN));
    INVALID(woodshed_session_set_sections(session, &section, 0));
    INVALID(woodshed_session_set_sections(session, NULL, 1));
    INVALID(woodshed_session_set_sections(session, &section, SIZE_MAX));
    REFUSED(woodshed_session_set_sections(session, &section, 1));
    section.end = INT64_MAX;
    REFUSED(woodshed_session_set_sections(session, &section, 1));
    INVALID(woodshed_session_get_status(session, NULL));
    INVALID(woodshed_session_get_player(session, NULL));
    INVALID(woodshed_session_keep_log(session, NULL, "x"));
    EXPECT(woodshed_session_skip(session, INT32_MAX) == WOODSHED_OK);
    EXPECT(woodshed_session_skip(session, INT32_MIN) == WOODSHED_OK);
    EXPECT(woodshed_session_go(session, INT32_MIN) == WOODSHED_OK);
}

// The whole plan as fast as possible, with a log; then the resulting log.
static void test_plan(const char *recording, const char *folder) {
    char path[4200];
    snprintf(path, sizeof path, "%s/practised.db", folder), unlink(path);
    woodshed_store *store;
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    woodshed_listener *listener;
    woodshed_session *session;
    woodshed_player *player;
    woodshed_section sections[2];
    woodshed_plan plan;
    two_sections(sections, &plan);
    EXPECT(woodshed_store_open(path, &store) == WOODSHED_OK);
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &listener) == WOODSHED_OK);
    refuse_options(engine, clip);
    woodshed_session_options options = WOODSHED_SESSION_OPTIONS_INIT;
    options.count_in_clicks = 1, options.count_in_tempo = 400;
    EXPECT(woodshed_session_open(engine, clip, &plan, &options, &session) == WOODSHED_OK);
    EXPECT(woodshed_session_get_player(session, &player) == WOODSHED_OK);
    INVALID(woodshed_player_close(player));
    EXPECT(woodshed_session_keep_log(session, store, "/no/such/file") == WOODSHED_NOT_FOUND);
    EXPECT(woodshed_session_keep_log(session, store, recording) == WOODSHED_OK);
    INVALID(woodshed_session_keep_log(session, store, recording));
    refuse_requests(session);
    woodshed_session_status status = WOODSHED_SESSION_STATUS_INIT;
    EXPECT(woodshed_session_get_status(session, &status) == WOODSHED_OK);
    EXPECT(status.section == 1 && status.section_count == 2 && status.section_id == 1 && status.passes == 2);
    EXPECT(!status.is_looping && status.loop_start == -1 && status.loop_end == -1 && status.heard == -1);
    EXPECT(status.speed == 0 && status.semitones == 0 && status.gap_frames == 0 && status.gap_passes == 0);
    EXPECT(woodshed_session_set_gap(session, 100, 0) == WOODSHED_OK);
    EXPECT(woodshed_session_start(session, 0) == WOODSHED_OK);
    INVALID(woodshed_session_start(session, 0));
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    EXPECT(woodshed_engine_wait(engine) == WOODSHED_OK);

    int seen[64] = {0};
    const woodshed_event *event;
    int64_t first = -1;
    do {
        EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK && event->kind < 64);
        seen[event->kind & 63]++;
        if (event->kind == WOODSHED_EVENT_SESSION_STARTED) EXPECT(event->data.session_started.section_count == 2);
        if (event->kind == WOODSHED_EVENT_PASS_STARTED && first < 0) first = event->frame;
        EXPECT(event->player == player);
    } while (event->kind != WOODSHED_EVENT_SESSION_COMPLETED && event->kind != WOODSHED_EVENT_NONE);
    // A click at 400 a minute lasts .15 s.
    EXPECT(first == 6615);
    EXPECT(seen[WOODSHED_EVENT_SESSION_STARTED] == 1 && seen[WOODSHED_EVENT_SESSION_COMPLETED] == 1);
    EXPECT(seen[WOODSHED_EVENT_PASS_STARTED] == 4 && seen[WOODSHED_EVENT_SECTION_STARTED] == 2);
    EXPECT(seen[WOODSHED_EVENT_SESSION_PROCEEDED] >= 1 && seen[WOODSHED_EVENT_FINISHED] == 1);
    EXPECT(woodshed_session_close(session) == WOODSHED_OK);
    INVALID(woodshed_session_close(session));
    INVALID(woodshed_player_stop(player, WOODSHED_NOW));
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    // CInterfaceTests reads the content.
    EXPECT(woodshed_store_close(store) == WOODSHED_OK);
}

static int64_t heard(woodshed_session *session) {
    woodshed_session_status status = WOODSHED_SESSION_STATUS_INIT;
    EXPECT(woodshed_session_get_status(session, &status) == WOODSHED_OK);
    return status.heard;
}

// By ear, on the clock of the system.
static void test_by_ear(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_REAL, 0);
    woodshed_clip *clip;
    woodshed_session *session;
    woodshed_listener *listener;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &listener) == WOODSHED_OK);
    woodshed_session_options options = WOODSHED_SESSION_OPTIONS_INIT;
    options.rewind_seconds = WOODSHED_REWIND_AUTOMATIC, options.snaps_edges = 1;
    EXPECT(woodshed_session_open(engine, clip, NULL, &options, &session) == WOODSHED_OK);
    EXPECT(woodshed_session_set_passes(session, WOODSHED_ENDLESS) == WOODSHED_OK);
    EXPECT(woodshed_session_start(session, WOODSHED_NOW) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    for (int turn = 0; turn < PATIENCE * 200 && heard(session) < 0; turn++) usleep(5000);
    EXPECT(woodshed_session_set_loop_start(session) == WOODSHED_OK);
    // On a busy machine little may be heard meanwhile, and the recording may begin anew.
    woodshed_status ended = WOODSHED_INTERNAL;
    for (int turn = 0; turn < PATIENCE * 20 && ended != WOODSHED_OK; turn++) {
        usleep(50000);
        ended = woodshed_session_set_loop_end(session);
        if (ended != WOODSHED_OK) EXPECT(woodshed_session_set_loop_start(session) == WOODSHED_OK);
    }
    EXPECT(ended == WOODSHED_OK);
    woodshed_session_status status = WOODSHED_SESSION_STATUS_INIT;
    EXPECT(woodshed_session_get_status(session, &status) == WOODSHED_OK);
    EXPECT(status.is_looping && status.loop_start >= 0 && status.loop_end > status.loop_start && status.section_id == 0);
    const woodshed_event *event;
    woodshed_loop_changed_event loop = {0};
    while (woodshed_listener_next(listener, 0, &event) == WOODSHED_OK && event->kind != WOODSHED_EVENT_NONE)
        if (event->kind == WOODSHED_EVENT_LOOP_CHANGED && event->data.loop_changed.is_looping) loop = event->data.loop_changed;
    EXPECT(loop.is_looping && loop.loop_start == status.loop_start && loop.loop_end == status.loop_end);
    EXPECT(woodshed_session_move_edge(session, WOODSHED_EDGE_END, INT64_MAX) == WOODSHED_OK);
    EXPECT(woodshed_session_move_edge(session, WOODSHED_EDGE_START, INT64_MIN) == WOODSHED_OK);
    EXPECT(woodshed_session_get_status(session, &status) == WOODSHED_OK);
    woodshed_clip_info info = WOODSHED_CLIP_INFO_INIT;
    EXPECT(woodshed_clip_get_info(clip, &info) == WOODSHED_OK);
    EXPECT(status.loop_start == 0 && status.loop_end == info.frames);
    EXPECT(woodshed_session_loop(session, 4000, 20000) == WOODSHED_OK);
    EXPECT(woodshed_session_set_speed(session, 0.8) == WOODSHED_OK);
    EXPECT(woodshed_session_set_pitch(session, -2) == WOODSHED_OK);
    EXPECT(woodshed_session_set_reversed(session, 1) == WOODSHED_OK);
    EXPECT(woodshed_session_jump_to_start(session) == WOODSHED_OK);
    EXPECT(woodshed_session_set_reversed(session, 0) == WOODSHED_OK);
    EXPECT(woodshed_session_set_frozen(session, 1) == WOODSHED_OK);
    EXPECT(woodshed_session_set_frozen(session, 0) == WOODSHED_OK);
    EXPECT(woodshed_session_pause(session) == WOODSHED_OK);
    EXPECT(woodshed_session_resume(session) == WOODSHED_OK);
    EXPECT(woodshed_session_toggle_loop(session) == WOODSHED_OK);
    // Just after a jump there is no heard sound to loop.
    woodshed_status looped = WOODSHED_INTERNAL;
    for (int turn = 0; turn < PATIENCE * 200 && looped != WOODSHED_OK; turn++) {
        looped = woodshed_session_loop_last_heard(session);
        if (looped != WOODSHED_OK) usleep(5000);
    }
    EXPECT(looped == WOODSHED_OK);
    EXPECT(woodshed_session_get_status(session, &status) == WOODSHED_OK);
    EXPECT(status.is_looping && status.speed == 0.8 && status.semitones == -2);
    woodshed_section sections[2];
    woodshed_plan plan;
    two_sections(sections, &plan);
    EXPECT(woodshed_session_set_sections(session, sections, 2) == WOODSHED_OK);
    EXPECT(woodshed_session_go(session, 2) == WOODSHED_OK);
    EXPECT(woodshed_session_get_status(session, &status) == WOODSHED_OK);
    EXPECT(!status.is_looping && status.section == 2 && status.section_count == 2 && status.section_id == 2);
    EXPECT(woodshed_session_skip(session, -1) == WOODSHED_OK);
    EXPECT(woodshed_session_stop(session) == WOODSHED_OK);
    do EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK);
    while (event->kind != WOODSHED_EVENT_SESSION_STOPPED && event->kind != WOODSHED_EVENT_NONE);
    EXPECT(event->kind == WOODSHED_EVENT_SESSION_STOPPED);
    // Closing the engine closes the session.
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    INVALID(woodshed_session_stop(session));
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

// The count-in comes before the first pass in a running engine, too.
static void test_late_count_in(const char *recording) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.clock = WOODSHED_CLOCK_VIRTUAL, options.channels = 1;
    options.period_frames = 256;
    woodshed_engine *engine;
    woodshed_clip *clip;
    woodshed_session *session;
    woodshed_listener *listener;
    EXPECT(woodshed_engine_open_pulled(&options, &engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &listener) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    float sound[1000], *channels[1] = {sound};
    for (int turn = 0; turn < 20; turn++) EXPECT(woodshed_engine_render(engine, channels, 1000, 0) == 1000);
    woodshed_session_options session_options = WOODSHED_SESSION_OPTIONS_INIT;
    session_options.count_in_clicks = 1, session_options.count_in_tempo = 400;
    EXPECT(woodshed_session_open(engine, clip, NULL, &session_options, &session) == WOODSHED_OK);
    EXPECT(woodshed_session_start(session, WOODSHED_NOW) == WOODSHED_OK);
    for (int turn = 0; turn < 10; turn++) EXPECT(woodshed_engine_render(engine, channels, 1000, 0) == 1000);
    const woodshed_event *event;
    do EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK);
    while (event->kind != WOODSHED_EVENT_STARTED && event->kind != WOODSHED_EVENT_NONE);
    // A click at 400 a minute lasts 6615 frames.
    EXPECT(event->kind == WOODSHED_EVENT_STARTED && event->frame == 20000 + 6615);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

void test_sessions(const char *recording, const char *folder) {
    test_plan(recording, folder);
    test_by_ear(recording);
    test_late_count_in(recording);
    // Many in succession: each returns its places in the mixer.
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 0);
    woodshed_clip *clip;
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    woodshed_session_options options = WOODSHED_SESSION_OPTIONS_INIT;
    options.count_in_clicks = 32;
    for (int turn = 0; turn < 200; turn++) {
        woodshed_session *session = NULL;
        woodshed_status opened = WOODSHED_INTERNAL;
        // Fading players still have places for a moment.
        for (int attempt = 0; attempt < PATIENCE * 200 && opened != WOODSHED_OK; attempt++) {
            opened = woodshed_session_open(engine, clip, NULL, &options, &session);
            if (opened != WOODSHED_OK) usleep(5000);
        }
        EXPECT(opened == WOODSHED_OK);
        // The last frame leaves no room for the count-in.
        const int64_t at = turn % 4 == 1 ? INT64_MAX : WOODSHED_NOW;
        if (turn % 2) EXPECT(woodshed_session_start(session, at) == WOODSHED_OK);
        EXPECT(woodshed_session_close(session) == WOODSHED_OK);
    }
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}
