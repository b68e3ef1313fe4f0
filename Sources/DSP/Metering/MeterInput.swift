// MeterInput: the rules for input shared by all meters. The meters of this folder read planar Float32 samples, full
// scale ±1, and know no files, devices or clocks: time is a count of frames. `LevelMeter` is for capture and render
// threads; the other meters run on other threads, in a writer or offline.
internal import Samples

/// The largest magnitude that counts as sound, 240 dB above full scale.
///
/// Larger values, infinity and NaN count as silence in every meter, because a single such sample would stay in a filter
/// for ever. Squares of this magnitude, and sums of many squares, are far from overflow.
let largestMeasurable = Float(1 << 40)

/// Returns a sample as every meter reads it: invalid values become 0. The loops of `CSampleLoops` do the same. A
/// comparison with NaN is false, so one test catches all invalid values.
@inline(__always)
func measurable(_ sample: Float) -> Float { sample.magnitude <= largestMeasurable ? sample : 0 }

/// Returns the larger of two, lane by lane; neither may be NaN.
@inline(__always)
func larger(_ a: Lanes, _ b: Lanes) -> Lanes { select(a .> b, a, b) }

/// Returns the largest of eight lanes.
@inline(__always)
func largest(_ lanes: Lanes) -> Float {
    var four = lanes.lowHalf
    four.replace(with: lanes.highHalf, where: lanes.highHalf .> four)
    var two = four.lowHalf
    two.replace(with: four.highHalf, where: four.highHalf .> two)
    return two[0] > two[1] ? two[0] : two[1]
}

/// Returns the sum of eight lanes, always in the same order.
@inline(__always)
func total(_ lanes: Lanes) -> Float {
    let four = lanes.lowHalf + lanes.highHalf
    let two = four.lowHalf + four.highHalf
    return two[0] + two[1]
}
