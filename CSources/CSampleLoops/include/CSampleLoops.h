/// The longest inner loops of the analysis and of the stretcher, each compiled twice: for every processor, and for those with AVX2, which work
/// on twice as many values at once. In C because Swift compiles a module for one set of instructions only.
///
/// Both versions give the same bits: the same operations on the same eight lanes in the same order, without fused multiplications.
/// Which one runs is decided by the processor, at every call. Nothing here allocates, locks or waits.
#ifndef CSAMPLELOOPS_H
#define CSAMPLELOOPS_H

#define LOOP_SAFE __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

/// The sums over forward and backward prediction errors that Burg's method needs.
typedef struct {
    double product;
    double power;
} BurgSums;

/// Sums up the errors of stage 0: the weighted products of forward errors and of the backward errors one sample earlier, and of
/// both errors' squares.
///
/// `ahead` and `behind` contain `channels` rows of `stride` samples, `count` of them used, and zeros from there on, 16 at least. The weights
/// are one such row. The last backward error is set to 0.
BurgSums burg_begin(const float *_Nonnull ahead, float *_Nonnull behind, const float *_Nonnull weights, long stride, long channels, long count);

/// Computes the errors of stage `stage + 1` in place, and their sums. Stage `stage + 1` must have at least one meeting.
BurgSums burg_advance(
    float *_Nonnull ahead, float *_Nonnull behind, const float *_Nonnull weights, long stride, long channels, long count, long stage,
    float reflection);

/// Continues a sound: each of `count` samples from `samples[width]` on is the sum of the `width` before it times the weights.
///
/// `width` is a multiple of eight; the samples to be computed are 0 at first.
void continue_sound(const double *_Nonnull weights, long width, double *_Nonnull samples, long count);

/// The sum of products of whole lanes, in two chains of eight.
LOOP_SAFE float dot_product(const float *_Nonnull samples, const float *_Nonnull filter, long count);

/// The sums of products of the same samples with three filters of one length: `filters` contains them one after the other, every `stride`
/// values. Each in one chain of eight, and what is left over at the end one by one.
void inner_products(const float *_Nonnull samples, const float *_Nonnull filters, long stride, long count, float *_Nonnull sums);

/// The memory of a window's rotations, see RotationField.swift: for each bin a value, and whole lanes of zeros after the last.
typedef struct {
    float *_Nonnull temporal_real, *_Nonnull temporal_imaginary, *_Nonnull previous_power;
    float *_Nonnull power, *_Nonnull step_real, *_Nonnull step_imaginary, *_Nonnull offered_up, *_Nonnull offered_down;
    float *_Nonnull from_below, *_Nonnull from_above;
    float *_Nonnull seed_real, *_Nonnull seed_imaginary;
    float *_Nonnull up_step_real, *_Nonnull up_step_imaginary, *_Nonnull down_step_real, *_Nonnull down_step_imaginary;
    float *_Nonnull up_real, *_Nonnull up_imaginary, *_Nonnull down_real, *_Nonnull down_imaginary;
    float *_Nonnull real, *_Nonnull imaginary;
} RotationParts;

/// Computes both rules' rotations of every bin, and the power that each offers its neighbours; returns the largest power.
///
/// `spectra` contains for each channel `stride` real and as many imaginary parts.
LOOP_SAFE float rotation_prepare(
    const RotationParts *_Nonnull parts, const float *_Nonnull spectra, long stride, long channels, long bins, float extra,
    float guard);

/// The level at which the loudest-first order reaches every bin, from below and from above.
LOOP_SAFE void rotation_spread(const RotationParts *_Nonnull parts, long bins);

/// Makes factors of each bin's choice: its own rotation by the temporal rule, or a neighbour's rotation times a step.
LOOP_SAFE void rotation_seed(const RotationParts *_Nonnull parts, long bins, float floor, float silent);

/// Multiplies the steps along every chain that begins at a seed.
LOOP_SAFE void rotation_follow(const RotationParts *_Nonnull parts, long bins);

/// Adds the products of an output's spectrum and a source's, which is interleaved, to those of the temporal rule. `bins` is a multiple of eight.
LOOP_SAFE void rotation_compare(
    const RotationParts *_Nonnull parts, long bins, const float *_Nonnull real, const float *_Nonnull imaginary,
    const float *_Nonnull source);

/// The gains that restore the level that windows lose where they do not agree. Before the first agreement and size lie eight zeros.
LOOP_SAFE void overlap_gain(
    const RotationParts *_Nonnull parts, const float *_Nonnull shares, long bins, float silent, float *_Nonnull agreements,
    float *_Nonnull sizes, float *_Nonnull gains);

/// Real and imaginary parts of an interleaved spectrum. `bins` is a multiple of eight.
LOOP_SAFE void part_spectrum(const float *_Nonnull source, long bins, float *_Nonnull real, float *_Nonnull imaginary);

/// Rotates all bins, and writes those below the last whole lanes to `spectrum` as well, interleaved and with their gains.
LOOP_SAFE void rotate_spectrum(
    const RotationParts *_Nonnull parts, long bins, const float *_Nonnull real, const float *_Nonnull imaginary,
    const float *_Nonnull gains, float *_Nonnull output_real, float *_Nonnull output_imaginary, float *_Nonnull spectrum);

#endif
