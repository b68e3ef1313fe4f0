// Pictures of waveforms, kept in files.
import Terminal
import Testing

@testable import WoodshedCLI

/// A screen and the file with the expected screen.
struct GoldenScreen: Sendable, CustomTestStringConvertible {
    let name: String
    let picture: WavePicture
    let names: [String]
    let sections: [SectionBand]

    init(_ name: String, _ picture: WavePicture, names: [String] = [""], sections: [SectionBand] = []) {
        self.name = name
        self.picture = picture
        self.names = names
        self.sections = sections
    }

    var testDescription: String { name }

    func compare(with text: String) throws { try GoldenFile(name: name).compare(with: text) }
}
