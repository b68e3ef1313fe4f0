import Testing

@testable import DSP

@Suite("Path of pitches")
struct PitchPathTests {
    /// A candidate of a frequency in octaves above 1 Hz.
    private func candidate(_ octaves: Float, _ probability: Float) -> PitchCandidate {
        PitchCandidate(octaves: octaves, probability: probability)
    }

    @Test("a place whose best candidate lies an octave off keeps the pitch of its neighbours")
    func octave() {
        var path = PitchPath()
        for place in 0..<100 {
            path.append(place == 50 ? [candidate(7, 0.3), candidate(8, 0.6)] : [candidate(7, 0.9)])
        }
        path.finish()
        #expect(path.hertz == [Float](repeating: 128, count: 100))
        #expect(path.voicing.allSatisfy { abs($0 - 0.9) < 1e-6 })
    }

    @Test("a place without a candidate has no pitch, and the pitch goes on behind")
    func gap() {
        var path = PitchPath()
        for place in 0..<60 { path.append((20..<40).contains(place) ? [] : [candidate(8, 0.9)]) }
        path.finish()
        #expect(path.hertz.indices.allSatisfy { path.hertz[$0] == ((20..<40).contains($0) ? 0 : 256) })
    }

    @Test("every place is decided within some three seconds, even if two pitches stay equally probable")
    func bounded() {
        var path = PitchPath()
        for _ in 0..<2000 { path.append([candidate(7, 0.4), candidate(9, 0.4)]) }
        #expect(path.hertz.count > 2000 - 340)
        path.finish()
        #expect(path.hertz.count == 2000)
    }
}
