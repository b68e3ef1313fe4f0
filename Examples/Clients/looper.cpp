// Loops one second of a recording three times at 70 %, in C++17: owners close the handles, and errors are exceptions.
// looper FILE [OUTPUT]
#include <iostream>
#include <memory>
#include <stdexcept>
#include <woodshed.h>
void check(woodshed_status status) {
    if (status != WOODSHED_OK) throw std::runtime_error(woodshed_error_message());
}
template <auto close> struct Closer {
    template <class Handle> void operator()(Handle *handle) const { close(handle); }
};
template <class Handle, auto close> using Owned = std::unique_ptr<Handle, Closer<close>>;

int main(int count, char **arguments) try {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100, options.ends_with_players = 1;
    woodshed_engine *engine;
    check(woodshed_engine_open(count > 2 ? arguments[2] : "default", &options, &engine));
    Owned<woodshed_engine, woodshed_engine_close> engine_owner(engine);
    woodshed_clip *clip;
    check(woodshed_clip_open(engine, count > 1 ? arguments[1] : "song.wav", &clip));
    Owned<woodshed_clip, woodshed_clip_close> clip_owner(clip);
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.start = 44100, section.end = 88200, section.passes = 3, section.speed = 0.7;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section, plan.section_count = 1;
    woodshed_player *player;
    check(woodshed_player_open(engine, clip, &plan, &player));
    check(woodshed_player_start(player, WOODSHED_NOW));
    check(woodshed_engine_start(engine));
    check(woodshed_engine_wait(engine));
} catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
