// Declarations shared by the parts of the card.
#ifndef CARD_H
#define CARD_H
#include <stdbool.h>
#include <stdint.h>

enum { OUT, IN, FEEDBACK, STREAMS, DIRECTIONS = 2 };
enum { MOST_BYTES = 1024, LONGEST_TRANSFER = 1 << 16, MOST_PACKETS = 1024 };
static const int64_t MILLISECOND = 1000000, MICROFRAME = 125000;

// The card's properties; set once.
struct card {
    unsigned rate, bits, channels;
    // The class of USB audio: 1 at full speed, or 2 at high speed, with a clock of its own, `ppm` too fast.
    int audio_class, ppm;
    // The time for which the input delivers nothing after the host's choice of the input's setting.
    int64_t late;
    bool has[DIRECTIONS];
};
extern struct card card;

static inline unsigned frame_bytes(void) { return card.bits / 8 * card.channels; }

// A packet of a transfer, in the form of USB/IP; in the order of the network.
struct packet { uint32_t offset, length, actual, status; } __attribute__((packed));

// descriptors.c
void describe(void);
// Answers a request to the control endpoint. Returns the answer's length, or -1 for a refusal.
int control(const uint8_t *setup, uint8_t *answer, int64_t time);

// sound.c
// Returns the duration of a packet of a stream.
int64_t packet_time(int stream);
// The host chooses the setting of the input that has an endpoint.
void choose_input(int64_t time);
// A stream starts at this time, or goes on after a gap left by the host.
void begin_stream(int stream, int64_t time);
// Moves a packet of a stream in its time, to or from `data`. Returns the number of bytes. `is_playing`: whether the
// host sends sound now.
unsigned move_sound(int stream, int64_t time, uint8_t *data, unsigned length, bool is_playing);
// Prints the last frame received by the input, as bytes.
void tell_last_frame(void);
// Forgets everything, as when the card is pulled out.
void reset_sound(void);
// Prints the observations of a class 2 card's clock.
void tell_sound(void);
#endif
