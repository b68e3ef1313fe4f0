#include "PitchPeers.h"

#include <dlfcn.h>
#include <string.h>

// As in aubio's headers, version 0.4.
typedef struct {
    unsigned length;
    float *data;
} vector;

static struct {
    void *(*create)(const char *method, unsigned window, unsigned hop, unsigned sample_rate);
    void (*destroy)(void *pitch);
    void (*track)(void *pitch, const vector *in, vector *out);
    float (*confidence)(void *pitch);
    unsigned (*set_unit)(void *pitch, const char *unit);
    unsigned (*set_silence)(void *pitch, float decibels);
} aubio;

static bool load(void) {
    static int state;  // 0 unknown, 1 there, 2 not there
    if (state == 0) {
        void *library = dlopen("libaubio.so.5", RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) {
            *(void **)&aubio.create = dlsym(library, "new_aubio_pitch");
            *(void **)&aubio.destroy = dlsym(library, "del_aubio_pitch");
            *(void **)&aubio.track = dlsym(library, "aubio_pitch_do");
            *(void **)&aubio.confidence = dlsym(library, "aubio_pitch_get_confidence");
            *(void **)&aubio.set_unit = dlsym(library, "aubio_pitch_set_unit");
            *(void **)&aubio.set_silence = dlsym(library, "aubio_pitch_set_silence");
        }
        state = aubio.create && aubio.destroy && aubio.track && aubio.confidence && aubio.set_unit && aubio.set_silence ? 1 : 2;
    }
    return state == 1;
}

bool pitch_peer_is_there(void) { return load(); }

size_t pitch_peer_track(
    const char *method, const float *samples, size_t count, unsigned sample_rate, unsigned hop, unsigned window,
    float confidence, float *hertz, size_t capacity) {
    float block[8192];
    if (!load() || hop == 0 || hop > sizeof block / sizeof *block) return 0;
    void *pitch = aubio.create(method, window, hop, sample_rate);
    if (pitch == NULL) return 0;
    aubio.set_unit(pitch, "Hz");
    aubio.set_silence(pitch, -60);
    float value;
    const vector in = {hop, block};
    vector out = {1, &value};
    size_t made = 0;
    for (; made < capacity; made++) {
        const size_t begin = made * hop;
        const size_t left = begin < count ? count - begin : 0;
        const size_t used = left < hop ? left : hop;
        memcpy(block, samples + (used > 0 ? begin : 0), used * sizeof *block);
        memset(block + used, 0, (hop - used) * sizeof *block);
        aubio.track(pitch, &in, &out);
        hertz[made] = value > 0 && (confidence < 0 || aubio.confidence(pitch) >= confidence) ? value : 0;
    }
    aubio.destroy(pitch);
    return made;
}
