/// The longest inner loops of the analysis and of the stretcher, each compiled twice: for every processor, and for
/// processors with AVX2, where a loop works on twice as many values at once. In C because Swift compiles a module for
/// one set of instructions only.
///
/// Both versions give the same bits: the same operations on the same eight lanes in the same order, without fused
/// multiplications. The processor decides at every call which version runs. Nothing here allocates, locks or waits.
#ifndef CSAMPLELOOPS_H
#define CSAMPLELOOPS_H

#define LOOP_SAFE __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

/// For tests: whether the version for every processor runs from now on, in all threads. Returns whether this processor
/// has another version.
_Bool use_narrow_loops(_Bool are_narrow);

/// The sums over forward and backward prediction errors for Burg's method.
typedef struct {
    double product;
    double power;
} BurgSums;

/// Sums up the errors of stage 0: the weighted products of forward errors and of the backward errors a sample earlier,
/// and of both errors' squares.
///
/// `ahead` and `behind` contain `channels` rows of `stride` samples: `count` samples, then at least 16 zeros. The
/// weights are a single such row. The last backward error is set to 0.
BurgSums burg_begin(const float *_Nonnull ahead, float *_Nonnull behind, const float *_Nonnull weights, long stride, long channels, long count);

/// Computes the errors of stage `stage + 1` in place, and their sums. Stage `stage + 1` must have at least one meeting.
BurgSums burg_advance(
    float *_Nonnull ahead, float *_Nonnull behind, const float *_Nonnull weights, long stride, long channels, long count, long stage,
    float reflection);

/// Continues a sound: each of `count` samples from `samples[width]` on is the sum of the `width` preceding samples
/// times the weights.
///
/// `width` is a multiple of eight; the samples to be computed are 0 at first.
void continue_sound(const double *_Nonnull weights, long width, double *_Nonnull samples, long count);

/// The sum of products of whole lanes, in two chains of eight.
LOOP_SAFE float dot_product(const float *_Nonnull samples, const float *_Nonnull filter, long count);

/// Computes the sums of products of the same samples with three filters of equal length. `filters` contains the filters
/// in sequence, a filter every `stride` values. Each sum is a chain of eight; the remainder is added value by value.
void inner_products(const float *_Nonnull samples, const float *_Nonnull filters, long stride, long count, float *_Nonnull sums);

/// The memory of a window's rotations, see RotationField.swift: for each bin a value, and whole lanes of zeros after
/// the last bin. Some parts may share memory: `up_step` and `step`; `down_step`, `previous_power` and `power`; `up` and
/// `offered`; `down` and the levels `from` a side; `lobe` and `seed_real`. Eight zeros precede `bend` and `curvature`.
typedef struct {
    float *_Nonnull temporal_real, *_Nonnull temporal_imaginary, *_Nonnull previous_power;
    float *_Nonnull power, *_Nonnull step_real, *_Nonnull step_imaginary, *_Nonnull offered_up, *_Nonnull offered_down;
    float *_Nonnull from_below, *_Nonnull from_above;
    float *_Nonnull seed_real, *_Nonnull seed_imaginary;
    float *_Nonnull up_step_real, *_Nonnull up_step_imaginary, *_Nonnull down_step_real, *_Nonnull down_step_imaginary;
    float *_Nonnull up_real, *_Nonnull up_imaginary, *_Nonnull down_real, *_Nonnull down_imaginary;
    float *_Nonnull real, *_Nonnull imaginary;
    float *_Nonnull lobe, *_Nonnull bend, *_Nonnull curvature;
} RotationParts;

/// Computes both rules' rotations of every bin, and the power that each rule offers the bin's neighbours; returns the
/// largest power.
///
/// `spectra` contains for each channel `stride` real and as many imaginary parts.
///
/// Between two bins of one lobe the step is none. `lobe` receives a mask, `bend` and `curvature` the lobes' bends of
/// phase and of level, times the power.
LOOP_SAFE float rotation_prepare(
    const RotationParts *_Nonnull parts, const float *_Nonnull spectra, long stride, long channels, long bins, float extra,
    float guard, float curvature);

/// The level at which the loudest-first order reaches every bin, from below and from above.
LOOP_SAFE void rotation_spread(const RotationParts *_Nonnull parts, long bins);

/// Makes factors of each bin's choice: the bin's own rotation by the temporal rule, or a neighbour's rotation times a
/// step. In a lobe, the rotation by the temporal rule is that of three bins together.
LOOP_SAFE void rotation_seed(const RotationParts *_Nonnull parts, long bins, float floor, float silent, _Bool has_lobes);

/// Multiplies the steps along every chain from a seed.
LOOP_SAFE void rotation_follow(const RotationParts *_Nonnull parts, long bins);

/// Adds the products of an output's spectrum and a source's, which is interleaved, to the products of the temporal
/// rule. `bins` is a multiple of eight.
LOOP_SAFE void rotation_compare(
    const RotationParts *_Nonnull parts, long bins, const float *_Nonnull real, const float *_Nonnull imaginary,
    const float *_Nonnull source);

/// Computes the gains that restore the level lost by disagreeing windows. Eight zeros precede the first agreement and
/// the first size.
///
/// With side gains, the imaginary parts, the gains also turn the bins of a lobe by 2 * `chirp` times the lobe's bend
/// over its curvature, at most 0.93 rad.
LOOP_SAFE void overlap_gain(
    const RotationParts *_Nonnull parts, const float *_Nonnull shares, long bins, float silent, float chirp,
    float *_Nonnull agreements, float *_Nonnull sizes, float *_Nonnull gains, float *_Nullable side_gains);

/// Real and imaginary parts of an interleaved spectrum. `bins` is a multiple of eight.
LOOP_SAFE void part_spectrum(const float *_Nonnull source, long bins, float *_Nonnull real, float *_Nonnull imaginary);

/// Rotates all bins, and writes the bins below the last whole lanes to `spectrum` as well, interleaved and with their
/// gains.
LOOP_SAFE void rotate_spectrum(
    const RotationParts *_Nonnull parts, long bins, const float *_Nonnull real, const float *_Nonnull imaginary,
    const float *_Nonnull gains, const float *_Nullable side_gains, float *_Nonnull output_real,
    float *_Nonnull output_imaginary, float *_Nonnull spectrum);

/// Interpolates a band by twelve samples a frame: frame `i` is `offset + i` frames after sample 5. `factor`, `offset`
/// and `count` are multiples of eight; value `tap * factor + frame` of the weights belongs to a tap and a frame.
LOOP_SAFE void interpolate_band(
    const float *_Nonnull samples, const float *_Nonnull weights, long factor, long offset, long count, float *_Nonnull target);

/// Does the same, added to a ring at `begin`, without wrapping; the ring's first `run` places are stored twice.
LOOP_SAFE void add_band(
    const float *_Nonnull samples, const float *_Nonnull weights, long factor, long offset, long count, float *_Nonnull ring,
    long capacity, long run, long begin);

/// A source minus two bands, interpolated as above; the first has the rate of every `2 * factor`-th frame, the second
/// of every `factor`-th.
LOOP_SAFE void subtract_bands(
    const float *_Nonnull whole, const float *_Nonnull lows, const float *_Nonnull low_weights, const float *_Nonnull middles,
    const float *_Nonnull middle_weights, long factor, long count, float *_Nonnull target);

/// Delays a window's samples by a part of a sample, by twelve taps spaced by `spacing`, and weights them; the window's
/// middle is at index 0.
LOOP_SAFE void delay_window(
    const float *_Nonnull samples, const float *_Nonnull taps, long spacing, const float *_Nonnull weights, long window,
    float *_Nonnull target);

/// Weights a window's samples, and writes them with the window's middle at index 0.
LOOP_SAFE void turn_window(const float *_Nonnull samples, const float *_Nonnull weights, long window, float *_Nonnull target);

/// Weights a window's samples, with the window's middle at index 0, from `from` on. Samples below `added` are added to
/// a ring; the other samples overwrite the ring's. The ring's first `run` places are stored twice; `begin` is the place
/// of the window's first sample.
LOOP_SAFE void overlap_window(
    const float *_Nonnull samples, const float *_Nonnull weights, long window, long from, long added, float *_Nonnull ring,
    long capacity, long run, long begin);

/// Products of samples and weights.
LOOP_SAFE void weigh_samples(const float *_Nonnull samples, const float *_Nonnull weights, long count, float *_Nonnull target);

/// Computes each of `count` samples minus the weighted sum of the `order` samples before, the latest first.
void prediction_errors(
    const double *_Nonnull samples, const double *_Nonnull weights, long order, long count, double *_Nonnull errors);

/// The largest magnitude of some samples, and the sum of the samples' squares.
typedef struct {
    float peak;
    float squares;
} PeakAndSquares;

/// Values that are not finite or are larger than 2^40 count as 0.
LOOP_SAFE PeakAndSquares measure_level(const float *_Nonnull samples, long count);

/// Copies samples; values that are not finite or are larger than 2^40 become 0.
LOOP_SAFE void copy_measurable(const float *_Nonnull samples, long count, float *_Nonnull target);

/// The largest magnitude of samples, which must all be finite.
LOOP_SAFE float largest_magnitude(const float *_Nonnull samples, long count);

/// Returns the largest magnitude of a second difference of samples, which must all be finite: twice the distance of a
/// sample from the line through the sample's neighbours.
LOOP_SAFE float largest_bend(const float *_Nonnull samples, long count);

/// The needle of a volume indicator, see VolumeUnitMeter.swift: the position after the last step, and the contribution
/// of the samples since then to place and pace at the end of this step, in a lane for each eighth frame.
typedef struct {
    double place, pace, highest;
    float place_pushes[8], pace_pushes[8];
} Needle;

/// Moves a needle by samples of which the first is number `phase` of a step; `step_frames` is a multiple of eight.
///
/// `weights` are the contributions of each frame of a step to the place, followed by the contributions to the pace.
/// `step` has the place by place and by pace, and the pace by place and by pace.
LOOP_SAFE void move_needle(
    const float *_Nonnull samples, long count, long phase, long step_frames, const float *_Nonnull weights, const double *_Nonnull step,
    Needle *_Nonnull needle);

/// Charges the integrators of quasi-peak meters, see QuasiPeaks.swift. Each group of four values is for the slow
/// integrators of two meters, and for their quick integrators.
///
/// `constants` are four charges, four shares and four falls of a cycle; `scales` has for each sample the rise of two
/// meters, and their falls; `state` is four integrators, two highest readings, and the threshold.
LOOP_SAFE void charge_stores(
    const float *_Nonnull samples, long count, const double *_Nonnull constants, const double *_Nonnull scales, double *_Nonnull state);

/// The weighting of loudness in the form of the loop, see KWeighting.swift: the taps for second differences, and each
/// filter's factors of the outputs two and four frames before.
typedef struct {
    double taps[7], shelf[2], high[2];
} LoudnessFilter;

/// The state of two channels: the last two frames and the last six second differences, and the last four outputs of
/// each filter, all with the oldest first; the sums of squares of both channels in even and in odd frames; and whether
/// the next frame is odd.
typedef struct {
    float frames[4];
    double bends[12], shelf[8], high[8], squares[4];
    _Bool is_odd;
} LoudnessState;

/// Weighs frames of two channels and adds up the squares.
LOOP_SAFE void weigh_loudness(
    const LoudnessFilter *_Nonnull filter, const float *_Nonnull left, const float *_Nonnull right, long count,
    LoudnessState *_Nonnull state);

#endif
