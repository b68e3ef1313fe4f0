#include "PortAudioPeer.h"

#include <portaudio.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t is_asked_to_stop;

static void ask_to_stop(int signal) {
    (void)signal;
    is_asked_to_stop = 1;
}

struct told {
    bool records;
    _Atomic long callbacks, flagged;
    _Atomic bool is_finished;
};

static int callback(const void *input, void *output, unsigned long frames, const PaStreamCallbackTimeInfo *time,
                    PaStreamCallbackFlags flags, void *context) {
    (void)input, (void)time;
    struct told *told = context;
    const PaStreamCallbackFlags xruns =
        told->records ? paInputOverflow | paInputUnderflow : paOutputUnderflow | paOutputOverflow;
    // PortAudio may flag the first callbacks of a stream while filling it; those flags are not faults.
    if (atomic_fetch_add(&told->callbacks, 1) > 8 && (flags & xruns) != 0) atomic_fetch_add(&told->flagged, 1);
    if (output != NULL) memset(output, 0, frames * 2 * sizeof(float));
    return paContinue;
}

static void finished(void *context) { atomic_store(&((struct told *)context)->is_finished, true); }

static int fail(const char *doing, PaError error) {
    printf("error %s: %s\n", doing, Pa_GetErrorText(error));
    fflush(stdout);
    return 1;
}

int port_audio_peer_run(bool records, int sample_rate, int period_frames, int buffer_frames) {
    static struct told told;
    told.records = records;
    signal(SIGINT, ask_to_stop);
    signal(SIGTERM, ask_to_stop);
    PaError error = Pa_Initialize();
    if (error != paNoError) return fail("initialize", error);
    PaStreamParameters parameters = {
        .device = records ? Pa_GetDefaultInputDevice() : Pa_GetDefaultOutputDevice(),
        .channelCount = 2,
        .sampleFormat = paFloat32,
        .suggestedLatency = (double)buffer_frames / sample_rate,
    };
    PaStream *stream = NULL;
    error = Pa_OpenStream(&stream, records ? &parameters : NULL, records ? NULL : &parameters, sample_rate,
                          (unsigned long)period_frames, paNoFlag, callback, &told);
    if (error != paNoError) return fail("open", error);
    Pa_SetStreamFinishedCallback(stream, finished);
    error = Pa_StartStream(stream);
    if (error != paNoError) return fail("start", error);
    while (!is_asked_to_stop) Pa_Sleep(10);
    if (told.flagged > 0) printf("told: %ld callbacks flagged\n", told.flagged);
    if (told.is_finished || Pa_IsStreamActive(stream) != 1) printf("told: the stream is over\n");
    printf("callbacks: %ld\n", told.callbacks);
    fflush(stdout);
    error = Pa_AbortStream(stream);
    if (error != paNoError && error != paStreamIsStopped) printf("told: %s\n", Pa_GetErrorText(error));
    Pa_CloseStream(stream);
    Pa_Terminate();
    return 0;
}
