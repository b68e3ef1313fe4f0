import TestSupport
import Testing

@testable import Engine

@Suite("The choice of formants")
struct FormantChoiceTests {
    /// Five semitones up, a little slower.
    private static func rendered(
        _ formants: FormantChoice, _ material: MaterialChoice, speed: Double = 0.9, listens: Bool = true
    ) throws -> [Float] {
        let plan = PracticePlan(
            sections: [try Section(3000..<12_000)], speeds: .constant(try Speed(factor: speed)),
            pitch: try Pitch(semitones: 5), material: material, formants: formants)
        let score = try Score(plan, clipFrameCount: 44_100, sampleRate: PreparationTests.rate)
        return try PreparationTests.rendered(score, block: 1000, listens: listens)
    }

    @Test("formants are kept in speech and moved in music, unless the user chooses otherwise")
    func byMaterial() throws {
        for material in [MaterialChoice.music, .speech] {
            let (kept, moved) = (try Self.rendered(.keep, material), try Self.rendered(.move, material))
            #expect(kept != moved)
            #expect(try Self.rendered(.auto, material) == (material == .speech ? kept : moved))
        }
    }

    @Test("formants are kept in speech that is not spliced, too")
    func unspliced() throws {
        // Stretched to 22 %, below the slowest speed, nothing is spliced.
        let (kept, moved) = (
            try Self.rendered(.keep, .speech, speed: 0.3), try Self.rendered(.move, .speech, speed: 0.3)
        )
        #expect(kept != moved)
        #expect(try Self.rendered(.auto, .speech, speed: 0.3) == kept)
    }

    @Test("formants are moved in a section not yet analysed, unless the user keeps them")
    func unknown() throws {
        let moved = try Self.rendered(.move, .auto, listens: false)
        #expect(try Self.rendered(.auto, .auto, listens: false) == moved)
        #expect(try Self.rendered(.keep, .auto, listens: false) != moved)
    }
}
