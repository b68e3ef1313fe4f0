// The demo's own recording.
import Testing

@testable import WoodshedCLI

@Suite("Demo recording")
struct DemoTests {
    // The lowest rate keeps the debug build quick; the code does not branch on the rate.
    private let recording = DemoRecording(sampleRate: 8000)

    @Test("it is the same at every run")
    func repeatable() {
        #expect(DemoRecording(sampleRate: 8000).channels == recording.channels)
    }

    @Test("it is heard everywhere, overloads nowhere, and every section lies inside")
    func sound() {
        #expect(recording.channels.count == 2)
        #expect(recording.sections.count == 3)
        for channel in recording.channels {
            #expect(channel.allSatisfy { abs($0) <= 0.7001 })
            for section in recording.sections {
                let part = channel[Int(section.range.lowerBound)..<Int(section.range.upperBound)]
                // -20 dB below full scale at the least: a passage nobody hears would be a broken instrument.
                #expect(part.contains { abs($0) > 0.1 }, "\(section.name)")
            }
        }
    }

    @Test("a plucked string sounds at its pitch", arguments: [45, 57, 69])
    func pitch(note: Int) {
        let rate = 8000
        let sound = PluckedString.note(note, frameCount: 4000, seed: 1, sampleRate: rate)
        let period = Double(rate) / (440 * exp2Table(note))
        // The best-matching lag of the autocorrelation lies within half a frame of the period.
        let lags = Int(period * 0.7)...Int(period * 1.4)
        let best = lags.max { correlation(sound, lag: $0) < correlation(sound, lag: $1) } ?? 0
        #expect(abs(Double(best) - period) <= 0.75, "lag \(best), period \(period)")
    }

    private func exp2Table(_ note: Int) -> Double { [45: 0.25, 57: 0.5, 69: 1][note] ?? 0 }

    private func correlation(_ sound: [Float], lag: Int) -> Float {
        var sum: Float = 0
        for index in 1000..<3000 { sum += sound[index] * sound[index - lag] }
        return sum
    }
}
