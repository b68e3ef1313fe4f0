// Requests with answers, meters, and comparisons.
#include "checks.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void refuse_request_handle(void *handle, const char *recording) {
    int64_t request = 7;
    woodshed_passage passage = WOODSHED_PASSAGE_INIT;
    passage.path = recording;
    INVALID(woodshed_clip_request(handle, handle, recording, &request));
    INVALID(woodshed_player_prepare_request(handle, handle, &request));
    INVALID(woodshed_measure_request(handle, recording, &request));
    INVALID(woodshed_waveform_request(handle, recording, &request));
    INVALID(woodshed_calibrate_request(handle, "null", "null", NULL, &request));
    INVALID(woodshed_compare_request(handle, recording, &passage, 0, &request));
    INVALID(woodshed_request_cancel(handle, 1));
    EXPECT(request == 7);
    woodshed_loudness loudness = WOODSHED_LOUDNESS_INIT;
    const float samples[4] = {0}, *buffers[2] = {samples, samples};
    INVALID(woodshed_meter_add(handle, buffers, 4));
    INVALID(woodshed_meter_finish(handle, &loudness));
    EXPECT(woodshed_meter_close(handle) == (handle ? WOODSHED_INVALID : WOODSHED_OK));
}

// Waits for the answer to a request, and skips earlier answers.
static const woodshed_answer_event *answer_to(woodshed_listener *listener, int64_t request) {
    const woodshed_event *event;
    do EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK);
    while (event->kind != WOODSHED_EVENT_NONE && event->data.answer.request != request);
    EXPECT(event->kind == WOODSHED_EVENT_ANSWER && event->data.answer.request == request && event->frame == -1);
    return &event->data.answer;
}

static void test_answers(const char *recording, const char *words) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_listener *listener;
    const woodshed_event *event;
    const woodshed_answer_event *answer;
    EXPECT(woodshed_listener_open(NULL, 16, &listener) == WOODSHED_OK);
    EXPECT(woodshed_listener_next(listener, 0, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_NONE);
    int64_t clip_request = 0, measure_request = 0, wave_request = 0, bad_request = 0, compare_request = 0, trip_request = 0;
    EXPECT(woodshed_clip_request(listener, engine, recording, &clip_request) == WOODSHED_OK && clip_request > 0);
    answer = answer_to(listener, clip_request);
    EXPECT(answer->status == WOODSHED_OK && answer->clip != NULL && answer->waveform == NULL && answer->loudness == NULL);
    woodshed_clip *clip = answer->clip;
    woodshed_player *player;
    EXPECT(woodshed_player_open(engine, clip, NULL, &player) == WOODSHED_OK);
    int64_t prepare_request;
    EXPECT(woodshed_player_prepare_request(listener, player, &prepare_request) == WOODSHED_OK);
    EXPECT(answer_to(listener, prepare_request)->status == WOODSHED_OK);

    woodshed_loudness direct = WOODSHED_LOUDNESS_INIT;
    EXPECT(woodshed_measure(recording, &direct) == WOODSHED_OK);
    EXPECT(woodshed_measure_request(listener, recording, &measure_request) == WOODSHED_OK);
    answer = answer_to(listener, measure_request);
    EXPECT(answer->status == WOODSHED_OK && answer->loudness && answer->loudness->integrated == direct.integrated);
    EXPECT(answer->loudness && answer->loudness->frames == direct.frames && answer->clip == NULL);
    EXPECT(woodshed_waveform_request(listener, recording, &wave_request) == WOODSHED_OK);
    answer = answer_to(listener, wave_request);
    woodshed_waveform *waveform = answer->waveform;
    int64_t frames;
    EXPECT(woodshed_waveform_get_frames(waveform, &frames) == WOODSHED_OK && frames == direct.frames);
    EXPECT(woodshed_waveform_close(waveform) == WOODSHED_OK);
    woodshed_passage passage = WOODSHED_PASSAGE_INIT;
    passage.path = recording;
    EXPECT(woodshed_compare_request(listener, recording, &passage, 0, &compare_request) == WOODSHED_OK);
    answer = answer_to(listener, compare_request);
    EXPECT(answer->status == WOODSHED_OK && answer->comparison && fabs(answer->comparison->offset_seconds) < 0.01);
    EXPECT(woodshed_calibrate_request(listener, "null", "null", NULL, &trip_request) == WOODSHED_OK);
    answer = answer_to(listener, trip_request);
    EXPECT(answer->status != WOODSHED_OK && answer->round_trip == NULL && answer->failure.message && strlen(answer->failure.message) > 4);
    EXPECT(woodshed_measure_request(listener, words, &bad_request) == WOODSHED_OK);
    answer = answer_to(listener, bad_request);
    EXPECT(answer->status == WOODSHED_BAD_DATA && answer->failure.message && answer->failure.remedy && answer->loudness == NULL);
    // Without a place for the number, and with arguments refused at once.
    EXPECT(woodshed_measure_request(listener, recording, NULL) == WOODSHED_OK);
    EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_ANSWER);
    int64_t none = 7;
    INVALID(woodshed_measure_request(listener, NULL, &none));
    INVALID(woodshed_waveform_request(listener, NULL, &none));
    INVALID(woodshed_clip_request(listener, NULL, recording, &none));
    INVALID(woodshed_clip_request(listener, engine, NULL, &none));
    INVALID(woodshed_player_prepare_request(listener, NULL, &none));
    INVALID(woodshed_compare_request(listener, recording, NULL, 0, &none));
    INVALID(woodshed_calibrate_request(listener, NULL, "null", NULL, &none));
    EXPECT(none == 7);
    EXPECT(woodshed_request_cancel(listener, bad_request) == WOODSHED_NOT_FOUND);
    EXPECT(woodshed_request_cancel(listener, INT64_MIN) == WOODSHED_NOT_FOUND);
    // The thread that has taken an event can read the event, also after the listener closes.
    EXPECT(woodshed_measure_request(listener, words, &bad_request) == WOODSHED_OK);
    answer = answer_to(listener, bad_request);
    char text[256];
    snprintf(text, sizeof text, "%s", answer->failure.message);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
    EXPECT(answer->status == WOODSHED_BAD_DATA && strncmp(answer->failure.message, text, strlen(text)) == 0);
    EXPECT(woodshed_clip_close(clip) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
}

// More requests than threads, some of them cancelled: each gets a single answer, although the queue has room for 16
// events.
static void test_cancelling(const char *recording) {
    enum { first = 100, most = 1000 };
    woodshed_listener *listener;
    int64_t requests[most];
    int answers[most] = {0}, count = 0, taken = 0, cancelled = 0, right = 0;
    EXPECT(woodshed_listener_open(NULL, 16, &listener) == WOODSHED_OK);
    for (; count < first; count++) EXPECT(woodshed_waveform_request(listener, recording, &requests[count]) == WOODSHED_OK);
    for (int index = 0; index < count; index += 3) {
        woodshed_status status = woodshed_request_cancel(listener, requests[index]);
        EXPECT(status == WOODSHED_OK || status == WOODSHED_NOT_FOUND);
        taken += status == WOODSHED_OK;
    }
    // If this thread was late, all requests already have answers.
    for (; !taken && count < most; count++) {
        EXPECT(woodshed_waveform_request(listener, recording, &requests[count]) == WOODSHED_OK);
        taken += woodshed_request_cancel(listener, requests[count]) == WOODSHED_OK;
    }
    for (int turn = 0; turn < count; turn++) {
        const woodshed_event *event;
        EXPECT(woodshed_listener_next(listener, PATIENCE, &event) == WOODSHED_OK && event->kind == WOODSHED_EVENT_ANSWER);
        EXPECT(event->events_lost == 0);
        const woodshed_answer_event *answer = &event->data.answer;
        for (int index = 0; index < count; index++) answers[index] += requests[index] == answer->request;
        EXPECT(answer->status == WOODSHED_OK || (answer->status == WOODSHED_CANCELLED && answer->waveform == NULL && answer->failure.message));
        if (answer->status == WOODSHED_OK) {
            right++;
            EXPECT(woodshed_waveform_close(answer->waveform) == WOODSHED_OK);
        } else {
            cancelled++;
        }
    }
    for (int index = 0; index < count; index++) EXPECT(answers[index] == 1);
    EXPECT(cancelled >= 1 && cancelled == taken && right == count - cancelled);
    EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
}

struct counted {
    atomic_int answers, closed;
};

static void count_answers(void *context, const woodshed_event *event) {
    struct counted *counted = context;
    if (event->kind == WOODSHED_EVENT_ANSWER) {
        counted->answers++;
        woodshed_waveform *waveform = event->data.answer.waveform;
        EXPECT(waveform == NULL || woodshed_waveform_close(waveform) == WOODSHED_OK);
    }
    if (event->kind == WOODSHED_EVENT_CLOSED) counted->closed++;
}

// Listeners and engines closed while requests wait: all requests get answers before the end, and no result of theirs
// stays open.
static void test_closing_with_requests(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    woodshed_listener *called, *dropped;
    struct counted counted = {0, 0};
    EXPECT(woodshed_listener_open(engine, 0, &called) == WOODSHED_OK);
    EXPECT(woodshed_listener_open(engine, 0, &dropped) == WOODSHED_OK);
    EXPECT(woodshed_listener_set_callback(called, count_answers, &counted) == WOODSHED_OK);
    for (int index = 0; index < 20; index++) {
        EXPECT(woodshed_waveform_request(called, recording, NULL) == WOODSHED_OK);
        EXPECT(woodshed_waveform_request(dropped, recording, NULL) == WOODSHED_OK);
    }
    EXPECT(woodshed_listener_close(dropped) == WOODSHED_OK);
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
    for (int turn = 0; turn < PATIENCE * 200 && !counted.closed; turn++) usleep(5000);
    EXPECT(counted.answers == 20 && counted.closed == 1);
    INVALID(woodshed_waveform_request(called, recording, NULL));
    EXPECT(woodshed_listener_close(called) == WOODSHED_OK);
}

struct kept {
    _Atomic(woodshed_clip *) clip;
};

static void keep_clip(void *context, const woodshed_event *event) {
    struct kept *kept = context;
    if (event->kind == WOODSHED_EVENT_ANSWER) kept->clip = event->data.answer.clip;
}

// Handles taken by a callback belong to the program, also after the listener closes.
static void test_kept_answer(const char *recording) {
    woodshed_engine *engine = open_null(WOODSHED_CLOCK_VIRTUAL, 1);
    for (int turn = 0; turn < 20; turn++) {
        woodshed_listener *listener;
        struct kept kept = {NULL};
        EXPECT(woodshed_listener_open(NULL, 0, &listener) == WOODSHED_OK);
        EXPECT(woodshed_listener_set_callback(listener, keep_clip, &kept) == WOODSHED_OK);
        EXPECT(woodshed_clip_request(listener, engine, recording, NULL) == WOODSHED_OK);
        for (int wait = 0; wait < PATIENCE * 200 && !kept.clip; wait++) usleep(5000);
        EXPECT(kept.clip != NULL);
        EXPECT(woodshed_listener_close(listener) == WOODSHED_OK);
        EXPECT(woodshed_clip_close(kept.clip) == WOODSHED_OK);
    }
    EXPECT(woodshed_engine_close(engine) == WOODSHED_OK);
}

void test_requests_of_listeners(const char *recording, const char *words, const char *folder) {
    (void)folder;
    test_answers(recording, words);
    test_cancelling(recording);
    test_closing_with_requests(recording);
    test_kept_answer(recording);
}

void test_meters_and_comparisons(const char *recording, const char *words) {
    woodshed_meter *meter;
    INVALID(woodshed_meter_open(48000, 1, NULL));
    INVALID(woodshed_meter_open(7999, 1, &meter));
    INVALID(woodshed_meter_open(INT32_MAX, 1, &meter));
    INVALID(woodshed_meter_open(48000, 0, &meter));
    INVALID(woodshed_meter_open(48000, 65, &meter));
    EXPECT(meter == NULL);
    EXPECT(woodshed_meter_open(48000, 1, &meter) == WOODSHED_OK);
    enum { length = 48000 * 5 };
    float *sine = malloc(length * sizeof *sine);
    for (int frame = 0; frame < length; frame++) sine[frame] = (float)(0.1 * sin(6.283185307179586 * 997 * frame / 48000.0));
    woodshed_loudness loudness = WOODSHED_LOUDNESS_INIT, again = WOODSHED_LOUDNESS_INIT;
    for (int run = 0; run < 2; run++) {
        for (int done = 0, count; done < length; done += count) {
            count = run ? length - done : 1 + done % 997;
            if (count > length - done) count = length - done;
            const float *channels[1] = {sine + done};
            EXPECT(woodshed_meter_add(meter, channels, count) == WOODSHED_OK);
        }
        EXPECT(woodshed_meter_finish(meter, run ? &again : &loudness) == WOODSHED_OK);
    }
    free(sine);
    // A sine of 997 Hz at -20 dB of full scale, in one channel, has -23 LUFS (BS.1770).
    EXPECT(fabs(loudness.integrated + 23) < 0.1 && fabs(loudness.true_peak + 20) < 0.1 && loudness.frames == length);
    EXPECT(loudness.integrated == again.integrated && loudness.true_peak == again.true_peak);
    const float *channels[1] = {NULL};
    INVALID(woodshed_meter_add(meter, NULL, 1));
    INVALID(woodshed_meter_add(meter, channels, 1));
    const float sample = NAN;
    channels[0] = &sample;
    INVALID(woodshed_meter_add(meter, channels, -1));
    EXPECT(woodshed_meter_add(meter, channels, 1) == WOODSHED_OK);
    INVALID(woodshed_meter_finish(meter, NULL));
    EXPECT(woodshed_meter_finish(meter, &loudness) == WOODSHED_OK && loudness.frames == 1);
    EXPECT(woodshed_meter_close(meter) == WOODSHED_OK);

    woodshed_comparison comparison = WOODSHED_COMPARISON_INIT;
    woodshed_passage passage = WOODSHED_PASSAGE_INIT;
    INVALID(woodshed_compare(recording, NULL, 0, &comparison));
    INVALID(woodshed_compare(recording, &passage, 0, &comparison));
    passage.path = recording;
    INVALID(woodshed_compare(NULL, &passage, 0, &comparison));
    INVALID(woodshed_compare(recording, &passage, NAN, &comparison));
    INVALID(woodshed_compare(recording, &passage, 0, NULL));
    passage.start = 5, passage.end = 4;
    INVALID(woodshed_compare(recording, &passage, 0, &comparison));
    passage.start = INT64_MIN, passage.end = INT64_MAX;
    INVALID(woodshed_compare(recording, &passage, 0, &comparison));
    passage.start = 0, passage.end = 0, passage.speed = NAN;
    REFUSED(woodshed_compare(recording, &passage, 0, &comparison));
    passage.speed = 0;
    EXPECT(woodshed_compare(words, &passage, 0, &comparison) == WOODSHED_BAD_DATA);
    EXPECT(woodshed_compare(recording, &passage, 0, &comparison) == WOODSHED_OK);
    EXPECT(fabs(comparison.offset_seconds) < 0.001 && fabs(comparison.length_ratio - 1) < 0.001);
    EXPECT(comparison.spread_seconds < 0.001 && comparison.missed_attacks <= 0 && comparison.added_attacks <= 0);
}
