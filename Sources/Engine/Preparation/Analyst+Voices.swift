internal import Clips
internal import Stretching

// Used by the worker only: the places of a speaking voice over music. Each page is judged with the pages within five
// seconds, so the answer for a page depends on the recording alone.
extension Analyst {
    /// Returns the changes of the voice's period in a page; no change without speech.
    func voicePeriods(in page: Int) -> [VoicePeriod] {
        guard let voice = voice(in: page), !voice.periods.isEmpty else { return [] }
        let range = frames(of: page)
        let reach = Int64((VoiceEvidence.reach + 1) * clip.sampleRate)
        let first = pages.page(of: max(0, range.lowerBound - reach))
        let last = pages.page(of: min(clip.frameCount - 1, range.upperBound + reach))
        let evidence = (first...last).flatMap { self.voice(in: $0)?.evidence ?? [] }
        return VoicePeriod.audible(voice.periods, in: range, evidence: evidence, sampleRate: clip.sampleRate)
    }

    /// Returns the pitch of the voice in a page; nil if the page cannot be decoded.
    private func voice(in page: Int) -> VoicePitch? {
        if let known = knownVoices[page] { return known }
        let range = frames(of: page)
        var measured: MaterialFrames?
        let context = Int64(VoicePitch.contextFrames(sampleRate: clip.sampleRate))
        guard !range.isEmpty, let seconds = secondsOfPage(page, frames: &measured),
            let block = recording.block(range.lowerBound - context..<range.upperBound + context)
        else { return nil }
        let voice = VoicePitch(block, within: range, seconds: seconds, points: &voicePoints)
        knownVoices[page] = voice
        return voice
    }
}
