// Decodes from a spool, whether filled or still being filled.
internal import Realtime

/// Reads from a spool, and waits for missing frames.
@safe
final class SpooledDecoder: FileDecoder, @unchecked Sendable {
    let info: AudioFileInfo
    private let spool: SpoolFile
    /// The feed filling the spool; nil if the spool is complete.
    private let feed: SpoolFeed?
    private let scratch: UnsafeMutablePointer<Float>
    private let scratchFrames: Int

    /// Creates a decoder for `info.frameCount` frames in `spool`, present now or later.
    init(_ spool: SpoolFile, feed: SpoolFeed? = nil, info: AudioFileInfo) {
        self.spool = spool
        self.feed = feed
        self.info = info
        scratchFrames = max(64, 8192 / info.channelCount)
        unsafe scratch = .allocate(capacity: scratchFrames * info.channelCount)
    }

    deinit { unsafe scratch.deallocate() }

    func another() throws(AudioFileError) -> any FileDecoder { SpooledDecoder(spool, feed: feed, info: info) }

    func cancel() { feed?.stop() }

    /// Decodes the whole recording of `decoder` sequentially into a spool.
    static func spooling(_ decoder: any AudioDecoder) throws(AudioFileError) -> SpooledDecoder {
        let info = decoder.info
        let spool = try SpoolFile(for: info.path)
        let spooled = SpooledDecoder(spool, info: info)
        let (channels, blockFrames) = (info.channelCount, spooled.scratchFrames)
        let planar = UnsafeMutablePointer<Float>.allocate(capacity: blockFrames * channels)
        defer { unsafe planar.deallocate() }
        var frame: Int64 = 0
        while frame < info.frameCount {
            let count = Int(min(Int64(blockFrames), info.frameCount - frame))
            try unsafe decoder.read(frame..<frame + Int64(count), into: planar, stride: blockFrames)
            for channel in 0..<channels {
                for i in 0..<count {
                    unsafe spooled.scratch[i * channels + channel] = planar[channel * blockFrames + i]
                }
            }
            let bytes = unsafe UnsafeRawBufferPointer(start: spooled.scratch, count: count * channels * 4)
            try unsafe spool.write(bytes, at: frame * Int64(channels) * 4)
            frame += Int64(count)
        }
        return spooled
    }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        let frameBytes = info.channelCount * MemoryLayout<Float>.stride
        var done = 0
        while done < frames.count {
            let count = min(scratchFrames, frames.count - done)
            let bytes = unsafe UnsafeMutableRawBufferPointer(start: scratch, count: count * frameBytes)
            let start = (frames.lowerBound + Int64(done)) * Int64(frameBytes)
            let end = start + Int64(bytes.count)
            let there = try feed?.wait(for: end) ?? end
            let present = min(bytes.count, Int(max(0, there - start)))
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[present...]).initializeMemory(
                as: UInt8.self, repeating: 0)
            try unsafe spool.read(UnsafeMutableRawBufferPointer(rebasing: bytes[..<present]), at: start)
            unsafe deinterleave(
                scratch, channelCount: info.channelCount, count: count, into: output + done, stride: stride,
                replacingNonFinite: true)
            done += count
        }
    }
}
