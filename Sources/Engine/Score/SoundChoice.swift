/// The method for changing the speed.
///
/// The method for music rotates the phases of windows in three bands and copies attacks. The method for speech copies whole periods, which keeps the
/// pulses of a voice. Each is bad at what the other is made for.
public enum MaterialChoice: String, Sendable, Hashable, CaseIterable {
    /// Decided for each section by analysing it when it is loaded. The default.
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

/// The classification of a section, and the reason.
public struct SectionMaterial: Sendable, Hashable {
    /// The method: `.music` or `.speech`.
    public let material: MaterialChoice
    /// The evidence for speech from the analysis: above 0 is speech. nil if the user chose.
    public let score: Double?
    /// Why, in words.
    public let reason: String
}
