// The reference rings, each driven by loops in its own language, so that no call between languages is timed.
#ifndef RING_PEERS_H
#define RING_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A ring of 8-byte frames.
struct ring_peer;

enum ring_peer_kind { RING_PEER_JACK, RING_PEER_BOOST };

/// The frames every ring of the benchmark holds.
enum { RING_PEER_CAPACITY = 8192 };

struct ring_peer *ring_peer_create(enum ring_peer_kind kind);
void ring_peer_destroy(struct ring_peer *peer);

/// Makes a ramp block by block and writes as much of each block as fits until the block is in, until `*stop` is not 0.
void ring_peer_produce(struct ring_peer *peer, size_t block, const uint32_t *stop);

/// Reads the available frames until a block is full, checks the block, and repeats until `*stop` is not 0. Returns the
/// frames read; `*intact` receives whether all were correct.
uint64_t ring_peer_consume(struct ring_peer *peer, size_t block, const uint32_t *stop, bool *intact);

/// Binds the calling thread to one processor; false if the system refuses.
bool ring_pin(int processor);

/// Marks a waiting loop for the processor.
static inline void ring_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#ifdef __cplusplus
}
#endif
#endif
