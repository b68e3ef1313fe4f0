// usbcard [-2] [-p PPM] [-l MILLISECONDS] [-o | -i] [RATE [BITS [CHANNELS]]]: a USB sound card with one
// output and one input, in user space.
//
// The kernel's own snd-usb-audio drives the card, which speaks USB/IP with vhci-hcd over a pair of sockets. The card
// records its output at the same time, so output and input are a constant number of frames apart, as through a cable.
// The card plugs itself in, and out when ended. SIGUSR1 unplugs the card for two seconds; after SIGUSR2 the card
// answers nothing any more. The card has no volume and only one rate.
//
//   -2   of class 2, at high speed, asynchronous with feedback; otherwise of class 1, at full speed
//   -p   the clock of a card of class 2 is too fast by PPM
//   -l   the input delivers nothing for MILLISECONDS after its setting was chosen
//   -o   only an output; -i: only an input
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "card.h"

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
// A transfer of sound waiting for the due time.
struct transfer {
    struct message message;
    struct packet *packets;
    uint8_t *data;
    int64_t due;
    unsigned next_packet, byte_count;
    bool is_used;
};

enum { QUEUE = 64 };
struct card card = {.rate = 48000, .bits = 16, .channels = 2, .audio_class = 1, .has = {true, true}};
static volatile sig_atomic_t is_unplugged, is_ended, is_silent;
static struct transfer queue[STREAMS][QUEUE];
// The due time of each stream's next transfer.
static int64_t next_due[STREAMS];

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 * MILLISECOND + time.tv_nsec;
}

static void on_signal(int number) {
    if (number == SIGUSR1) is_unplugged = 1;
    else if (number == SIGUSR2) is_silent = 1;
    else is_ended = 1;
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

static bool is_waiting(int stream) {
    for (int index = 0; index < QUEUE; index++) {
        if (queue[stream][index].is_used) return true;
    }
    return false;
}

// Moves one packet in its time, and answers a complete transfer. False if the line is broken.
static bool move_packet(int line, struct transfer *transfer, int stream) {
    const unsigned count = ntohl(transfer->message.of.submit.packets);
    struct packet *packet = &transfer->packets[transfer->next_packet++];
    uint8_t *data = transfer->data + (stream == OUT ? ntohl(packet->offset) : transfer->byte_count);
    const unsigned length = move_sound(stream, transfer->due, data, ntohl(packet->length), is_waiting(OUT));
    packet->actual = htonl(length);
    packet->status = 0;
    transfer->byte_count += length;
    transfer->due += packet_time(stream);
    if (transfer->next_packet < count) return true;
    const bool is_sent =
        answer(line, SUBMITTED, transfer->message.number, 0, transfer->byte_count, count)
        && (stream == OUT || send_all(line, transfer->data, transfer->byte_count))
        && send_all(line, transfer->packets, count * sizeof *packet);
    forget(transfer);
    return is_sent;
}

// The transfer with the earliest due packet, and the transfer's stream; NULL without transfers.
static struct transfer *first_due(int *stream) {
    struct transfer *first = NULL;
    for (int side = OUT; side < STREAMS; side++) {
        for (int index = 0; index < QUEUE; index++) {
            struct transfer *transfer = &queue[side][index];
            if (!transfer->is_used || (first != NULL && transfer->due >= first->due)) continue;
            first = transfer;
            *stream = side;
        }
    }
    return first;
}

static bool unlink_transfer(int line, const struct message *message) {
    int status = 0;
    for (int side = OUT; side < STREAMS; side++) {
        for (int index = 0; index < QUEUE; index++) {
            if (!queue[side][index].is_used || queue[side][index].message.number != message->of.unlink.number) continue;
            forget(&queue[side][index]);
            status = -ECONNRESET;
        }
    }
    return answer(line, UNLINKED, message->number, status, 0, 0);
}

// Puts a transfer of sound into the queue. Packets lie on one grid of times; recording is just behind playing.
static bool enqueue(const struct message *message, struct packet *packets, uint8_t *data, int stream) {
    const int64_t step = packet_time(stream), grid = (now() / step + 1) * step + stream * 1000;
    if (next_due[stream] < grid) {
        next_due[stream] = grid;
        begin_stream(stream, grid);
    }
    for (int index = 0; index < QUEUE; index++) {
        if (queue[stream][index].is_used) continue;
        queue[stream][index] = (struct transfer){*message, packets, data, next_due[stream], 0, 0, true};
        next_due[stream] += ntohl(message->of.submit.packets) * step;
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
        if (is_silent) return true;
        const int size = control(message->of.submit.setup, data, now());
        const unsigned sent = direction == IN && size > 0 ? (unsigned)size : 0;
        const bool is_sent = answer(line, SUBMITTED, message->number, size < 0 ? -EPIPE : 0, direction == IN ? sent : length, 0)
            && send_all(line, data, sent);
        free(data);
        return is_sent;
    }
    if (count == 0 || count > MOST_PACKETS) return false;
    struct packet *packets = calloc(count, sizeof *packets);
    return packets != NULL && receive_all(line, packets, count * sizeof *packets) 
        && enqueue(message, packets, data, direction == OUT ? OUT : ntohl(message->endpoint) == 1 ? FEEDBACK : IN);
}

// Serves the line until the card has to be unplugged, or the host has gone.
static void serve(int line) {
    while (!is_ended && !is_unplugged) {
        int stream = OUT;
        struct transfer *transfer = is_silent ? NULL : first_due(&stream);
        const int64_t wait = transfer == NULL ? 0 : transfer->due - now();
        if (transfer != NULL && wait <= 0) {
            if (!move_packet(line, transfer, stream)) return;
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

// Neither a card nor the interrupts of its bus wait for programs: the threads of vhci-hcd take their place.
static void be_prompt(void) {
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 95});
    DIR *processes = opendir("/proc");
    if (processes == NULL) return;
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        char path[300], name[16] = "";
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        if (fgets(name, sizeof name, file) != NULL && strncmp(name, "vhci_", 5) == 0)
            sched_setscheduler(atoi(entry->d_name), SCHED_FIFO, &(struct sched_param){.sched_priority = 94});
        fclose(file);
    }
    closedir(processes);
}

// Plugs the card into the first port of vhci-hcd. Returns the card's end of the line, or -1.
static int plug(void) {
    int line[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, line) != 0) return -1;
    const int file = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY);
    char text[64];
    // port, line, device, speed
    const int length = snprintf(text, sizeof text, "0 %d 65537 %d", line[1], card.audio_class == 2 ? 3 : 2);
    const bool is_attached = file >= 0 && write(file, text, (size_t)length) == length;
    if (!is_attached) perror("usbcard");
    if (file >= 0) close(file);
    close(line[1]);
    if (is_attached) return line[0];
    close(line[0]);
    return -1;
}

int main(int count, char **words) {
    for (int option; (option = getopt(count, words, "2p:l:oi")) >= 0;) {
        if (option == '2') card.audio_class = 2;
        else if (option == 'p') card.ppm = atoi(optarg);
        else if (option == 'l') card.late = atoi(optarg) * MILLISECOND;
        else if (option == 'o') card.has[IN] = false;
        else if (option == 'i') card.has[OUT] = false;
        else return 64;
    }
    if (count > optind) card.rate = (unsigned)atoi(words[optind]);
    if (count > optind + 1) card.bits = (unsigned)atoi(words[optind + 1]);
    if (count > optind + 2) card.channels = (unsigned)atoi(words[optind + 2]);
    if ((card.rate / (card.audio_class == 2 ? 8000 : 1000) + 2) * frame_bytes() > MOST_BYTES) {
        fprintf(stderr, "usbcard: one packet of it has more bytes than USB can carry\n");
        return 64;
    }
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    describe();
    while (!is_ended) {
        const int line = plug();
        if (line < 0) return 1;
        be_prompt();
        serve(line);
        close(line);
        for (int side = OUT; side < STREAMS; side++) {
            for (int index = 0; index < QUEUE; index++) forget(&queue[side][index]);
            next_due[side] = 0;
        }
        if (is_unplugged) tell_last_frame();
        reset_sound();
        if (!is_unplugged) break;
        is_unplugged = 0;
        if (!is_ended) sleep(2);
    }
    tell_sound();
    return 0;
}
