// Practises the kept sections of a recording, and loops by ear during playback: trainer [FILE [OUTPUT]]
//
// Return sets the start of a loop, a second return sets the end, and a third return leaves the loop. The end of the
// input ends the session.
#include <stdio.h>
#include <stdlib.h>
#include <woodshed.h>

// Ends the program with the error's words, and with the status as the exit status.
static void check(woodshed_status status) {
    if (status == WOODSHED_OK) return;
    fprintf(stderr, "%s\n%s\n", woodshed_error_message(), woodshed_error_remedy());
    exit((int)status);
}

// Makes the sections of a plan from the kept sections. A kept section has frames of the file; a plan has frames of the
// clip.
static woodshed_section *plan_sections(woodshed_clip *clip, woodshed_section_list *kept) {
    size_t count = woodshed_section_list_count(kept);
    woodshed_section *sections = calloc(count + 1, sizeof *sections);
    if (sections == NULL) exit(EXIT_FAILURE);
    for (size_t place = 0; place < count; place++) {
        const woodshed_kept_section *known = woodshed_section_list_at(kept, place);
        woodshed_section *section = &sections[place];
        *section = (woodshed_section)WOODSHED_SECTION_INIT;
        check(woodshed_clip_get_frame_of_file(clip, known->start, &section->start));
        check(woodshed_clip_get_frame_of_file(clip, known->end, &section->end));
        section->name = known->name;
        section->id = known->id;
    }
    return sections;
}

int main(int count, char **arguments) {
    const char *file = count > 1 ? arguments[1] : "song.wav";
    const char *output = count > 2 ? arguments[2] : "default";

    woodshed_engine *engine;
    check(woodshed_engine_open(output, NULL, &engine));
    woodshed_clip *clip;
    check(woodshed_clip_open(engine, file, &clip));

    // The user's own store, which the command `woodshed` uses, too.
    woodshed_store *store;
    check(woodshed_store_open(NULL, &store));
    woodshed_section_list *kept;
    check(woodshed_section_list_open(store, file, &kept));

    // Three passes of each section, and then from the beginning again. Without sections, the whole recording.
    woodshed_section *sections = plan_sections(clip, kept);
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.section_count = woodshed_section_list_count(kept);
    plan.sections = plan.section_count > 0 ? sections : NULL;
    plan.passes = 3;
    plan.repeats = 1;
    woodshed_session *session;
    check(woodshed_session_open(engine, clip, &plan, NULL, &session));
    // The session has copied the plan.
    free(sections);
    check(woodshed_section_list_close(kept));

    check(woodshed_session_keep_log(session, store, file));
    check(woodshed_session_start(session, WOODSHED_NOW));
    check(woodshed_engine_start(engine));

    int presses = 0;
    int key;
    while ((key = getchar()) != EOF) {
        if (key != '\n') continue;
        woodshed_status status;
        switch (presses) {
        case 0: status = woodshed_session_set_loop_start(session); break;
        case 1: status = woodshed_session_set_loop_end(session); break;
        default: status = woodshed_session_toggle_loop(session); break;
        }
        // A refusal, such as a mark before the first sound, changes nothing: the next press tries again.
        if (status == WOODSHED_OK) presses = (presses + 1) % 3;
        else puts(woodshed_error_message());
    }

    check(woodshed_session_close(session));
    check(woodshed_clip_close(clip));
    check(woodshed_engine_close(engine));
    check(woodshed_store_close(store));
}
