// A recording measured without a clip: no pages, no thread of its own.
package import AudioFiles
package import DSP
internal import Glibc
internal import Samples

/// A recording opened only for measuring, on the caller's thread.
///
///     let reading = try MeasuredRecording(path: "take5.flac").reading()
///
/// The samples are read once, in order, into a small buffer which stays in the processor's cache. So this takes less
/// time than measuring a ``Clip``, and a fraction of its memory; the readings are bit-identical. One thread at a time.
package final class MeasuredRecording {
    /// The description of the file, with its own rate and number of frames.
    package let info: AudioFileInfo
    /// Frames per second of the measurement, in Hz: the file's own rate, limited to the range of the meters.
    package let sampleRate: Int
    /// Frames at ``sampleRate``.
    package let frameCount: Int64
    private let recording: RateReader

    /// Frames read at once without rate conversion: a page of a clip would not stay in the fast caches. Blocks are
    /// multiples of 32 frames, so the channels of a `PlanarBuffer` lie exactly one block apart.
    private static let blockFrames = 2048

    /// Opens a recording by its content, whatever its name, and verifies its length.
    ///
    /// - Throws: The reason why the file cannot be read.
    ///
    /// Real-time safe: no.
    package init(path: String) throws(AudioFileError) {
        let decoder = try openDecoder(path: path)
        info = decoder.info
        sampleRate = ProgrammeReading.sampleRate(forFileRate: info.sampleRate)
        frameCount = max(
            1, RateRatio(sourceRate: info.sampleRate, outputRate: sampleRate).outputFrame(nearest: info.frameCount))
        recording = try RateReader(decoder, sampleRate: sampleRate)
    }

    /// Reads the recording from its first frame to its last. Memory use does not grow with its length.
    ///
    /// - Throws: The reason why the recording cannot be read to its end, after several attempts in three quarters of a
    ///   second.
    ///
    /// Real-time safe: no.
    package func reading(hop: (LoudnessHop) -> Void = { _ in }) throws(AudioFileError) -> ProgrammeReading {
        try reading(while: { true }, hop: hop)
    }

    /// Reads the recording to its end, or until `isWanted`, called after each block, returns false. The reading then
    /// covers the frames up to there. Calls `hop` with the loudness at the end of every 10 ms.
    package func reading(
        while isWanted: () -> Bool, hop: (LoudnessHop) -> Void = { _ in }
    ) throws(AudioFileError) -> ProgrammeReading {
        var meter = ProgrammeMeter(.init(sampleRate: sampleRate, channelCount: info.channelCount))
        // A conversion begins anew in each block, so its bits depend on the blocks; the blocks are the same as a
        // clip's.
        let blockFrames =
            sampleRate == info.sampleRate
            ? Self.blockFrames : 1 << RateReader.blockShift(channelCount: info.channelCount)
        let block = PlanarBuffer(channelCount: info.channelCount, frameCount: blockFrames)
        var frame: Int64 = 0
        while frame < frameCount, isWanted() {
            let count = Int(min(Int64(blockFrames), frameCount - frame))
            try read(frame..<frame + Int64(count), into: block)
            unsafe meter.process(UnsafePointer(block.channels), frameCount: count, hop: hop)
            frame += Int64(count)
        }
        return meter.finish()
    }

    /// Reads a block; after a failure tries again, as a clip does.
    private func read(_ frames: Range<Int64>, into block: borrowing PlanarBuffer) throws(AudioFileError) {
        var failure: PageFailure?
        while true {
            do throws(AudioFileError) {
                return try unsafe recording.read(frames, into: block.channel(0), stride: block.frameCount)
            } catch {
                recording.renewDecoder()
                let next = PageFailure(error, after: failure, now: .now)
                if next.isGivenUp { throw error }
                usleep(UInt32(next.pause(at: .now)) * 1000)
                failure = next
            }
        }
    }
}
