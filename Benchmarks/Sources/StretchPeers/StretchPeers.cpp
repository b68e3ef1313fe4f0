#include "StretchPeers.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <rubberband/RubberBandStretcher.h>
#include <sonic.h>
#include <soundtouch/SoundTouch.h>
#include <vector>

struct stretch_peer {
    virtual ~stretch_peer() = default;
    virtual void set_speed(double speed) = 0;
    /// Frames it wants before it can give more; at least 1.
    virtual int wanted() = 0;
    virtual void feed(const float *const *input, int frames) = 0;
    virtual int available() = 0;
    virtual void take(float *const *output, int frames) = 0;
    /// Once, before the first frame.
    virtual void begin() {}

    void render(const float *const *source, long source_frames, float *const *output, int frames) {
        if (!begun) begin();
        begun = true;
        while (available() < frames) {
            const int count = std::min(wanted(), largest);
            for (int channel = 0; channel < channels; channel++) {
                const long here = std::clamp(source_frames - position, 0L, static_cast<long>(count));
                std::copy_n(source[channel] + position, here, input[channel].data());
                std::fill(input[channel].begin() + here, input[channel].begin() + count, 0.0f);
            }
            feed(inputs.data(), count);
            position = std::min(position + count, source_frames);
        }
        take(output, frames);
    }

protected:
    static constexpr int largest = 8192;
    const int channels;

    explicit stretch_peer(int channels)
        : channels(channels), input(channels, std::vector<float>(largest)), inputs(channels) {
        for (int channel = 0; channel < channels; channel++) inputs[channel] = input[channel].data();
    }

    std::vector<std::vector<float>> input;
    std::vector<float *> inputs;

private:
    long position = 0;
    bool begun = false;
};

namespace {

class RubberBandPeer final : public stretch_peer {
    using Stretcher = RubberBand::RubberBandStretcher;
    Stretcher stretcher;

    static int options(bool finer) {
        return Stretcher::OptionProcessRealTime | Stretcher::OptionThreadingNever |
               (finer ? Stretcher::OptionEngineFiner : Stretcher::OptionEngineFaster);
    }

public:
    RubberBandPeer(int channels, int sample_rate, double speed, bool finer)
        : stretch_peer(channels), stretcher(sample_rate, channels, options(finer), 1 / speed) {
        stretcher.setMaxProcessSize(largest);
    }

    void set_speed(double speed) override { stretcher.setTimeRatio(1 / speed); }

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
class InterleavedPeer : public stretch_peer {
protected:
    std::vector<float> frames;

    explicit InterleavedPeer(int channels) : stretch_peer(channels), frames(largest * channels) {}

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

} // namespace

struct stretch_peer *stretch_peer_create(enum stretch_peer_kind kind, int channels, int sample_rate, double speed) {
    switch (kind) {
    case STRETCH_PEER_RUBBERBAND_R2: return new RubberBandPeer(channels, sample_rate, speed, false);
    case STRETCH_PEER_RUBBERBAND_R3: return new RubberBandPeer(channels, sample_rate, speed, true);
    case STRETCH_PEER_SOUNDTOUCH: return new SoundTouchPeer(channels, sample_rate, speed);
    case STRETCH_PEER_SONIC: return new SonicPeer(channels, sample_rate, speed);
    }
    return nullptr;
}

void stretch_peer_destroy(struct stretch_peer *peer) { delete peer; }

void stretch_peer_set_speed(struct stretch_peer *peer, double speed) { peer->set_speed(speed); }

void stretch_peer_render(
    struct stretch_peer *peer, const float *const *source, long source_frames, float *const *output, int frames) {
    peer->render(source, source_frames, output, frames);
}
