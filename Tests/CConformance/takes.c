// Takes over sessions, ratings, and due sections.
#include "checks.h"
#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

#ifdef CONFORMANCE_PROGRAM
// The threads of this program with a name.
static int thread_count(const char *name) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    EXPECT(folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], found[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(found, sizeof found, file)) count += strcspn(found, "\n") == strlen(name) && !strncmp(found, name, strlen(name));
        if (file) fclose(file);
    }
    if (folder) closedir(folder);
    return count;
}

// Whether no more threads with a name exist than before: a joined thread stays in the list of the system for a moment.
static int settles(const char *name, int count) {
    for (double waited = 0; waited < PATIENCE && thread_count(name) > count; waited += 0.001) usleep(1000);
    return thread_count(name) <= count;
}
#else
// The tests that run beside this test have threads of these names too.
static int thread_count(const char *name) { return name == NULL; }
static int settles(const char *name, int count) { return thread_count(name) <= count; }
#endif

// A stop of the engine before its start makes the start fail. The recorder started first leaves no thread.
static void test_failed_start(const char *recording, const char *input, const char *folder) {
    static const char *const names[] = {"woodshed-pump", "woodshed-take", "woodshed-tape", "woodshed-list", "woodshed-input"};
    int before[5];
    for (int place = 0; place < 5; place++) before[place] = thread_count(names[place]);
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.clock = WOODSHED_CLOCK_REAL;
    woodshed_engine *engine;
    woodshed_clip *clip;
    woodshed_session *session;
    EXPECT(woodshed_engine_open_duplex("null", input, 0, &options, &engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    woodshed_section sections[2];
    woodshed_plan plan;
    two_sections(sections, &plan);
    EXPECT(woodshed_session_open(engine, clip, &plan, NULL, &session) == WOODSHED_OK);
    woodshed_session_takes takes = WOODSHED_SESSION_TAKES_INIT;
    takes.folder = folder;
    EXPECT(woodshed_session_record(session, &takes, NULL, NULL) == WOODSHED_OK);
    EXPECT(woodshed_engine_stop(engine) == WOODSHED_OK);
    for (int round = 0; round < 2; round++) {
        REFUSED(woodshed_engine_start(engine));
        for (int place = 0; place < 5; place++) EXPECT(settles(names[place], before[place]));
    }
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
}

// Each pass is a take, listed with its place on the heard sound.
void test_takes(const char *recording, const char *folder) {
    char path[4200], input[4200], takes_folder[4200];
    snprintf(path, sizeof path, "%s/takes.db", folder), unlink(path);
    snprintf(input, sizeof input, "file:%s", recording);
    snprintf(takes_folder, sizeof takes_folder, "%s/over", folder);
    EXPECT(mkdir(takes_folder, 0755) == 0);
    test_failed_start(recording, input, takes_folder);
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.ends_with_players = 1, options.clock = WOODSHED_CLOCK_VIRTUAL;
    woodshed_engine *engine, *plain = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_clip *clip;
    woodshed_session *session;
    woodshed_store *store;
    woodshed_listener *listener;
    INVALID(woodshed_engine_open_duplex("null", input, 0, &options, NULL));
    INVALID(woodshed_engine_open_duplex("null", NULL, 0, &options, &engine));
    INVALID(woodshed_engine_open_duplex(NULL, input, 0, &options, &engine));
    INVALID(woodshed_engine_open_duplex("null", input, 65, &options, &engine));
    options.on_loss = WOODSHED_LOSS_PAUSE;
    INVALID(woodshed_engine_open_duplex("null", input, 0, &options, &engine));
    EXPECT(engine == NULL);
    options.on_loss = 0;
    EXPECT(woodshed_engine_open_duplex("null", input, 0, &options, &engine) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_open(engine, recording, &clip) == WOODSHED_OK);
    EXPECT(woodshed_store_open(path, &store) == WOODSHED_OK);
    woodshed_section sections[2];
    woodshed_plan plan;
    two_sections(sections, &plan);
    EXPECT(woodshed_session_open(plain, clip, &plan, NULL, &session) == WOODSHED_OK);
    INVALID(woodshed_session_record(session, NULL, NULL, NULL));
    EXPECT(woodshed_engine_close(plain) == WOODSHED_OK);
    EXPECT(woodshed_session_open(engine, clip, &plan, NULL, &session) == WOODSHED_OK);
    // Nothing records yet.
    INVALID(woodshed_engine_start(engine));
    int32_t is_on = 7;
    INVALID(woodshed_session_toggle_take(session, &is_on));
    EXPECT(is_on == 7);
    woodshed_session_takes takes = WOODSHED_SESSION_TAKES_INIT, bad;
    takes.mode = WOODSHED_TAKES_OF_PASSES, takes.folder = takes_folder, takes.samples = WOODSHED_SAMPLES_FLOAT32;
#define BAD(change) \
    do { \
        bad = takes, change; \
        REFUSED(woodshed_session_record(session, &bad, store, recording)); \
    } while (0)
    BAD(bad.size = 3);
    BAD(bad.mode = 3);
    BAD(bad.samples = 5);
    BAD(bad.input_channel = -1);
    BAD(bad.folder = "/no/such/folder");
    BAD(bad.name = "a/b");
    BAD(bad.name = "");
    BAD(bad.added_frames = NAN);
    BAD(bad.lead_seconds = 3);
    BAD(bad.tail_seconds = -1);
    BAD(bad.device = "\xff");
#undef BAD
    INVALID(woodshed_session_record(session, &takes, NULL, recording));
    EXPECT(woodshed_session_record(session, &takes, store, "/no/such/file") == WOODSHED_NOT_FOUND);
    INVALID(woodshed_session_record(session, &takes, store, NULL));
    EXPECT(woodshed_session_record(session, &takes, store, recording) == WOODSHED_OK);
    INVALID(woodshed_session_record(session, &takes, store, recording));
    EXPECT(woodshed_session_start(session, 0) == WOODSHED_OK);
    EXPECT(woodshed_engine_start(engine) == WOODSHED_OK);
    EXPECT(woodshed_engine_wait(engine) == WOODSHED_OK);
    EXPECT(woodshed_session_toggle_take(session, &is_on) == WOODSHED_OK && is_on == 0);
    const woodshed_event *event;
    int began = 0, ended = 0, last = 0;
    while (woodshed_listener_next(listener, 0, &event) == WOODSHED_OK && event->kind != WOODSHED_EVENT_NONE) {
        began += event->kind == WOODSHED_EVENT_SESSION_TAKE_BEGAN;
        if (event->kind != WOODSHED_EVENT_SESSION_TAKE_ENDED) continue;
        ended++;
        const woodshed_session_take_event *take = &event->data.session_take_ended.take;
        EXPECT(take->path && access(take->path, R_OK) == 0 && take->take_id > last && take->number == ended);
        last = take->take_id;
        EXPECT(take->pass == 1 + (ended - 1) % 2 && take->speed == 1);
        EXPECT(event->data.session_take_ended.frames > 8000 && event->frame == -1);
    }
    EXPECT(began == 4 && ended == 4);
    woodshed_take_list *list;
    INVALID(woodshed_take_list_open(store, recording, NULL));
    EXPECT(woodshed_take_list_open(store, recording, &list) == WOODSHED_OK && woodshed_take_list_count(list) == 4);
    const woodshed_kept_take *newest = woodshed_take_list_at(list, 0);
    EXPECT(newest && newest->number == 4 && newest->pass == 2 && newest->section_id == 2 && newest->speed == 1);
    EXPECT(newest && newest->model_start == 10000 && newest->model_end == 18000 && newest->sample_rate == 44100);
    // The tenth of a second before, as far as the input goes back.
    EXPECT(newest && newest->model_seconds > 0.09 && newest->model_seconds < 0.2 && newest->frames > 8000);
    EXPECT(newest && newest->rating == 0 && strlen(newest->name) == 0 && strlen(newest->path) > 4);
    EXPECT(woodshed_take_list_at(list, 4) == NULL);
    EXPECT(woodshed_take_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_take_list_open(store, NULL, &list) == WOODSHED_OK && woodshed_take_list_count(list) == 4);
    for (size_t place = 0; place < 4; place++) unlink(woodshed_take_list_at(list, place)->path);
    EXPECT(woodshed_take_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(woodshed_store_close(store) == WOODSHED_OK);
    EXPECT(rmdir(takes_folder) == 0);
    unlink(path);
}

void test_progress(const char *recording, const char *folder) {
    char path[4200];
    snprintf(path, sizeof path, "%s/rated.db", folder), unlink(path);
    woodshed_store *store;
    woodshed_due_list *list;
    int32_t id;
    EXPECT(woodshed_store_open(path, &store) == WOODSHED_OK);
    EXPECT(woodshed_due_list_open(store, NULL, &list) == WOODSHED_OK && woodshed_due_list_count(list) == 0);
    EXPECT(woodshed_due_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_store_add_section(store, recording, 1000, 5000, "Strophe", NULL, &id) == WOODSHED_OK);
    INVALID(woodshed_store_rate_section(store, recording, id, 0));
    INVALID(woodshed_store_rate_section(store, recording, id, 5));
    EXPECT(woodshed_store_rate_section(store, recording, id + 7, WOODSHED_RATING_GOOD) == WOODSHED_NOT_FOUND);
    EXPECT(woodshed_store_rate_section(store, "/no/such/file", id, WOODSHED_RATING_GOOD) == WOODSHED_NOT_FOUND);
    INVALID(woodshed_due_list_open(store, NULL, NULL));
    // A failed section is due again tomorrow at the latest, and due sections are listed with their places.
    EXPECT(woodshed_store_rate_section(store, recording, id, WOODSHED_RATING_AGAIN) == WOODSHED_OK);
    EXPECT(woodshed_due_list_open(store, recording, &list) == WOODSHED_OK);
    size_t count = woodshed_due_list_count(list);
    EXPECT(count <= 1 && woodshed_due_list_at(list, count) == NULL);
    if (count == 1) {
        const woodshed_due_section *due = woodshed_due_list_at(list, 0);
        EXPECT(due && due->id == id && due->start == 1000 && due->end == 5000 && strcmp(due->name, "Strophe") == 0);
        EXPECT(due->retrievability > 0 && due->retrievability <= 1 && strlen(due->recording) > 0);
    }
    EXPECT(woodshed_due_list_close(list) == WOODSHED_OK);
    EXPECT(woodshed_store_close(store) == WOODSHED_OK);
    unlink(path);
}
