public import AudioFiles
public import Clips
internal import DSP

/// Moves an edge that was set by ear, or typed, to where it sounds best.
public enum SnappedEdge {
    /// The nearest place in silence within 20 ms, else the nearest zero crossing within 20 ms, else the frame itself.
    ///
    /// - Parameters:
    ///   - frame: a frame of the clip.
    ///   - clip: the recording.
    /// - Throws: Why the recording cannot be read there.
    ///
    /// Waits for the decoder. Real-time safe: no.
    public static func frame(nearest frame: Int64, in clip: Clip) throws(AudioFileError) -> Int64 {
        try place(nearest: frame, in: clip, waits: true) ?? frame
    }

    /// The same for what is decoded already; the frame itself if it is not.
    static func heardFrame(nearest frame: Int64, in clip: Clip) -> Int64 {
        // Only a reader that waits tells of errors.
        ((try? place(nearest: frame, in: clip, waits: false)) ?? nil) ?? frame
    }

    private static func place(nearest frame: Int64, in clip: Clip, waits: Bool) throws(AudioFileError) -> Int64? {
        let reach = Int64(EdgeSnap.reach * Double(clip.sampleRate))
        let range = max(0, frame - reach)..<min(clip.frameCount, frame + reach)
        // The ends of the recording are edges already.
        guard !range.isEmpty, frame > 0, frame < clip.frameCount else { return frame }
        guard let mix = try clip.mix(range, waits: waits) else { return nil }
        let place = EdgeSnap.nearest(in: mix, to: Int(frame - range.lowerBound), sampleRate: clip.sampleRate)
        return range.lowerBound + Int64(place)
    }
}
