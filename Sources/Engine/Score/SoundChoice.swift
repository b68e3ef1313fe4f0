/// By which method a changed speed is made.
///
/// Music is turned window by window in three bands, with attacks copied; speech is copied period by period, which keeps the
/// pulses of a voice. Each does badly what the other is made for.
public enum MaterialChoice: String, Sendable, Hashable, CaseIterable {
    /// Decided for each section by listening to it when it is loaded. The default.
    case auto
    /// Anything with chords, drums or several voices.
    case music
    /// One voice speaking, or singing alone.
    case speech
}

/// How much work the method for music does.
public enum StretchQuality: String, Sendable, Hashable, CaseIterable {
    /// Three bands, so that low tones stay pure. The default.
    case full
    /// One band: about two thirds of the work, low chords a little rougher.
    case light
}

/// What a section was taken for, and why.
public struct SectionMaterial: Sendable, Hashable {
    /// By which method it is stretched: `.music` or `.speech`.
    public let material: MaterialChoice
    /// How far it is speech, where that was judged by listening: above 0 is speech. nil when the user chose.
    public let score: Double?
    /// Why, in words.
    public let reason: String
}
