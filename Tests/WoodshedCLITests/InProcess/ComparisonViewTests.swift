// A comparison drawn with characters.
import DSP
import Glibc
import Terminal
import Testing
import Woodshed

@testable import WoodshedCLI

@Suite("A comparison in the terminal")
struct ComparisonViewTests {
    /// A tone rising by two semitones after a second, with silence around the tone.
    private static func sound(cents: Double) -> ComparedSound {
        let rate = 16_000.0
        let samples = (0..<Int(2.4 * rate)).map { frame -> Float in
            let time = Double(frame) / rate
            guard (0.2..<2.2).contains(time), !(1.15..<1.25).contains(time) else { return 0 }
            let phase = 2 * Double.pi * 220 * exp2(((time < 1.2 ? 0 : 200) + cents) / 1200) * time
            return Float(0.2 * (sin(phase) + 0.5 * sin(2 * phase) + 0.3 * sin(3 * phase)))
        }
        return ComparedSound(samples, sampleRate: 16_000)
    }

    private let comparison = Comparison(of: sound(cents: 40), with: sound(cents: 0))

    @Test("the drawn comparison fits every terminal, and is ASCII without UTF-8", arguments: [30, 40, 80, 200])
    func fitting(columns: Int) {
        for glyphs in [Glyphs.unicode, .ascii] {
            let lines = ComparisonView(comparison: comparison, glyphs: glyphs, columns: columns).lines
            #expect(lines.count >= 9 && lines.allSatisfy { displayWidth($0) < columns }, "\(lines)")
            #expect(
                lines[0].hasPrefix("model ") && lines[1].hasPrefix("take ") && lines.contains { $0.hasPrefix("pitch") })
            #expect(glyphs == .unicode || lines.allSatisfy { $0.allSatisfy(\.isASCII) })
            // The same melody, moved: both are in the same cell, low and then high.
            let both = lines.filter { $0.contains(glyphs == .unicode ? "●" : "@") }
            #expect(both.count >= 2, "\(lines)")
        }
    }

    @Test("an empty comparison is not drawn, nor is a comparison in a terminal without room")
    func nothing() {
        #expect(ComparisonView(comparison: Comparison(), glyphs: .unicode, columns: 80).lines.isEmpty)
        #expect(ComparisonView(comparison: comparison, glyphs: .unicode, columns: 20).lines.isEmpty)
    }
}
