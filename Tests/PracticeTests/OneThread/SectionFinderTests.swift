// The settings of the search for phrases: any number is a setting.
import Clips
import Glibc
import Sections
import Testing

@testable import Practice

@Suite("Finding the phrases of a recording")
struct SectionFinderTests {
    /// Four tones of a second, a second apart.
    private static let samples: [Float] = (0..<128_000).map { frame in
        frame / 16_000 % 2 == 1 ? 0.3 * sin(Float(frame) * 0.2) : 0
    }

    private func drafts(_ change: (inout SectionFinder) -> Void) throws -> [SectionDraft] {
        let clip = try Clip.inMemory([Self.samples], sampleRate: 16_000)
        var finder = SectionFinder()
        change(&finder)
        return try finder.find(in: clip, path: "", { _ in true }).drafts
    }

    @Test("a setting outside its range counts as the nearest value, and NaN as not set")
    func settings() throws {
        let usual = try drafts { _ in }
        #expect(usual.count == 4)
        let notSet = try drafts { finder in
            finder.minimumPause = .nan
            finder.minimumLength = .nan
            finder.maximumLength = .nan
            finder.thresholdDecibels = Double.nan
        }
        #expect(notSet == usual)
        let widest = try drafts { finder in
            finder.minimumLength = -.infinity
            finder.maximumLength = .infinity
        }
        #expect(widest == usual)
        // Ten seconds: all pauses are shorter.
        let joined = try drafts { $0.minimumPause = .infinity }
        #expect(joined.count == 1)
    }
}
