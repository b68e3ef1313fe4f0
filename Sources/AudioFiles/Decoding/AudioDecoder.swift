// The interface of every decoder, independent of the library or program behind it.

/// A recording, decodable from any frame, always with the same bits.
///
/// Threads: one at a time.
package protocol AudioDecoder: AnyObject, Sendable {
    /// Properties of the file. The frame count is proved by decoding, not taken from the header.
    var info: AudioFileInfo { get }

    /// Decodes `frames`, a range within `0 ..< info.frameCount`. Writes planar samples: one channel after another,
    /// `stride` samples apart.
    ///
    /// Every sample is finite: NaN and infinity become zero. Throws if the file has changed since the opening.
    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError)

    /// Ends a `read` waiting for decoding elsewhere. This read and later reads throw `.cancelled`. Threads: any.
    func cancel()
}

extension AudioDecoder {
    package func cancel() {}
}

/// A decoder of a file. Several decoders can exist at once, each for its own thread.
package protocol FileDecoder: AudioDecoder {
    /// Returns another decoder of the same file, even if the file's name now refers to another file.
    func another() throws(AudioFileError) -> any FileDecoder

    /// Decodes `frames` as interleaved 16-bit samples, if this is faster than decoding as floats. Other sample formats
    /// are rounded as by ``roundToShorts``. Returns false and writes nothing if decoding as floats is faster.
    func readShorts(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Int16>) throws(AudioFileError) -> Bool
}

extension FileDecoder {
    package func readShorts(_: Range<Int64>, into _: UnsafeMutablePointer<Int16>) throws(AudioFileError) -> Bool {
        false
    }
}

/// Splits interleaved frames into channels. On request, replaces non-finite samples by zero.
///
/// - Parameters:
///   - source: `count * channelCount` samples.
///   - output: Channel `c` goes to `output + c * stride`.
func deinterleave(
    _ source: UnsafePointer<Float>, channelCount: Int, count: Int, into output: UnsafeMutablePointer<Float>,
    stride: Int,
    replacingNonFinite: Bool
) {
    switch channelCount {
    case 1: unsafe output.update(from: source, count: count)
    case 2: unsafe deinterleaveStereo(source, count: count, left: output, right: output + stride)
    default:
        for channel in 0..<channelCount {
            let target = unsafe output + channel * stride
            for frame in 0..<count { unsafe target[frame] = source[frame * channelCount + channel] }
        }
    }
    if replacingNonFinite {
        for channel in 0..<channelCount { unsafe replaceNonFinite(output + channel * stride, count: count) }
    }
}

/// Splits interleaved 16-bit frames into channels of floats, exactly: full scale is 1.
func deinterleave(
    _ source: UnsafePointer<Int16>, channelCount: Int, count: Int, into output: UnsafeMutablePointer<Float>, stride: Int
) {
    let step: Float = 1.0 / 32768
    guard channelCount == 2 else {
        for channel in 0..<channelCount {
            let target = unsafe output + channel * stride
            for frame in 0..<count { unsafe target[frame] = step * Float(source[frame &* channelCount &+ channel]) }
        }
        return
    }
    // Load both samples of a frame as a single integer: the compiler vectorises this form. The lower half is the first
    // sample.
    let (left, right) = unsafe (output, output + stride)
    let frames = unsafe UnsafeRawPointer(source)
    for frame in 0..<count {
        let both = unsafe Int32(littleEndian: frames.loadUnaligned(fromByteOffset: frame &* 4, as: Int32.self))
        unsafe left[frame] = step * Float((both &<< 16) &>> 16)
        unsafe right[frame] = step * Float(both &>> 16)
    }
}

/// Deinterleaves four frames at a time. FLAC decodes so fast that a plain strided loop would take a tenth of its time.
private func deinterleaveStereo(
    _ source: UnsafePointer<Float>, count: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>
) {
    let input = unsafe UnsafeRawPointer(source)
    let leftBytes = UnsafeMutableRawPointer(left)
    let rightBytes = UnsafeMutableRawPointer(right)
    let whole = count & ~3
    var frame = 0
    while frame < whole {
        let both = unsafe input.loadUnaligned(fromByteOffset: frame * 8, as: SIMD8<Float>.self)
        unsafe leftBytes.storeBytes(of: both.evenHalf, toByteOffset: frame * 4, as: SIMD4<Float>.self)
        unsafe rightBytes.storeBytes(of: both.oddHalf, toByteOffset: frame * 4, as: SIMD4<Float>.self)
        frame += 4
    }
    while frame < count {
        unsafe left[frame] = source[2 * frame]
        unsafe right[frame] = source[2 * frame + 1]
        frame += 1
    }
}

/// Replaces NaN and infinity by zero, because a non-finite value would stay in every filter on its way.
package func replaceNonFinite(_ samples: UnsafeMutablePointer<Float>, count: Int) {
    for i in 0..<count {
        let sample = unsafe samples[i]
        unsafe samples[i] = sample - sample == 0 ? sample : 0
    }
}
