// The cable of the card: the played sound is the recorded sound.
//
// A card of class 1 moves as many frames in a millisecond as the host sends, and records them in the same millisecond.
// A card of class 2 has a clock of its own. The card plays from a queue that the host fills; the feedback reports the
// speed of the clock to the host, and the queue's distance from its usual length. The frames that the clock plays in a
// microframe are recorded in the same microframe.
#include <stdio.h>
#include <string.h>
#include "card.h"

enum { SLOTS = 64, QUEUE = 1 << 10, PLAYED = 1 << 10, STARTS = 8 };
// The played frames, by millisecond.
static struct { int64_t millisecond; unsigned byte_count; uint8_t data[MOST_BYTES]; } cable[SLOTS];
static double frames_owed;
// The time at which the host chose the setting of the input that has an endpoint.
static int64_t input_chosen;

// A ring of frames, each with `frame_bytes()`; the numbers count from the first frame.
static uint8_t queue[QUEUE * MOST_BYTES / 8], played[PLAYED * MOST_BYTES / 8];
static int64_t queued, taken, played_count, recorded, clock_began;
static unsigned ran_dry, overflowed, feedbacks, output_starts;
static int64_t starts[STARTS];
static bool is_filled;

int64_t packet_time(int stream) { return card.audio_class == 2 && stream != FEEDBACK ? MICROFRAME : MILLISECOND; }

static double frames_in_second(void) { return card.rate * (1 + card.ppm / 1e6); }

// A millisecond of the card's clock.
static int64_t usual_length(void) { return card.rate / 1000; }

// Lets the clock of a card of class 2 play until this time.
static void play_until(int64_t time, bool is_playing) {
    if (clock_began == 0) clock_began = time - MILLISECOND;
    const int64_t end = (int64_t)((double)(time - clock_began) / 1e9 * frames_in_second());
    for (; played_count < end; played_count++) {
        uint8_t *frame = played + played_count % PLAYED * frame_bytes();
        if (taken < queued) memcpy(frame, queue + taken++ % QUEUE * frame_bytes(), frame_bytes());
        else {
            memset(frame, 0, frame_bytes());
            if (is_playing && is_filled) ran_dry += 1;
            is_filled = false;
        }
    }
}

static void fill(const uint8_t *data, unsigned frames) {
    for (unsigned frame = 0; frame < frames; frame++) {
        if (queued - taken == QUEUE) {
            overflowed += 1;
            return;
        }
        uint8_t *place = queue + queued++ % QUEUE * frame_bytes();
        if (data == NULL) memset(place, 0, frame_bytes());
        else memcpy(place, data + frame * frame_bytes(), frame_bytes());
    }
}

void choose_input(int64_t time) { input_chosen = time; }

void begin_stream(int stream, int64_t time) {
    if (card.audio_class != 2 || stream == FEEDBACK) return;
    play_until(time, false);
    if (stream == IN) recorded = played_count;
    else {
        if (output_starts < STARTS) starts[output_starts] = time;
        output_starts += 1;
        // The host's first frames come behind silence.
        taken = queued;
        fill(NULL, (unsigned)usual_length());
    }
}

// Frames per microframe, as a fraction of 65536: the clock's, and a little more or less if the queue is short or long.
static unsigned feedback(uint8_t *data) {
    const double off = (double)(usual_length() - (queued - taken));
    const unsigned value = (unsigned)(frames_in_second() / 8000 * 65536 + off * 4 + 0.5);
    for (int index = 0; index < 4; index++) data[index] = (uint8_t)(value >> 8 * index);
    feedbacks += 1;
    return 4;
}

static unsigned move_sound_2(int stream, int64_t time, uint8_t *data, unsigned length, bool is_playing) {
    play_until(time, is_playing);
    if (stream == FEEDBACK) return length < 4 ? 0 : feedback(data);
    if (stream == OUT) {
        fill(data, length / frame_bytes());
        is_filled = true;
        return length;
    }
    unsigned bytes = 0;
    if (played_count - recorded > PLAYED) recorded = played_count - PLAYED;
    for (; recorded < played_count && bytes + frame_bytes() <= length; recorded++, bytes += frame_bytes())
        memcpy(data + bytes, played + recorded % PLAYED * frame_bytes(), frame_bytes());
    return bytes;
}

// Frames leaving the input of a card of class 1 in the next millisecond: at 44100 Hz there are 44, and every tenth time
// 45.
static unsigned due_bytes(void) {
    frames_owed += card.rate / 1000.0;
    const unsigned frames = (unsigned)frames_owed;
    frames_owed -= frames;
    return frames * frame_bytes();
}

static unsigned move_sound_1(int stream, int64_t time, uint8_t *data, unsigned length) {
    const int64_t millisecond = time / MILLISECOND;
    const unsigned slot = (unsigned)(millisecond % SLOTS);
    if (stream == IN) {
        const unsigned quiet = due_bytes();
        const bool is_played = cable[slot].millisecond == millisecond;
        const unsigned wanted = is_played ? cable[slot].byte_count : quiet;
        if (wanted < length) length = wanted;
        if (is_played) memcpy(data, cable[slot].data, length);
        else memset(data, 0, length);
        return length;
    }
    if (length > MOST_BYTES) length = MOST_BYTES;
    cable[slot].millisecond = millisecond;
    cable[slot].byte_count = length;
    memcpy(cable[slot].data, data, length);
    return length;
}

// The last frame received by the input.
static uint8_t last_frame[MOST_BYTES];

unsigned move_sound(int stream, int64_t time, uint8_t *data, unsigned length, bool is_playing) {
    const unsigned moved =
        card.audio_class == 2 ? move_sound_2(stream, time, data, length, is_playing) : move_sound_1(stream, time, data, length);
    if (stream != IN) return moved;
    if (time - input_chosen < card.late) return 0;
    if (moved >= frame_bytes()) memcpy(last_frame, data + moved - frame_bytes(), frame_bytes());
    return moved;
}

void tell_last_frame(void) {
    for (unsigned byte = 0; byte < frame_bytes(); byte++) printf("%02x", last_frame[byte]);
    puts("");
    fflush(stdout);
}

void reset_sound(void) {
    memset(cable, 0, sizeof cable);
    memset(last_frame, 0, sizeof last_frame);
    queued = taken = played_count = recorded = clock_began = 0;
}

void tell_sound(void) {
    if (card.audio_class != 2) return;
    printf("output starts: %u, ran dry: %u, overflowed: %u, feedbacks: %u\n", output_starts, ran_dry, overflowed, feedbacks);
    for (unsigned start = 0; start < output_starts && start < STARTS; start++) printf("start: %.6f s\n", (double)starts[start] / 1e9);
}
