// Practises the kept sections of a recording, and loops by ear during playback: trainer FILE [OUTPUT]
// Return sets the start of a loop, a second return sets the end, and a third return leaves the loop. The end of the input ends the session.
#include <stdio.h>
#include <stdlib.h>
#include <woodshed.h>
static void check(woodshed_status status) {
    if (status == WOODSHED_OK) return;
    fprintf(stderr, "%s\n%s\n", woodshed_error_message(), woodshed_error_remedy()), exit((int)status);
}

int main(int count, char **arguments) {
    const char *file = count > 1 ? arguments[1] : "song.wav";
    woodshed_engine *engine;
    woodshed_clip *clip;
    woodshed_store *store;
    woodshed_section_list *kept;
    woodshed_session *session;
    check(woodshed_engine_open(count > 2 ? arguments[2] : "default", NULL, &engine));
    check(woodshed_clip_open(engine, file, &clip));
    check(woodshed_store_open(NULL, &store));
    check(woodshed_section_list_open(store, file, &kept));
    size_t sections = woodshed_section_list_count(kept);
    woodshed_section *section = calloc(sections + 1, sizeof *section);
    for (size_t place = 0; place < sections; place++) {
        const woodshed_kept_section *known = woodshed_section_list_at(kept, place);
        section[place] = (woodshed_section)WOODSHED_SECTION_INIT;
        check(woodshed_clip_get_frame_of_file(clip, known->start, &section[place].start));
        check(woodshed_clip_get_frame_of_file(clip, known->end, &section[place].end));
        section[place].name = known->name, section[place].id = known->id;
    }
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = sections ? section : NULL, plan.section_count = sections, plan.passes = 3, plan.repeats = 1;
    check(woodshed_session_open(engine, clip, &plan, NULL, &session));
    check(woodshed_session_keep_log(session, store, file));
    check(woodshed_session_start(session, WOODSHED_NOW));
    check(woodshed_engine_start(engine));
    for (int presses = 0, key; (key = getchar()) != EOF;) {
        if (key != '\n') continue;
        woodshed_status status = presses == 0 ? woodshed_session_set_loop_start(session)
            : presses == 1 ? woodshed_session_set_loop_end(session) : woodshed_session_toggle_loop(session);
        if (status != WOODSHED_OK) puts(woodshed_error_message());
        else presses = (presses + 1) % 3;
    }
    check(woodshed_session_close(session));
    check(woodshed_engine_close(engine));
    check(woodshed_store_close(store));
}
