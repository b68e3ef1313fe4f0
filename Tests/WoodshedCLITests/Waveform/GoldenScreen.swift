// Screens kept in files, to be compared character by character.
import Foundation
import Testing

@testable import WoodshedCLI

/// One screen and the file that says what it must be: `WOODSHED_GOLDEN=write` writes the files anew, to be looked at.
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

    private var file: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "Golden/\(name.replacingOccurrences(of: ",", with: "").replacingOccurrences(of: " ", with: "-")).txt")
    }

    func compare(with text: String) throws {
        if environmentVariable("WOODSHED_GOLDEN") == "write" { try Data(text.utf8).write(to: file) }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == expected, "\(text)")
    }
}
