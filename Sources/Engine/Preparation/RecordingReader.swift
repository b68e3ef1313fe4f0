internal import Clips
internal import DSP

/// Reads long ranges of a clip on a worker, page by page, waiting for each.
@safe
final class RecordingReader: @unchecked Sendable {
    private let clip: Clip
    private let reader: ClipReader
    /// Frames waited for at once: few pages, so that a small budget suffices and the playing is not held up for long.
    private let pieceFrames: Int

    init(_ clip: Clip) {
        self.clip = clip
        reader = clip.makeReader(waitsForPages: true)
        pieceFrames = clip.pageFrames
    }

    func close() { clip.release(reader) }

    /// Any thread: ends a `block` that waits, and all that come later, with nothing.
    func endWaits() { clip.endWaits(of: reader) }

    /// The frames of a range, which may reach outside the recording, where there is silence; nil when the clip cannot be
    /// decoded there, which the clip's own failure tells.
    func block(_ range: Range<Int64>) -> SourceBlock? {
        let count = range.count
        var channels = [[Float]](repeating: [Float](repeating: 0, count: count), count: clip.channelCount)
        var done = 0
        while done < count {
            let piece = min(pieceFrames, count - done)
            let first = range.lowerBound + Int64(done)
            // Lets the decoding go on ahead, which a reader that finds its page does not.
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
            // A reader that waits lacks only what cannot be decoded.
            guard missing == 0 else { return nil }
            done += piece
        }
        return SourceBlock(channels, firstFrame: range.lowerBound, sampleRate: clip.sampleRate)
    }
}
