/// Number of bands into which a stretcher splits its source, chosen at the start.
public enum StretchBands: Sendable {
    /// One band with windows of 46 ms: the light quality, about a third cheaper; bass notes close together blur.
    case one
    /// Three bands with windows of 186, 93 and 46 ms: for music.
    case three
}
