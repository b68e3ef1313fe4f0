internal import Clips
internal import DSP

// The worker's own: what it finds in each window. A window that cannot be decoded holds nothing; the clip's failure says why.
extension Analyst {
    func frames(of window: Int) -> Range<Int64> {
        let start = Int64(window) * windows.windowFrames
        return start..<max(start, min(start + windows.windowFrames, clip.frameCount))
    }

    /// Makes the attacks around a window ready and shows them.
    func makeReady(_ window: Int) {
        for neighbour in max(0, window - 1)...min(window + 1, windows.windowCount - 1)
        where !cache.holds(neighbour) {
            cache.keep(attacks(in: neighbour), of: neighbour)
        }
        cache.show(window)
    }

    /// nil where nothing can be decoded.
    private func attacks(in window: Int) -> AttackMaterial? {
        let range = frames(of: window)
        let context = max(
            OnsetMap.contextFrames(sampleRate: clip.sampleRate),
            AttackMaterial.contextFrames(sampleRate: clip.sampleRate))
        guard let block = recording.block(range.lowerBound - Int64(context)..<range.upperBound + Int64(context))
        else { return nil }
        // Onsets are found by their attack and belong to a window by their cut, which lies up to some milliseconds before it.
        let margin = Int64(clip.sampleRate / 20)
        let found = onsets[window] ?? OnsetMap.onsets(in: block, within: range.lowerBound..<range.upperBound + margin)
        onsets[window] = found
        return AttackMaterial(onsets: found, in: range, of: block, bands: bands)
    }
}
