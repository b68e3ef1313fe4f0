// Screens kept in files, for comparison character by character.
import Foundation
import Terminal
import Testing

@testable import WoodshedCLI

/// The file with the expected screen: `WOODSHED_GOLDEN=write` writes the files anew, for inspection.
struct GoldenFile {
    let name: String

    private var file: URL {
        let name = name.replacingOccurrences(of: ",", with: "").replacingOccurrences(of: " ", with: "-")
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/\(name).txt")
    }

    func compare(with text: String) throws {
        if environmentVariable("WOODSHED_GOLDEN") == "write" { try Data(text.utf8).write(to: file) }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == expected, "\(text)")
    }
}
