#include "RingPeers.h"

#include <algorithm>
#include <boost/lockfree/spsc_queue.hpp>
#include <jack/ringbuffer.h>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <vector>

namespace {

struct Frame {
    float left, right;
};

// The last whole number a float counts up to without gaps.
constexpr float last = 16777215;

class Jack {
    std::unique_ptr<jack_ringbuffer_t, void (*)(jack_ringbuffer_t *)> ring;

public:
    // It keeps one byte free and rounds up to a power of two; asked for the next one it would hold twice as much.
    Jack() : ring(jack_ringbuffer_create(RING_PEER_CAPACITY * sizeof(Frame)), jack_ringbuffer_free) {}

    size_t write(const Frame *frames, size_t count) {
        const size_t space = jack_ringbuffer_write_space(ring.get()) / sizeof(Frame);
        const size_t bytes = std::min(space, count) * sizeof(Frame);
        return jack_ringbuffer_write(ring.get(), reinterpret_cast<const char *>(frames), bytes) / sizeof(Frame);
    }

    size_t read(Frame *frames, size_t count) {
        const size_t space = jack_ringbuffer_read_space(ring.get()) / sizeof(Frame);
        const size_t bytes = std::min(space, count) * sizeof(Frame);
        return jack_ringbuffer_read(ring.get(), reinterpret_cast<char *>(frames), bytes) / sizeof(Frame);
    }
};

class Boost {
    boost::lockfree::spsc_queue<Frame, boost::lockfree::capacity<RING_PEER_CAPACITY>> queue;

public:
    size_t write(const Frame *frames, size_t count) { return queue.push(frames, count); }
    size_t read(Frame *frames, size_t count) { return queue.pop(frames, count); }
};

bool stopped(const uint32_t *stop) { return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

template <class Ring> void produce(Ring &ring, size_t block, const uint32_t *stop) {
    std::vector<Frame> frames(block);
    float next = 0;
    while (!stopped(stop)) {
        for (auto &frame : frames) {
            frame = {next, -next};
            next = next >= last ? 0 : next + 1;
        }
        for (size_t done = 0;;) {
            done += ring.write(frames.data() + done, block - done);
            if (done == block) break;
            if (stopped(stop)) return;
            ring_pause();
        }
    }
}

template <class Ring> uint64_t consume(Ring &ring, size_t block, const uint32_t *stop, bool *intact) {
    std::vector<Frame> frames(block);
    float next = 0;
    uint64_t count = 0;
    *intact = true;
    while (!stopped(stop)) {
        for (size_t done = 0;;) {
            done += ring.read(frames.data() + done, block - done);
            if (done == block) break;
            if (stopped(stop)) return count;
            ring_pause();
        }
        for (const auto &frame : frames) {
            if (frame.left != next || frame.right != -next) *intact = false;
            next = next >= last ? 0 : next + 1;
        }
        count += block;
    }
    return count;
}

} // namespace

struct ring_peer {
    std::unique_ptr<Jack> jack;
    std::unique_ptr<Boost> boost;
};

ring_peer *ring_peer_create(ring_peer_kind kind) {
    auto peer = new ring_peer;
    if (kind == RING_PEER_JACK) peer->jack = std::make_unique<Jack>();
    else peer->boost = std::make_unique<Boost>();
    return peer;
}

void ring_peer_destroy(ring_peer *peer) { delete peer; }

void ring_peer_produce(ring_peer *peer, size_t block, const uint32_t *stop) {
    if (peer->jack) produce(*peer->jack, block, stop);
    else produce(*peer->boost, block, stop);
}

uint64_t ring_peer_consume(ring_peer *peer, size_t block, const uint32_t *stop, bool *intact) {
    return peer->jack ? consume(*peer->jack, block, stop, intact) : consume(*peer->boost, block, stop, intact);
}

bool ring_pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}
