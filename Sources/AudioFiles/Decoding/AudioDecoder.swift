// The interface of a decoder, whatever library or program decodes.

/// A recording that can be decoded at any frame, always with the same bits.
///
/// Used by one thread at a time.
package protocol AudioDecoder: AnyObject, Sendable {
    /// The facts about the file; its frame count is proved by decoding, not taken from the header.
    var info: AudioFileInfo { get }

    /// Decodes `frames`, which lie within `0 ..< info.frameCount`, one channel after another, `stride` samples apart.
    ///
    /// Every sample is finite: NaN and infinity are replaced by zero. Throws if the file no longer holds the content that it
    /// had when it was opened.
    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError)

    /// Ends a `read` that waits for a decoding elsewhere; it throws `.cancelled`, as do later reads. Any thread.
    func cancel()
}

extension AudioDecoder {
    package func cancel() {}
}

/// A decoder of a file. Several can exist at once, each for a thread of its own.
package protocol FileDecoder: AudioDecoder {
    /// Another decoder of the same file, even if the file's name now refers to another one.
    func another() throws(AudioFileError) -> any FileDecoder

    /// Decodes `frames` as interleaved 16-bit samples, rounded as by ``roundToShorts`` if the file holds other samples, if that
    /// is faster than decoding as floats; otherwise returns false and writes nothing.
    func readShorts(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Int16>) throws(AudioFileError) -> Bool
}

extension FileDecoder {
    package func readShorts(_: Range<Int64>, into _: UnsafeMutablePointer<Int16>) throws(AudioFileError) -> Bool {
        false
    }
}

/// Splits interleaved frames into channels; if requested, replaces samples that are not finite by zero.
///
/// - Parameters:
///   - source: `count * channelCount` samples.
///   - output: channel `c` goes to `output + c * stride`.
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
    // Both samples of a frame as one number, which the compiler turns into vectors. The first one is its lower half.
    let (left, right) = unsafe (output, output + stride)
    let frames = unsafe UnsafeRawPointer(source)
    for frame in 0..<count {
        let both = unsafe Int32(littleEndian: frames.loadUnaligned(fromByteOffset: frame &* 4, as: Int32.self))
        unsafe left[frame] = step * Float((both &<< 16) &>> 16)
        unsafe right[frame] = step * Float(both &>> 16)
    }
}

/// Four frames at a time: FLAC decodes so fast that a plain strided loop would take a tenth of its time.
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

/// Replaces NaN and infinity by zero, because one of them would stay in every filter that it passes through.
package func replaceNonFinite(_ samples: UnsafeMutablePointer<Float>, count: Int) {
    for i in 0..<count {
        let sample = unsafe samples[i]
        unsafe samples[i] = sample - sample == 0 ? sample : 0
    }
}
