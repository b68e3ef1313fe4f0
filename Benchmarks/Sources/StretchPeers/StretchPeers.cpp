#include "StretchPeers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <rubberband/RubberBandStretcher.h>
#include <sonic.h>
#include <soundtouch/SoundTouch.h>
#include <vector>
#if __has_include(<signalsmith-stretch/signalsmith-stretch.h>)
#include <signalsmith-stretch/signalsmith-stretch.h>
#define HAS_SIGNALSMITH 1
#endif
#if __has_include(<bungee/Bungee.h>)
#include <bungee/Bungee.h>
#include <dlfcn.h>
#define HAS_BUNGEE 1
#endif

struct stretch_peer {
    virtual ~stretch_peer() = default;
    virtual void set_speed(double speed) = 0;
    virtual void set_pitch(double ratio) = 0;
    virtual void render(const float *const *source, long source_frames, float *const *output, int frames) = 0;

protected:
    /// Copies a part of a source; beyond its ends it is silent.
    static void copy_part(const float *source, long source_frames, long begin, long count, float *output) {
        const long first = std::clamp(begin, 0L, source_frames);
        const long last = std::clamp(begin + count, first, source_frames);
        std::fill_n(output, count, 0.0f);
        if (last > first) std::copy_n(source + first, last - first, output + (first - begin));
    }
};

namespace {

/// What is fed a source in order, and gives what it has made of it.
class FedPeer : public stretch_peer {
public:
    /// Frames it wants before it can give more; at least 1.
    virtual int wanted() = 0;
    virtual void feed(const float *const *input, int frames) = 0;
    virtual int available() = 0;
    virtual void take(float *const *output, int frames) = 0;
    /// Once, before the first frame.
    virtual void begin() {}

    void render(const float *const *source, long source_frames, float *const *output, int frames) override {
        if (!begun) begin();
        begun = true;
        while (available() < frames) {
            const int count = std::min(wanted(), largest);
            for (int channel = 0; channel < channels; channel++)
                copy_part(source[channel], source_frames, position, count, input[channel].data());
            feed(inputs.data(), count);
            position = std::min(position + count, source_frames);
        }
        take(output, frames);
    }

protected:
    static constexpr int largest = 8192;
    const int channels;

    explicit FedPeer(int channels)
        : channels(channels), input(channels, std::vector<float>(largest)), inputs(channels) {
        for (int channel = 0; channel < channels; channel++) inputs[channel] = input[channel].data();
    }

    std::vector<std::vector<float>> input;
    std::vector<float *> inputs;

private:
    long position = 0;
    bool begun = false;
};

class RubberBandPeer final : public FedPeer {
    using Stretcher = RubberBand::RubberBandStretcher;
    Stretcher stretcher;

    static int options(bool finer) {
        return Stretcher::OptionProcessRealTime | Stretcher::OptionThreadingNever |
               (finer ? Stretcher::OptionEngineFiner : Stretcher::OptionEngineFaster);
    }

public:
    RubberBandPeer(int channels, int sample_rate, double speed, bool finer)
        : FedPeer(channels), stretcher(sample_rate, channels, options(finer), 1 / speed) {
        stretcher.setMaxProcessSize(largest);
    }

    void set_speed(double speed) override { stretcher.setTimeRatio(1 / speed); }

    void set_pitch(double ratio) override {
        stretcher.setFormantOption(Stretcher::OptionFormantPreserved);
        stretcher.setPitchScale(ratio);
    }

    int wanted() override { return std::max<int>(1, static_cast<int>(stretcher.getSamplesRequired())); }

    void feed(const float *const *frames, int count) override { stretcher.process(frames, count, false); }

    // The start delay is dropped as it comes, since it comes with the sound's own input.
    int available() override {
        int there = stretcher.available();
        while (drop > 0 && there > 0) {
            drop -= stretcher.retrieve(inputs.data(), std::min<size_t>({drop, static_cast<size_t>(there), largest}));
            there = stretcher.available();
        }
        return drop > 0 ? 0 : there;
    }

    void take(float *const *output, int frames) override { stretcher.retrieve(output, frames); }

    // As RubberBandStretcher.h prescribes for real-time mode: pad with silence, then drop the start delay.
    void begin() override {
        for (auto &channel : input) std::fill(channel.begin(), channel.end(), 0.0f);
        for (size_t pad = stretcher.getPreferredStartPad(); pad > 0;) {
            const size_t count = std::min<size_t>(pad, largest);
            stretcher.process(inputs.data(), count, false);
            pad -= count;
        }
        drop = stretcher.getStartDelay();
    }

private:
    size_t drop = 0;
};

/// What takes and gives frames with their channels side by side.
class InterleavedPeer : public FedPeer {
protected:
    std::vector<float> frames;

    explicit InterleavedPeer(int channels) : FedPeer(channels), frames(largest * channels) {}

    void join(const float *const *planar, int count) {
        for (int frame = 0; frame < count; frame++)
            for (int channel = 0; channel < channels; channel++) frames[frame * channels + channel] = planar[channel][frame];
    }

    void part(float *const *planar, int count) {
        for (int frame = 0; frame < count; frame++)
            for (int channel = 0; channel < channels; channel++) planar[channel][frame] = frames[frame * channels + channel];
    }

public:
    // Neither says what it wants next; small pieces keep the work of a block small.
    int wanted() override { return 64; }
};

class SoundTouchPeer final : public InterleavedPeer {
    soundtouch::SoundTouch stretcher;

public:
    SoundTouchPeer(int channels, int sample_rate, double speed) : InterleavedPeer(channels) {
        stretcher.setSampleRate(sample_rate);
        stretcher.setChannels(channels);
        stretcher.setTempo(speed);
    }

    void set_speed(double speed) override { stretcher.setTempo(speed); }

    void set_pitch(double ratio) override { stretcher.setPitch(ratio); }

    void feed(const float *const *planar, int count) override {
        join(planar, count);
        stretcher.putSamples(frames.data(), count);
    }

    int available() override { return static_cast<int>(stretcher.numSamples()); }

    void take(float *const *output, int count) override {
        stretcher.receiveSamples(frames.data(), count);
        part(output, count);
    }
};

class SonicPeer final : public InterleavedPeer {
    std::unique_ptr<sonicStreamStruct, void (*)(sonicStream)> stream;

public:
    SonicPeer(int channels, int sample_rate, double speed)
        : InterleavedPeer(channels), stream(sonicCreateStream(sample_rate, channels), sonicDestroyStream) {
        sonicSetSpeed(stream.get(), static_cast<float>(speed));
    }

    void set_speed(double speed) override { sonicSetSpeed(stream.get(), static_cast<float>(speed)); }

    void set_pitch(double ratio) override { sonicSetPitch(stream.get(), static_cast<float>(ratio)); }

    void feed(const float *const *planar, int count) override {
        join(planar, count);
        sonicWriteFloatToStream(stream.get(), frames.data(), count);
    }

    int available() override { return sonicSamplesAvailable(stream.get()); }

    void take(float *const *output, int count) override {
        sonicReadFloatFromStream(stream.get(), frames.data(), count);
        part(output, count);
    }
};

#ifdef HAS_SIGNALSMITH
/// Its input and output keep the ratio of the speed from block to block.
class SignalsmithPeer final : public FedPeer {
    signalsmith::stretch::SignalsmithStretch<float> stretcher;
    static constexpr int piece = 64;
    double speed;
    /// Source frames that are due, with their fraction.
    double due = 0;
    bool has_sought = false;
    std::vector<std::vector<float>> made;
    std::vector<float *> made_pointers;
    int made_frames = 0;

public:
    SignalsmithPeer(int channels, int sample_rate, double speed)
        : FedPeer(channels), speed(speed), made(channels, std::vector<float>(largest + piece)), made_pointers(channels) {
        stretcher.presetDefault(channels, static_cast<float>(sample_rate), true);
    }

    void set_speed(double speed) override { this->speed = speed; }

    void set_pitch(double ratio) override {
        stretcher.setTransposeFactor(static_cast<float>(ratio));
        stretcher.setFormantFactor(1, true);
    }

    int wanted() override {
        if (!has_sought) return stretcher.outputSeekLength(static_cast<float>(speed));
        return std::max(1, static_cast<int>(std::lround(due + piece * speed)));
    }

    void feed(const float *const *planar, int count) override {
        if (!has_sought) {
            stretcher.outputSeek(planar, count);
            has_sought = true;
            return;
        }
        for (int channel = 0; channel < channels; channel++) made_pointers[channel] = made[channel].data() + made_frames;
        stretcher.process(planar, count, made_pointers.data(), piece);
        made_frames += piece;
        due += piece * speed - count;
    }

    int available() override { return made_frames; }

    void take(float *const *planar, int count) override {
        for (int channel = 0; channel < channels; channel++) {
            const auto begin = made[channel].begin();
            std::copy_n(begin, count, planar[channel]);
            std::copy(begin + count, begin + made_frames, begin);
        }
        made_frames -= count;
    }
};
#endif

#ifdef HAS_BUNGEE
/// The functions of its shared library; null if there is none.
const Bungee::Functions *bungee_functions() {
    static const Bungee::Functions *const functions = [] {
        void *const library = dlopen("libbungee.so", RTLD_NOW);
        using Getter = const Bungee::Functions *();
        Getter *const getter = library ? reinterpret_cast<Getter *>(dlsym(library, "getFunctionsBungeeBasic")) : nullptr;
        return getter ? getter() : nullptr;
    }();
    return functions;
}

/// Asks for the parts of the source that it needs, as ours does.
class BungeePeer final : public stretch_peer {
    const Bungee::Functions *const functions = bungee_functions();
    void *const stretcher;
    const int channels;
    Bungee::Request request{};
    Bungee::OutputChunk made{};
    /// The frames of the last chunk that were taken, or lie before the source's beginning.
    int made_from = 0;
    const int stride;
    std::vector<float> part;

    void make(const float *const *source, long source_frames) {
        const Bungee::InputChunk chunk = functions->specifyGrain(stretcher, &request, 0);
        for (int channel = 0; channel < channels; channel++)
            copy_part(source[channel], source_frames, chunk.begin, chunk.end - chunk.begin, &part[channel * stride]);
        functions->analyseGrain(stretcher, part.data(), stride, 0, 0);
        functions->synthesiseGrain(stretcher, &made);
        functions->next(stretcher, &request);
        made_from = made.frameCount;
        if (!made.request[0] || std::isnan(made.request[0]->position)) return;
        // The frames before the source's first one are its run-in.
        const double begin = made.request[0]->position, end = made.request[1]->position;
        if (begin >= 0)
            made_from = 0;
        else if (end > 0)
            made_from = static_cast<int>(std::lround(made.frameCount * -begin / (end - begin)));
    }

public:
    BungeePeer(int channels, int sample_rate, double speed)
        : stretcher(functions->create({sample_rate, sample_rate}, channels, 0)), channels(channels),
          stride(functions->maxInputFrameCount(stretcher)), part(static_cast<size_t>(stride) * channels) {
        request.speed = speed;
        request.pitch = 1;
        request.reset = true;
        functions->preroll(stretcher, &request);
    }

    ~BungeePeer() override { functions->destroy(stretcher); }

    void set_speed(double speed) override { request.speed = speed; }

    void set_pitch(double ratio) override { request.pitch = ratio; }

    void render(const float *const *source, long source_frames, float *const *output, int frames) override {
        for (int written = 0; written < frames;) {
            if (made_from == made.frameCount) {
                make(source, source_frames);
                continue;
            }
            const int count = std::min(frames - written, made.frameCount - made_from);
            for (int channel = 0; channel < channels; channel++)
                std::copy_n(made.data + channel * made.channelStride + made_from, count, output[channel] + written);
            made_from += count;
            written += count;
        }
    }
};
#endif

} // namespace

int stretch_peer_is_there(enum stretch_peer_kind kind) {
    switch (kind) {
    case STRETCH_PEER_SIGNALSMITH:
#ifdef HAS_SIGNALSMITH
        return 1;
#else
        return 0;
#endif
    case STRETCH_PEER_BUNGEE:
#ifdef HAS_BUNGEE
        return bungee_functions() != nullptr;
#else
        return 0;
#endif
    default: return 1;
    }
}

struct stretch_peer *stretch_peer_create(enum stretch_peer_kind kind, int channels, int sample_rate, double speed) {
    switch (kind) {
    case STRETCH_PEER_RUBBERBAND_R2: return new RubberBandPeer(channels, sample_rate, speed, false);
    case STRETCH_PEER_RUBBERBAND_R3: return new RubberBandPeer(channels, sample_rate, speed, true);
    case STRETCH_PEER_SOUNDTOUCH: return new SoundTouchPeer(channels, sample_rate, speed);
    case STRETCH_PEER_SONIC: return new SonicPeer(channels, sample_rate, speed);
#ifdef HAS_SIGNALSMITH
    case STRETCH_PEER_SIGNALSMITH: return new SignalsmithPeer(channels, sample_rate, speed);
#endif
#ifdef HAS_BUNGEE
    case STRETCH_PEER_BUNGEE: return new BungeePeer(channels, sample_rate, speed);
#endif
    default: return nullptr;
    }
}

void stretch_peer_destroy(struct stretch_peer *peer) { delete peer; }

void stretch_peer_set_speed(struct stretch_peer *peer, double speed) { peer->set_speed(speed); }

void stretch_peer_set_pitch(struct stretch_peer *peer, double ratio) { peer->set_pitch(ratio); }

void stretch_peer_render(
    struct stretch_peer *peer, const float *const *source, long source_frames, float *const *output, int frames) {
    peer->render(source, source_frames, output, frames);
}
