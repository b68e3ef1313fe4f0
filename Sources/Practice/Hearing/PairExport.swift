package import AudioFiles
package import Clips
internal import Samples
package import Store

/// Exports a take and its model as a stereo file: the model left, the take right.
package enum PairExport {
    /// Writes the file, which appears under its name when complete. Holds only a block in memory, for any length.
    ///
    /// The first frame is the model's first frame. Each side is the mean of its channels, at its place in a
    /// ``HeardPair``.
    ///
    /// - Parameters:
    ///   - take: A take with a model.
    ///   - recording: The recording, at the rate of the file.
    ///   - key: The recording's identity in the store.
    ///   - path: The file; replaces an existing file.
    ///   - format: Its format.
    ///   - matches: True to make both sides equally loud; this reads everything twice.
    ///   - progress: Called with the finished share.
    ///   - isCancelled: Called often; true cancels the export.
    /// - Returns: The number of frames of the file.
    /// - Throws: `HearingError`; `AudioFileError` if the file cannot be written; as `HeardPair.init` otherwise. No file
    ///   is left then.
    ///
    /// Real-time safe: no.
    @discardableResult
    package static func write(
        _ take: StoredTake, in recording: Clip, key: RecordingKey, to path: String, format: FileFormat,
        matches: Bool = false, progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws -> Int64 {
        let opened = try OpenedTake(take, in: recording, key: key)
        let layout = try opened.layout()
        let passage = try opened.passage(layout)
        // A rendered model is read once, in order, so each reading needs a new rendering.
        func sound() throws -> PairSound {
            let model: any ModelSound =
                passage.isOriginal ? CopiedModel(passage) : try RenderedModel(passage)
            return PairSound(layout, model: model, take: opened.clip)
        }
        do {
            let pair = try sound()
            if matches {
                let measured = try sound()
                try measured.match(isCancelled: isCancelled)
                pair.gains = measured.gains
            }
            let writer = try makeSoundWriter(
                path: path, format: format, sampleRate: recording.sampleRate, channelCount: 2)
            do {
                try write(pair, to: writer, progress: progress, isCancelled: isCancelled)
                try writer.finish()
            } catch {
                writer.cancel()
                throw error
            }
            return layout.frameCount
        } catch {
            throw opened.explained(error)
        }
    }

    private static func write(
        _ pair: PairSound, to writer: any SoundWriter, progress: (Double) -> Void, isCancelled: () -> Bool
    ) throws {
        let block = PlanarBuffer(channelCount: 2, frameCount: 4096)
        var written: Int64 = 0
        try pair.forEachBlock(isCancelled: isCancelled) { lanes, count in
            for index in 0..<count {
                let both = PairSound.both(lanes, index, mixes: false)
                unsafe block.channel(0)[index] = both.left
                unsafe block.channel(1)[index] = both.right
            }
            // As in `PairDecoder`.
            for channel in 0..<2 { unsafe replaceNonFinite(block.channel(channel), count: count) }
            try unsafe writer.write(UnsafePointer(block.channels), frameCount: count)
            written += Int64(count)
            progress(Double(written) / Double(pair.layout.frameCount))
        }
    }
}
