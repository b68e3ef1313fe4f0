// The colour of sound: three bands and a centroid, compared with known values for sines and with a slow transform.
import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import DSP

@Suite("Tones of a waveform")
struct WaveformToneTests {
    @Test(
        "a sine lies in its tone band, 3 dB below its amplitude, with the centroid at its frequency",
        arguments: [(100.0, 0), (440, 1), (1500, 1), (4000, 2), (12_000, 2)])
    func sines(frequency: Double, band: Int) {
        for sampleRate in [44_100, 96_000] {
            let sound = sine(frequency, amplitude: 0.25, sampleRate: sampleRate)
            // The first and the last window hold silence in part.
            for tone in sound.waveform(sampleRate: sampleRate).tones(level: 0).dropFirst(2).dropLast(2) {
                let levels = [tone.bandLevels.low, tone.bandLevels.mid, tone.bandLevels.high]
                // 20 log10(0.25) - 3.01, in steps of half a decibel.
                #expect(abs(levels[band] - -15.05) <= 0.3, "\(levels) at \(sampleRate) Hz")
                #expect(
                    abs(log2(Double(tone.centroid ?? 0) / frequency)) < 0.06,
                    "\(tone.centroid ?? 0) Hz for \(frequency)")
                for other in 0..<3 where other != band {
                    // The window's main lobe is four bins wide: 172 Hz at 44.1 kHz.
                    let distance = min(abs(frequency - 200), abs(frequency - 2000))
                    if distance > 300 { #expect(levels[other] < levels[band] - 30, "\(levels)") }
                }
            }
        }
    }

    @Test("the tones of a waveform add up to the power of the sound, on every level")
    func power() {
        var random = SeededGenerator(printedFor: "WaveformToneTests.power")
        let noise = ShortSound(
            channelCount: 1, samples: (0..<200_000).map { _ in Int16.random(in: -8000...8000, using: &random) })
        let waveform = noise.waveform()
        let expected = 10 * log10(noise.samples.reduce(0.0) { $0 + pow(Double($1) / 32768, 2) } / 200_000)
        for level in 4..<waveform.toneLevelCount {
            for tone in waveform.tones(level: level).dropLast() {
                let (low, mid, high) = tone.bandLevels
                let total = [low, mid, high].reduce(0.0) { $0 + pow(10, Double($1) / 10) }
                #expect(abs(10 * log10(total) - expected) < 0.8, "level \(level)")
            }
        }
    }

    @Test("the tones of a hop agree with a slow transform of the window around the hop")
    func slowTransform() {
        var random = SeededGenerator(printedFor: "WaveformToneTests.slowTransform")
        let sound = ShortSound.lively(channelCount: 2, frameCount: 3000, random: &random)
        let tones = sound.waveform().tones(level: 0)
        #expect(tones.count == 6)
        for (hop, tone) in tones.enumerated() {
            let expected = slowTone(sound, from: 512 * hop - 256)
            for (level, power) in zip([tone.low, tone.mid, tone.high], expected.bands) {
                let steps = power > 1e-12 ? 20 * log10(power) + 241 : 0
                #expect(abs(Double(level) - steps) <= 0.51, "hop \(hop)")
            }
            #expect(abs(Double(tone.pitch) - 24 * log2(expected.centroid / 20)) <= 0.51, "hop \(hop)")
        }
    }

    @Test("waveform tones lie on the step nearest to the logarithm")
    func steps() {
        var random = SeededGenerator(printedFor: "WaveformToneTests.steps")
        for _ in 0..<10_000 {
            let step = Double.random(in: -0.4...255.4, using: &random)
            // On an edge itself either step is right.
            if abs(step - step.rounded(.down) - 0.5) < 1e-9 { continue }
            let nearest = UInt8(min(255, max(0, step.rounded())))
            #expect(WaveformTone.level(power: pow(10, (step - 241) / 20)) == nearest)
            #expect(WaveformTone.pitch(centroid: 20 * exp2(step / 24)) == (step > 0 ? nearest : 0))
        }
        #expect(WaveformTone.level(power: 1e30) == 255 && WaveformTone.level(power: 0) == 0)
        #expect(WaveformTone.pitch(centroid: 1e9) == 255 && WaveformTone.pitch(centroid: 3) == 0)
    }

    @Test("the tones of silence are silence, and have longer hops at the highest rates")
    func silenceAndRates() {
        let silence = ShortSound(channelCount: 1, samples: Array(repeating: 0, count: 2000)).waveform()
        #expect(silence.tones(level: 0) == Array(repeating: WaveformTone(low: 0, mid: 0, high: 0, pitch: 0), count: 4))
        #expect(silence.tones(level: 0)[0].centroid == nil)
        let hops = [8000, 44_100, 50_000, 50_001, 96_000, 192_000, 768_000].map {
            ShortSound(channelCount: 1, samples: [1]).waveform(sampleRate: $0).framesPerTone
        }
        #expect(hops == [512, 512, 512, 1024, 1024, 2048, 8192])
    }

    private func sine(_ frequency: Double, amplitude: Double, sampleRate: Int) -> ShortSound {
        ShortSound(
            channelCount: 1,
            samples: (0..<20_000).map { frame in
                Int16((32768 * amplitude * sin(2 * .pi * frequency * Double(frame) / Double(sampleRate))).rounded())
            })
    }

    private func slowTone(_ sound: ShortSound, from start: Int) -> (bands: [Double], centroid: Double) {
        let window = (0..<1024).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / 1024) }
        let mono = (0..<1024).map { index -> Double in
            let frame = start + index
            if frame < 0 || frame >= sound.frameCount { return 0 }
            return window[index] * (Double(sound.samples[2 * frame]) + Double(sound.samples[2 * frame + 1])) / 65536
        }
        let scale = 2 / (1024 * window.reduce(0) { $0 + $1 * $1 })
        let width = 44_100.0 / 1024
        var (bands, moment) = ([0.0, 0, 0], 0.0)
        for bin in 1...512 {
            var (real, imaginary) = (0.0, 0.0)
            for index in 0..<1024 where mono[index] != 0 {
                let angle = 2 * .pi * Double(bin * index % 1024) / 1024
                real += mono[index] * cos(angle)
                imaginary += mono[index] * sin(angle)
            }
            let power = scale * (real * real + imaginary * imaginary) / (bin == 512 ? 2 : 1)
            let (start, end) = ((Double(bin) - 0.5) * width, (Double(bin) + 0.5) * width)
            for (band, edges) in [(0.0, 200.0), (200, 2000), (2000, 44_100)].enumerated() {
                bands[band] += power * max(0, min(end, edges.1) - max(start, edges.0)) / width
            }
            moment += Double(bin) * width * power
        }
        return (bands, moment / bands.reduce(0, +))
    }
}
