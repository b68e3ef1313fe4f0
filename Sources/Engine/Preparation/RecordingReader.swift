internal import Clips
internal import Stretching

/// Reads long ranges of a clip on a worker, page by page, waiting for each page.
@safe
final class RecordingReader: @unchecked Sendable {
    private let clip: Clip
    private let reader: ClipReader
    /// Frames in each wait: few pages, so that a small budget is enough and playing continues without long delays.
    private let pieceFrames: Int
    private var latest: SourceBlock?

    init(_ clip: Clip) {
        self.clip = clip
        reader = clip.makeReader(waitsForPages: true)
        pieceFrames = clip.pageFrames
    }

    func close() { clip.release(reader) }

    /// Any thread: a `block` that waits returns nil, and so do all later calls.
    func endWaits() { clip.endWaits(of: reader) }

    /// Returns the frames of a range of a view, with silence outside the recording; nil if the clip cannot be decoded
    /// there, which the clip's own failure reports.
    func block(_ range: Range<Int64>, of view: ClipView) -> SourceBlock? {
        guard var channels = samples(of: view.range(range)) else { return nil }
        if view.isMirrored { for channel in channels.indices { channels[channel].reverse() } }
        return SourceBlock(channels, firstFrame: range.lowerBound, sampleRate: clip.sampleRate)
    }

    /// Returns the frames of a range of the clip, and some frames around the range if at hand: neighbouring analyses
    /// read the same frames.
    ///
    /// Only for the one worker that owns this reader.
    func block(_ range: Range<Int64>) -> SourceBlock? {
        if let latest, latest.range.contains(range) { return latest }
        // Frees the memory for the new block.
        latest = nil
        latest = block(range, of: .forward)
        return latest
    }

    private func samples(of range: Range<Int64>) -> [[Float]]? {
        let count = range.count
        var channels = [[Float]](repeating: [Float](repeating: 0, count: count), count: clip.channelCount)
        var done = 0
        while done < count {
            let piece = min(pieceFrames, count - done)
            let first = range.lowerBound + Int64(done)
            // Lets the decoder read ahead; reading a present page would not.
            guard (try? clip.waitUntilLoaded([first..<first + Int64(piece)], for: reader)) != nil else { return nil }
            reader.beginBlock()
            var missing = 0
            for channel in channels.indices {
                unsafe channels[channel].withUnsafeMutableBufferPointer { samples in
                    guard let base = samples.baseAddress else { return }
                    missing += unsafe reader.read(channel: channel, from: first, count: piece, into: base + done)
                }
            }
            reader.endBlock()
            // For a reader that waits, frames are missing only if their decoding failed.
            guard missing == 0 else { return nil }
            done += piece
        }
        return channels
    }
}
