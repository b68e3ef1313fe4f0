// The card's description of itself: the descriptors of USB audio 1.0 and 2.0, and the requests to its control endpoint.
#include <string.h>
#include "card.h"

static uint8_t configuration[320];
static unsigned configuration_length;

static void append(const uint8_t *descriptor) {
    memcpy(configuration + configuration_length, descriptor, descriptor[0]);
    configuration_length += descriptor[0];
}
#define APPEND(...) append((const uint8_t[]){__VA_ARGS__})
#define LOW(value) ((value) & 255)
#define HIGH(value) ((value) >> 8 & 255)

enum { CLOCK = 16, ADDRESS_OUT = 0x01, ADDRESS_FEEDBACK = 0x81, ADDRESS_IN = 0x82 };

// Each direction is a pair of terminals: 1 from the host, 2 to the line output; 3 from the line input, 4 to the host.
static void describe_control_1(void) {
    const unsigned places = card.channels == 2 ? 3 : 0;  // left and right
    const unsigned count = card.has[OUT] + card.has[IN], length = 8 + count * (1 + 12 + 9);
    APPEND(9, 4, 0, 0, 0, 1, 1, 0, 0);
    // Its last bytes are the numbers of the interfaces.
    if (count == 2) APPEND(10, 0x24, 1, 0x00, 0x01, LOW(length), 0, 2, 1, 2);
    else APPEND(9, 0x24, 1, 0x00, 0x01, LOW(length), 0, 1, 1);
    if (card.has[OUT]) {
        APPEND(12, 0x24, 2, 1, 0x01, 0x01, 0, card.channels, places, 0, 0, 0);
        APPEND(9, 0x24, 3, 2, 0x03, 0x06, 0, 1, 0);
    }
    if (card.has[IN]) {
        APPEND(12, 0x24, 2, 3, 0x03, 0x06, 0, card.channels, places, 0, 0, 0);
        APPEND(9, 0x24, 3, 4, 0x01, 0x01, 0, 3, 0);
    }
}

static void describe_control_2(void) {
    const unsigned places = card.channels == 2 ? 3 : 0, count = card.has[OUT] + card.has[IN];
    const unsigned length = 9 + 8 + count * (17 + 12);
    APPEND(8, 0x0b, 0, 1 + count, 1, 0, 0x20, 0);
    APPEND(9, 4, 0, 0, 0, 1, 1, 0x20, 0);
    APPEND(9, 0x24, 1, 0x00, 0x02, 8, LOW(length), HIGH(length), 0);
    APPEND(8, 0x24, 0x0a, CLOCK, 1, 0x07, 0, 0);  // fixed; its rate and whether it is valid can be read
    if (card.has[OUT]) {
        APPEND(17, 0x24, 2, 1, 0x01, 0x01, 0, CLOCK, card.channels, places, 0, 0, 0, 0, 0, 0, 0);
        APPEND(12, 0x24, 3, 2, 0x03, 0x06, 0, 1, CLOCK, 0, 0, 0);
    }
    if (card.has[IN]) {
        APPEND(17, 0x24, 2, 3, 0x03, 0x06, 0, CLOCK, card.channels, places, 0, 0, 0, 0, 0, 0, 0);
        APPEND(12, 0x24, 3, 4, 0x01, 0x01, 0, 3, CLOCK, 0, 0, 0);
    }
}

static void describe_stream_1(int direction, unsigned interface) {
    const unsigned most = (card.rate / 1000 + 1) * frame_bytes();
    APPEND(9, 4, interface, 0, 0, 1, 2, 0, 0);
    APPEND(9, 4, interface, 1, 1, 1, 2, 0, 0);
    APPEND(7, 0x24, 1, direction == IN ? 4 : 1, 1, 1, 0);
    APPEND(11, 0x24, 2, 1, card.channels, card.bits / 8, card.bits, 1, LOW(card.rate), HIGH(card.rate), card.rate >> 16);
    APPEND(9, 5, direction == IN ? ADDRESS_IN : ADDRESS_OUT, 0x0d, LOW(most), HIGH(most), 1, 0, 0);
    APPEND(7, 0x25, 1, 0, 0, 0, 0);
}

// Both directions are asynchronous, and the feedback of the output comes once a millisecond.
static void describe_stream_2(int direction, unsigned interface) {
    const unsigned most = (card.rate / 8000 + 2) * frame_bytes(), places = card.channels == 2 ? 3 : 0;
    APPEND(9, 4, interface, 0, 0, 1, 2, 0x20, 0);
    APPEND(9, 4, interface, 1, direction == OUT ? 2 : 1, 1, 2, 0x20, 0);
    APPEND(16, 0x24, 1, direction == IN ? 4 : 1, 0, 1, 1, 0, 0, 0, card.channels, places, 0, 0, 0, 0);
    APPEND(6, 0x24, 2, 1, card.bits / 8, card.bits);
    APPEND(7, 5, direction == IN ? ADDRESS_IN : ADDRESS_OUT, 0x05, LOW(most), HIGH(most), 1);
    APPEND(8, 0x25, 1, 0, 0, 0, 0, 0);
    if (direction == OUT) APPEND(7, 5, ADDRESS_FEEDBACK, 0x11, 4, 0, 4);
}

void describe(void) {
    unsigned interface = 0;
    APPEND(9, 2, 0, 0, 1 + card.has[OUT] + card.has[IN], 1, 0, 0x80, 50);
    if (card.audio_class == 2) describe_control_2();
    else describe_control_1();
    for (int direction = OUT; direction < DIRECTIONS; direction++) {
        if (!card.has[direction]) continue;
        interface += 1;
        if (card.audio_class == 2) describe_stream_2(direction, interface);
        else describe_stream_1(direction, interface);
    }
    configuration[2] = LOW(configuration_length);
    configuration[3] = HIGH(configuration_length);
}

static int string_descriptor(uint8_t *answer, const char *text) {
    const int length = 2 + 2 * (int)strlen(text);
    memset(answer, 0, (size_t)length);
    answer[0] = (uint8_t)length;
    answer[1] = 3;
    for (int index = 0; text[index] != 0; index++) answer[2 + 2 * index] = (uint8_t)text[index];
    return length;
}

static int descriptor(unsigned kind, unsigned index, uint8_t *answer) {
    static const uint8_t device_1[18] = {18, 1, 0x10, 0x01, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0xa0, 0, 1, 1, 2, 3, 1};
    static const uint8_t device_2[18] = {18, 1, 0x00, 0x02, 0xef, 2, 1, 64, 0x09, 0x12, 0x02, 0xa0, 0, 1, 1, 2, 3, 1};
    static const uint8_t languages[4] = {4, 3, 9, 4};
    static const char *const texts[] = {"Woodshed", "Cable", "0001"};
    if (kind == 1) {
        memcpy(answer, card.audio_class == 2 ? device_2 : device_1, sizeof device_1);
        return sizeof device_1;
    }
    if (kind == 2) {
        memcpy(answer, configuration, configuration_length);
        return (int)configuration_length;
    }
    if (kind != 3 || index > 3) return -1;
    if (index > 0) return string_descriptor(answer, texts[index - 1]);
    memcpy(answer, languages, sizeof languages);
    return sizeof languages;
}

static void put_rate(uint8_t *answer, int bytes) {
    for (int index = 0; index < bytes; index++) answer[index] = (uint8_t)(card.rate >> 8 * index);
}

// A request to the clock of a card of class 2: the rate, the range of rates, or the validity.
static int clock_request(unsigned request, unsigned selector, uint8_t *answer) {
    if (request == 1 && selector == 2) {
        answer[0] = 1;
        return 1;
    }
    if (selector != 1 || (request != 1 && request != 2)) return -1;
    if (request == 1) {
        put_rate(answer, 4);
        return 4;
    }
    memset(answer, 0, 14);
    answer[0] = 1;  // one range, from the rate to the rate
    put_rate(answer + 2, 4);
    put_rate(answer + 6, 4);
    return 14;
}

int control(const uint8_t *setup, uint8_t *answer, int64_t time) {
    const int type = setup[0], request = setup[1], most = setup[6] | setup[7] << 8;
    int length = -1;
    memset(answer, 0, 4);
    if (type == 0x80 && request == 6) length = descriptor(setup[3], setup[2], answer);
    else if (type == 0x80 && request == 0) length = 2;   // its state
    else if (type == 0x81 && request == 10) length = 1;  // an interface's setting
    else if (type == 0xa1 && setup[5] == CLOCK) length = clock_request((unsigned)request, setup[3], answer);
    else if (type == 0xa2) {  // the rate
        put_rate(answer, 3);
        length = 3;
    } else if ((type & 0x80) == 0) length = 0;
    // The input's interface is the last.
    if (type == 1 && request == 11 && setup[2] == 1 && setup[4] == card.has[OUT] + 1) choose_input(time);
    return length < most ? length : most;
}
