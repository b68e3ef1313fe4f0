// Loops one second of a recording three times at 70 %, in C++17: owners close the handles, and errors are exceptions.
// looper [FILE [OUTPUT]]
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <woodshed.h>

void check(woodshed_status status) {
    if (status == WOODSHED_OK) return;
    throw std::runtime_error(std::string(woodshed_error_message()) + "\n" + woodshed_error_remedy());
}

// The owner of a handle, and the function that closes the handle.
template <auto close> struct Closer {
    template <class Handle> void operator()(Handle *handle) const { close(handle); }
};
using Engine = std::unique_ptr<woodshed_engine, Closer<woodshed_engine_close>>;
using Clip = std::unique_ptr<woodshed_clip, Closer<woodshed_clip_close>>;
using Player = std::unique_ptr<woodshed_player, Closer<woodshed_player_close>>;

Engine open_engine(const char *output) {
    woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
    options.sample_rate = 44100;
    options.ends_with_players = 1;
    woodshed_engine *engine;
    check(woodshed_engine_open(output, &options, &engine));
    return Engine(engine);
}

Clip open_clip(const Engine &engine, const char *file) {
    woodshed_clip *clip;
    check(woodshed_clip_open(engine.get(), file, &clip));
    return Clip(clip);
}

// Plays the second second of a clip three times.
Player open_player(const Engine &engine, const Clip &clip) {
    woodshed_section section = WOODSHED_SECTION_INIT;
    section.start = 44100;
    section.end = 88200;
    section.passes = 3;
    section.speed = 0.7;
    woodshed_plan plan = WOODSHED_PLAN_INIT;
    plan.sections = &section;
    plan.section_count = 1;
    woodshed_player *player;
    check(woodshed_player_open(engine.get(), clip.get(), &plan, &player));
    return Player(player);
}

int main(int count, char **arguments) try {
    // Declared in this order, the player is closed before the clip, and the clip before the engine.
    const Engine engine = open_engine(count > 2 ? arguments[2] : "default");
    const Clip clip = open_clip(engine, count > 1 ? arguments[1] : "song.wav");
    const Player player = open_player(engine, clip);
    check(woodshed_player_start(player.get(), WOODSHED_NOW));
    check(woodshed_engine_start(engine.get()));
    check(woodshed_engine_wait(engine.get()));
} catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
