// usbcard [RATE [BITS [CHANNELS]]]: a USB sound card of class 1, with one output and one input, in user space.
//
// The kernel's own snd-usb-audio drives it: it speaks USB/IP with vhci-hcd, over a pair of sockets. What is played is recorded in the
// same millisecond, so output and input lie apart by a constant number of frames, as through a cable. It plugs itself in, and out
// when it is ended. SIGUSR1 unplugs it for two seconds, and it then prints the last frame that had come to the input, as bytes. It has
// no volume and no other rate than its own.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Messages of USB/IP, in the order of the network. See Documentation/usb/usbip_protocol.rst of Linux.
enum { SUBMIT = 1, UNLINK = 2, SUBMITTED = 3, UNLINKED = 4 };
struct message {
    uint32_t command, number, device, direction, endpoint;
    union {
        struct { uint32_t flags, length, start, packets, interval; uint8_t setup[8]; } submit;
        struct { uint32_t status, length, start, packets, errors; uint8_t rest[8]; } answer;
        struct { uint32_t number; uint8_t rest[24]; } unlink;
    } of;
} __attribute__((packed));
struct packet { uint32_t offset, length, actual, status; } __attribute__((packed));

// A transfer of sound that waits for its time: a packet a millisecond.
struct transfer {
    struct message message;
    struct packet *packets;
    uint8_t *data;
    int64_t due;
    unsigned next_packet, byte_count;
    bool is_used;
};

enum { OUT, IN, DIRECTIONS, QUEUE = 64, SLOTS = 64, MOST_BYTES = 1024, LONGEST_TRANSFER = 1 << 16, MOST_PACKETS = 1024 };
static const int64_t MILLISECOND = 1000000;

static unsigned sample_rate = 48000, sample_bits = 16, channel_count = 2;
static volatile sig_atomic_t is_unplugged, is_ended;
static struct transfer queue[DIRECTIONS][QUEUE];
// When the next transfer of each direction is due.
static int64_t next_due[DIRECTIONS];
// What was played, by its millisecond.
static struct { int64_t millisecond; unsigned byte_count; uint8_t data[MOST_BYTES]; } cable[SLOTS];
static double frames_owed;
// The last frame that came to the input.
static uint8_t last_frame[MOST_BYTES];

static uint8_t configuration[256];
static unsigned configuration_length;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 * MILLISECOND + time.tv_nsec;
}

static void on_signal(int number) {
    if (number == SIGUSR1) is_unplugged = 1;
    else is_ended = 1;
}

static void append(const uint8_t *descriptor) {
    memcpy(configuration + configuration_length, descriptor, descriptor[0]);
    configuration_length += descriptor[0];
}
#define APPEND(...) append((const uint8_t[]){__VA_ARGS__})
#define LOW(value) ((value) & 255)
#define HIGH(value) ((value) >> 8 & 255)

// The descriptors of the configuration: an interface for control, and one for each direction.
static void describe(void) {
    const unsigned frame = sample_bits / 8 * channel_count, most = (sample_rate / 1000 + 1) * frame;
    const unsigned places = channel_count == 2 ? 3 : 0;  // left and right
    enum { TERMINALS = 10 + 12 + 9 + 12 + 9 };
    APPEND(9, 2, 0, 0, 3, 1, 0, 0x80, 50);
    APPEND(9, 4, 0, 0, 0, 1, 1, 0, 0);
    APPEND(10, 0x24, 1, 0x00, 0x01, TERMINALS, 0, 2, 1, 2);
    APPEND(12, 0x24, 2, 1, 0x01, 0x01, 0, channel_count, places, 0, 0, 0);  // from the host
    APPEND(9, 0x24, 3, 2, 0x03, 0x06, 0, 1, 0);                             // to the line output
    APPEND(12, 0x24, 2, 3, 0x03, 0x06, 0, channel_count, places, 0, 0, 0);  // from the line input
    APPEND(9, 0x24, 3, 4, 0x01, 0x01, 0, 3, 0);                             // to the host
    for (unsigned direction = OUT; direction < DIRECTIONS; direction++) {
        APPEND(9, 4, direction + 1, 0, 0, 1, 2, 0, 0);
        APPEND(9, 4, direction + 1, 1, 1, 1, 2, 0, 0);
        APPEND(7, 0x24, 1, direction == IN ? 4 : 1, 1, 1, 0);
        APPEND(11, 0x24, 2, 1, channel_count, sample_bits / 8, sample_bits, 1, LOW(sample_rate), HIGH(sample_rate), sample_rate >> 16);
        APPEND(9, 5, direction == IN ? 0x82 : 0x01, 0x0d, LOW(most), HIGH(most), 1, 0, 0);
        APPEND(7, 0x25, 1, 0, 0, 0, 0);
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
    static const uint8_t device[18] = {18, 1, 0x10, 0x01, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0xa0, 0, 1, 1, 2, 3, 1};
    static const uint8_t languages[4] = {4, 3, 9, 4};
    static const char *const texts[] = {"Woodshed", "Cable", "0001"};
    if (kind == 1) {
        memcpy(answer, device, sizeof device);
        return sizeof device;
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

// Answers a request to the control endpoint: the answer's length, or -1 for a refusal.
static int control(const uint8_t *setup, uint8_t *answer) {
    const int type = setup[0], request = setup[1], most = setup[6] | setup[7] << 8;
    int length = -1;
    memset(answer, 0, 4);
    if (type == 0x80 && request == 6) length = descriptor(setup[3], setup[2], answer);
    else if (type == 0x80 && request == 0) length = 2;   // its state
    else if (type == 0x81 && request == 10) length = 1;  // an interface's setting
    else if (type == 0xa2) {                             // the rate
        answer[0] = LOW(sample_rate);
        answer[1] = HIGH(sample_rate);
        answer[2] = (uint8_t)(sample_rate >> 16);
        length = 3;
    } else if ((type & 0x80) == 0) length = 0;
    return length < most ? length : most;
}

static bool send_all(int line, const void *bytes, size_t count) {
    for (const uint8_t *place = bytes; count > 0;) {
        const ssize_t done = write(line, place, count);
        if (done < 0 && errno == EINTR && !is_ended && !is_unplugged) continue;
        if (done <= 0) return false;
        place += done;
        count -= (size_t)done;
    }
    return true;
}

static bool receive_all(int line, void *bytes, size_t count) {
    for (uint8_t *place = bytes; count > 0;) {
        const ssize_t done = read(line, place, count);
        if (done < 0 && errno == EINTR && !is_ended && !is_unplugged) continue;
        if (done <= 0) return false;
        place += done;
        count -= (size_t)done;
    }
    return true;
}

static bool answer(int line, uint32_t command, uint32_t number, int status, unsigned length, unsigned packets) {
    struct message message = {.command = htonl(command), .number = number};
    message.of.answer.status = htonl((uint32_t)status);
    message.of.answer.length = htonl(length);
    message.of.answer.packets = htonl(packets);
    return send_all(line, &message, sizeof message);
}

static void forget(struct transfer *transfer) {
    free(transfer->data);
    free(transfer->packets);
    *transfer = (struct transfer){0};
}

// Frames that leave the input in the next millisecond: at 44100 Hz there are 44, and every tenth time 45.
static unsigned due_bytes(void) {
    frames_owed += sample_rate / 1000.0;
    const unsigned frames = (unsigned)frames_owed;
    frames_owed -= frames;
    return frames * (sample_bits / 8) * channel_count;
}

// Moves one packet in its millisecond, and answers a transfer that is complete. False if the line is broken.
static bool move_packet(int line, struct transfer *transfer, int direction) {
    const unsigned count = ntohl(transfer->message.of.submit.packets);
    struct packet *packet = &transfer->packets[transfer->next_packet++];
    const int64_t millisecond = transfer->due / MILLISECOND;
    const unsigned slot = (unsigned)(millisecond % SLOTS), offset = ntohl(packet->offset);
    unsigned length = ntohl(packet->length);
    if (direction == IN) {
        const unsigned quiet = due_bytes();
        const bool is_played = cable[slot].millisecond == millisecond;
        const unsigned wanted = is_played ? cable[slot].byte_count : quiet;
        if (wanted < length) length = wanted;
        if (is_played) memcpy(transfer->data + transfer->byte_count, cable[slot].data, length);
        else memset(transfer->data + transfer->byte_count, 0, length);
        const unsigned frame = sample_bits / 8 * channel_count;
        if (length >= frame) memcpy(last_frame, transfer->data + transfer->byte_count + length - frame, frame);
    } else {
        if (length > MOST_BYTES) length = MOST_BYTES;
        cable[slot].millisecond = millisecond;
        cable[slot].byte_count = length;
        memcpy(cable[slot].data, transfer->data + offset, length);
    }
    packet->actual = htonl(length);
    packet->status = 0;
    transfer->byte_count += length;
    transfer->due += MILLISECOND;
    if (transfer->next_packet < count) return true;
    const bool is_sent =
        answer(line, SUBMITTED, transfer->message.number, 0, transfer->byte_count, count)
        && (direction == OUT || send_all(line, transfer->data, transfer->byte_count))
        && send_all(line, transfer->packets, count * sizeof *packet);
    forget(transfer);
    return is_sent;
}

// The transfer whose packet is due first, and its direction; NULL if there is none.
static struct transfer *first_due(int *direction) {
    struct transfer *first = NULL;
    for (int side = OUT; side < DIRECTIONS; side++) {
        for (int index = 0; index < QUEUE; index++) {
            struct transfer *transfer = &queue[side][index];
            if (!transfer->is_used || (first != NULL && transfer->due >= first->due)) continue;
            first = transfer;
            *direction = side;
        }
    }
    return first;
}

static bool unlink_transfer(int line, const struct message *message) {
    int status = 0;
    for (int side = OUT; side < DIRECTIONS; side++) {
        for (int index = 0; index < QUEUE; index++) {
            if (!queue[side][index].is_used || queue[side][index].message.number != message->of.unlink.number) continue;
            forget(&queue[side][index]);
            status = -ECONNRESET;
        }
    }
    return answer(line, UNLINKED, message->number, status, 0, 0);
}

// Puts a transfer of sound into the queue. Packets lie on one grid of milliseconds, recording just behind playing.
static bool enqueue(const struct message *message, struct packet *packets, uint8_t *data, int direction) {
    const int64_t grid = (now() / MILLISECOND + 1) * MILLISECOND + (direction == IN ? 1000 : 0);
    if (next_due[direction] < grid) next_due[direction] = grid;
    for (int index = 0; index < QUEUE; index++) {
        if (queue[direction][index].is_used) continue;
        queue[direction][index] = (struct transfer){*message, packets, data, next_due[direction], 0, 0, true};
        next_due[direction] += ntohl(message->of.submit.packets) * MILLISECOND;
        return true;
    }
    return false;
}

static bool submit(int line, const struct message *message) {
    const int direction = ntohl(message->direction) != 0 ? IN : OUT;
    const unsigned length = ntohl(message->of.submit.length), count = ntohl(message->of.submit.packets);
    if (length > LONGEST_TRANSFER) return false;
    uint8_t *data = calloc(1, LONGEST_TRANSFER);
    if (data == NULL || (direction == OUT && !receive_all(line, data, length))) return false;
    if (message->endpoint == 0) {
        const int size = control(message->of.submit.setup, data);
        const unsigned sent = direction == IN && size > 0 ? (unsigned)size : 0;
        const bool is_sent = answer(line, SUBMITTED, message->number, size < 0 ? -EPIPE : 0, direction == IN ? sent : length, 0)
            && send_all(line, data, sent);
        free(data);
        return is_sent;
    }
    if (count == 0 || count > MOST_PACKETS) return false;
    struct packet *packets = calloc(count, sizeof *packets);
    return packets != NULL && receive_all(line, packets, count * sizeof *packets) && enqueue(message, packets, data, direction);
}

// Serves the line until the card is to be unplugged, or the host has gone.
static void serve(int line) {
    while (!is_ended && !is_unplugged) {
        int direction = OUT;
        struct transfer *transfer = first_due(&direction);
        const int64_t wait = transfer == NULL ? 0 : transfer->due - now();
        if (transfer != NULL && wait <= 0) {
            if (!move_packet(line, transfer, direction)) return;
            continue;
        }
        struct pollfd entry = {.fd = line, .events = POLLIN};
        const struct timespec limit = {wait / (1000 * MILLISECOND), wait % (1000 * MILLISECOND)};
        if (ppoll(&entry, 1, transfer == NULL ? NULL : &limit, NULL) <= 0) continue;
        struct message message;
        if (!receive_all(line, &message, sizeof message)) return;
        if (!(ntohl(message.command) == UNLINK ? unlink_transfer(line, &message) : submit(line, &message))) return;
    }
}

// Plugs the card into the first port of vhci-hcd; our end of the line, or -1.
static int plug(void) {
    int line[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, line) != 0) return -1;
    const int file = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY);
    char text[64];
    const int length = snprintf(text, sizeof text, "0 %d 65537 2", line[1]);  // port, line, device, full speed
    const bool is_attached = file >= 0 && write(file, text, (size_t)length) == length;
    if (!is_attached) perror("usbcard");
    if (file >= 0) close(file);
    close(line[1]);
    if (is_attached) return line[0];
    close(line[0]);
    return -1;
}

int main(int count, char **words) {
    if (count > 1) sample_rate = (unsigned)atoi(words[1]);
    if (count > 2) sample_bits = (unsigned)atoi(words[2]);
    if (count > 3) channel_count = (unsigned)atoi(words[3]);
    if ((sample_rate / 1000 + 1) * sample_bits / 8 * channel_count > MOST_BYTES - 1) {
        fprintf(stderr, "usbcard: a millisecond of it has more bytes than a packet of USB at full speed\n");
        return 64;
    }
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    describe();
    while (!is_ended) {
        const int line = plug();
        if (line < 0) return 1;
        serve(line);
        close(line);
        for (int side = OUT; side < DIRECTIONS; side++) {
            for (int index = 0; index < QUEUE; index++) forget(&queue[side][index]);
            next_due[side] = 0;
        }
        memset(cable, 0, sizeof cable);
        if (!is_unplugged) break;
        is_unplugged = 0;
        for (unsigned byte = 0; byte < sample_bits / 8 * channel_count; byte++) printf("%02x", last_frame[byte]);
        puts("");
        fflush(stdout);
        memset(last_frame, 0, sizeof last_frame);
        if (!is_ended) sleep(2);
    }
    return 0;
}
