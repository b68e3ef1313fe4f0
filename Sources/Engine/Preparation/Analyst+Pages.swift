internal import Clips
internal import Stretching

// Used by the worker only: the attacks of each page. A page that cannot be decoded has no attacks; the clip's failure
// has the cause.
extension Analyst {
    func frames(of page: Int) -> Range<Int64> {
        let start = Int64(page) * pages.pageFrames
        return start..<max(start, min(start + pages.pageFrames, clip.frameCount))
    }

    /// Prepares the attacks around a page and publishes the result.
    func makeReady(_ page: Int) {
        for neighbour in max(0, page - 1)...min(page + 1, pages.pageCount - 1)
        where !cache.holds(neighbour) {
            cache.keep(attacks(in: neighbour), of: neighbour)
        }
        cache.show(page)
    }

    /// Returns the attacks in a page; nil if the page cannot be decoded.
    private func attacks(in page: Int) -> AttackMaterial? {
        let range = frames(of: page)
        let context = max(
            OnsetMap.contextFrames(sampleRate: clip.sampleRate),
            AttackMaterial.contextFrames(sampleRate: clip.sampleRate))
        guard let block = recording.block(range.lowerBound - Int64(context)..<range.upperBound + Int64(context))
        else { return nil }
        // Onsets are found by their attack but belong to a page by their cut, which is up to some milliseconds earlier.
        let margin = Int64(clip.sampleRate / 20)
        let found = onsets[page] ?? OnsetMap.onsets(in: block, within: range.lowerBound..<range.upperBound + margin)
        onsets[page] = found
        // A stretcher with one band has windows of one length.
        let around = range.lowerBound - Int64(clip.sampleRate) / 2..<range.upperBound + Int64(clip.sampleRate) / 2
        let steady = bands == .three ? SteadySound.changes(in: block, within: around) : []
        let voice = bands == .three ? voicePeriods(in: page) : []
        return AttackMaterial(onsets: found, in: range, of: block, steady: steady, voice: voice, bands: bands)
    }
}
