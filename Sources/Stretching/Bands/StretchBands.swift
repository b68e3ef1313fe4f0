/// Number of bands into which a stretcher splits its source, chosen at the start.
public enum StretchBands: BitwiseCopyable, Sendable {
    /// One band with windows of 46 ms: the light quality, about a third cheaper; bass notes close together blur.
    case one
    /// One band with windows of 46 ms, for a line that plays alone: every partial keeps its vibrato and its tremolo, at
    /// every speed. Partials closer than 90 Hz, as of a low chord, blur.
    case line
    /// Three bands with windows of 186, 93 and 46 ms: for music.
    case three

    /// False if the source is split.
    var isWhole: Bool { self != .three }
}
