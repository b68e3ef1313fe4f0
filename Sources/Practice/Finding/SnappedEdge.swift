package import AudioFiles
package import Clips
internal import DSP

/// Moves an edge set by ear, or typed, to a nearby place with a cleaner cut.
package enum SnappedEdge {
    /// Returns the nearest silent place within 20 ms, else the nearest zero crossing within 20 ms, else the frame
    /// itself.
    ///
    /// - Parameters:
    ///   - frame: a frame of the clip.
    ///   - clip: the recording.
    /// - Throws: The reason why the recording cannot be read there.
    ///
    /// Waits for the decoder. Real-time safe: no.
    package static func frame(nearest frame: Int64, in clip: Clip) throws(AudioFileError) -> Int64 {
        try place(nearest: frame, in: clip, waits: true) ?? frame
    }

    /// Returns the same for a decoded place; the frame itself if the place is not decoded yet.
    static func heardFrame(nearest frame: Int64, in clip: Clip) -> Int64 {
        // Only a waiting reader reports errors.
        ((try? place(nearest: frame, in: clip, waits: false)) ?? nil) ?? frame
    }

    private static func place(nearest frame: Int64, in clip: Clip, waits: Bool) throws(AudioFileError) -> Int64? {
        // The ends of the recording are edges already. A frame past the end has no sound around it.
        guard frame > 0, frame < clip.frameCount else { return frame }
        let reach = Int64(EdgeSnap.reach * Double(clip.sampleRate))
        let range = max(0, frame - reach)..<min(clip.frameCount, frame + reach)
        guard !range.isEmpty else { return frame }
        guard let mix = try clip.mix(range, waits: waits) else { return nil }
        let place = EdgeSnap.nearest(in: mix, to: Int(frame - range.lowerBound), sampleRate: clip.sampleRate)
        return range.lowerBound + Int64(place)
    }
}
