import DSPHarness
import Glibc
import TestSupport
import Testing

@testable import DSP

@Suite("Edge snap")
struct EdgeSnapTests {
    private let rate = 8000

    private func sine(_ count: Int, period: Double, phase: Double = 0) -> [Float] {
        (0..<count).map { Float(0.5 * sin(2 * .pi * Double($0) / period + phase)) }
    }

    @Test("an edge snaps to the nearest silence before any crossing, and a silent edge stays")
    func silence() {
        var samples = sine(320, period: 20, phase: 0.4)
        for index in 200..<260 { samples[index] = 0.0001 }
        #expect(EdgeSnap.nearest(in: samples, to: 160, sampleRate: rate) == 200)
        #expect(EdgeSnap.nearest(in: samples, to: 230, sampleRate: rate) == 230)
        #expect(EdgeSnap.nearest(in: samples, to: 300, sampleRate: rate) == 260)
        #expect(EdgeSnap.nearest(in: [Float](repeating: 0, count: 320), to: 7, sampleRate: rate) == 7)
    }

    @Test("an edge in sound snaps to the nearest zero crossing, in either direction")
    func crossing() {
        // Crossings at every tenth sample, between two of them.
        let samples = sine(320, period: 20, phase: 0.1)
        for index in 20..<300 {
            let place = EdgeSnap.nearest(in: samples, to: index, sampleRate: rate)
            #expect(abs(place - index) <= 5 && samples[place - 1] * samples[place] <= 0, "\(index): \(place)")
        }
    }

    @Test("an edge in sound without zero crossings, or without sound, stays")
    func nowhere() {
        #expect(EdgeSnap.nearest(in: [Float](repeating: 0.4, count: 320), to: 100, sampleRate: rate) == 100)
        #expect(EdgeSnap.nearest(in: [], to: 0, sampleRate: rate) == 0)
        #expect(EdgeSnap.nearest(in: [0.5], to: 1, sampleRate: rate) == 1)
    }

    @Test("the trough of a low note does not count as silence")
    func lowNote() {
        let samples = sine(320, period: 200, phase: .pi / 2)
        #expect(EdgeSnap.nearest(in: samples, to: 60, sampleRate: rate) == 51)
    }
}
