// The file format for a file name.

/// Formats written by `-o`.
enum WaveformTarget: Equatable {
    enum Image { case png, svg }
    enum Peaks { case dat, json }

    case picture(Image)
    case peaks(Peaks)

    /// Chooses the format by the extension, in upper or lower case; nil for another extension.
    init?(_ path: String) {
        switch path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false).last?
            .lowercased()
        {
        case "png": self = .picture(.png)
        case "svg": self = .picture(.svg)
        case "dat": self = .peaks(.dat)
        case "json": self = .peaks(.json)
        default: return nil
        }
    }
}
