// How every meter treats its input. The meters of this folder read planar Float32 samples, full scale ±1, and know
// no files, devices or clocks: time is a count of frames. `LevelMeter` is for capture and render threads; the
// others run on other threads, in a writer or offline.

/// The largest magnitude that counts as sound, 240 dB above full scale.
///
/// Larger values, infinity and NaN count as silence in every meter, because one such sample would stay in a filter for
/// ever. Squares of it, and sums of many of them, are far from overflow.
let largestMeasurable = Float(1 << 40)

/// Samples as the meters use them. A comparison with NaN is false, so one test catches all invalid values.
@inline(__always)
func measurable(_ samples: Lanes) -> Lanes { select(magnitude(samples) .<= largestMeasurable, samples, Lanes()) }

/// A sample as the meters take it.
@inline(__always)
func measurable(_ sample: Float) -> Float { sample.magnitude <= largestMeasurable ? sample : 0 }

/// The larger of two, lane by lane; neither may be NaN.
@inline(__always)
func larger(_ a: Lanes, _ b: Lanes) -> Lanes { select(a .> b, a, b) }

/// The largest of eight lanes.
@inline(__always)
func largest(_ lanes: Lanes) -> Float {
    var four = lanes.lowHalf
    four.replace(with: lanes.highHalf, where: lanes.highHalf .> four)
    var two = four.lowHalf
    two.replace(with: four.highHalf, where: four.highHalf .> two)
    return two[0] > two[1] ? two[0] : two[1]
}

/// The sum of eight lanes, always in the same order.
@inline(__always)
func total(_ lanes: Lanes) -> Float {
    let four = lanes.lowHalf + lanes.highHalf
    let two = four.lowHalf + four.highHalf
    return two[0] + two[1]
}

/// Passes a block on by pairs of channels, in pieces: the pair, its left and its right samples, and how many frames.
///
/// The last of an odd number of channels is on both sides.
@inline(__always)
func forEachPair(
    _ input: UnsafePointer<UnsafeMutablePointer<Float>>, _ channelCount: Int, _ frameCount: Int, pieceFrames: Int,
    _ body: (Int, UnsafePointer<Float>, UnsafePointer<Float>, Int) -> Void
) {
    for pair in 0..<(channelCount + 1) / 2 {
        let right = min(2 * pair + 1, channelCount - 1)
        var done = 0
        while done < frameCount {
            let count = min(pieceFrames, frameCount - done)
            unsafe body(pair, input[2 * pair] + done, input[right] + done, count)
            done += count
        }
    }
}
