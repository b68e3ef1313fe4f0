/// The method for changing the speed.
///
/// The method for music rotates the phases of windows in three bands and copies attacks. The method for speech copies
/// whole periods, which keeps the pulses of a voice. Each method is bad at the other's material.
public enum MaterialChoice: String, Sendable, Hashable, CaseIterable {
    /// Decided for each passage of a section by analysis at loading. The default.
    case auto
    /// Anything with chords, drums or several voices.
    case music
    /// One voice speaking, or singing alone.
    case speech
}

/// The amount of work in the method for music.
public enum StretchQuality: String, Sendable, Hashable, CaseIterable {
    /// Three bands, so that low tones stay pure. The default.
    case full
    /// One band: about two thirds of the work, low chords a little rougher.
    case light
}

/// Treatment of formants, the resonances of a throat or an instrument's body, at another pitch.
public enum FormantChoice: String, Sendable, Hashable, CaseIterable {
    /// Formants stay in sections of speech, and move in music. The default.
    case auto
    /// Formants stay in place: a voice stays the same person's.
    case keep
    /// Formants move with the pitch, as on a tape: a voice sounds smaller at a higher pitch.
    case move
}

/// The classification of a section, and the reason.
public struct SectionMaterial: Sendable, Hashable {
    /// Material of most of the section: `.music` or `.speech`.
    public let material: MaterialChoice
    /// The evidence for speech from the analysis: above 0 is speech. nil if the user chose.
    package let score: Double?
    /// The reason, in words.
    public let reason: String
    /// True if one line plays alone, so that windows of 46 ms separate all partials.
    let isLone: Bool
    /// The section's passages, in order and without gaps; a section that is all of one kind is one passage.
    package let passages: [SectionPassage]
}

/// A run of a section that is all speech or all music. The method changes at a soft place within a second of its ends.
package struct SectionPassage: Sendable, Hashable {
    /// In frames of the clip.
    package let clipFrames: Range<Int64>
    /// The method: `.music` or `.speech`.
    package let material: MaterialChoice
    /// The evidence for speech; nil if the user chose.
    package let score: Double?
    /// The reason, in words.
    package let reason: String
}
