// Loops one second of a recording three times at 70 %, and prints the player's events: looper [FILE [OUTPUT]]
#include <stdio.h>
#include <stdlib.h>
#include <woodshed.h>

// Ends the program with the error's words, and with the status as the exit status.
static void check(woodshed_status status) {
    if (status == WOODSHED_OK) return;
    fprintf(stderr, "%s\n%s\n", woodshed_error_message(), woodshed_error_remedy());
    exit((int)status);
}

int main(int count, char **arguments) {
    const char *file = count > 1 ? arguments[1] : "song.wav";
    const char *output = count > 2 ? arguments[2] : "default";

    // The engine ends with its last player.
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100;
    options.ends_with_players = 1;
    woodshed_engine *engine;
    check(woodshed_engine_open(output, &options, &engine));

    // The second second of the recording, in frames.
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.start = 44100;
    section.end = 88200;
    section.passes = 3;
    section.speed = 0.7;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section;
    plan.section_count = 1;

    woodshed_clip *clip;
    check(woodshed_clip_open(engine, file, &clip));
    // A listener that is opened before the player misses no event.
    woodshed_listener *listener;
    check(woodshed_listener_open(engine, 0, &listener));
    woodshed_player *player;
    check(woodshed_player_open(engine, clip, &plan, &player));

    check(woodshed_player_start(player, WOODSHED_NOW));
    check(woodshed_engine_start(engine));

    const woodshed_event *event;
    do {
        check(woodshed_listener_next(listener, -1, &event));
        printf("frame %lld: event %d", (long long)event->frame, event->kind);
        // Only the events of a player have a place. Others, such as a lost device, have other data.
        if (event->player != NULL) printf(", pass %d", event->data.place.pass);
        printf("\n");
    } while (event->kind != WOODSHED_EVENT_FINISHED);

    check(woodshed_engine_wait(engine));
    check(woodshed_listener_close(listener));
    check(woodshed_clip_close(clip));
    check(woodshed_engine_close(engine));
}
