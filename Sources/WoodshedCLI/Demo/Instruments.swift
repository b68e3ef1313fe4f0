// The demo's instruments: a plucked string and three drums. Each call gives one sound from its attack to its end.
import Glibc

/// A string after Karplus and Strong (1983) with the all-pass tuning of Jaffe and Smith (1983).
enum PluckedString {
    /// Returns a note.
    ///
    /// - Parameters:
    ///   - number: MIDI note number; 69 is 440 Hz.
    ///   - frameCount: Length; the last 10 ms fade out.
    ///   - seed: Number of the noise burst that plucks the string.
    static func note(_ number: Int, frameCount: Int, seed: UInt64, sampleRate: Int) -> [Float] {
        let frequency = 440 * exp2(Double(number - 69) / 12)
        let period = Double(sampleRate) / frequency
        // The averaging filter delays by half a frame. The all-pass supplies the fraction beyond whole frames.
        let length = max(2, Int(period - 0.6))
        let rest = period - 0.5 - Double(length)
        let tuning = Float((1 - rest) / (1 + rest))

        var noise = DemoNoise(seed: seed)
        var line = [Float](repeating: 0, count: length)
        for index in line.indices { line[index] = noise.next() }
        var result = [Float](repeating: 0, count: frameCount)
        let fade = min(frameCount, sampleRate / 100)
        var (cursor, previous, allPassIn, allPassOut): (Int, Float, Float, Float) = (0, 0, 0, 0)
        for index in result.indices {
            let sample = line[cursor]
            let averaged = 0.498 * (sample + previous)
            previous = sample
            allPassOut = tuning * (averaged - allPassOut) + allPassIn
            allPassIn = averaged
            line[cursor] = allPassOut
            cursor = cursor + 1 == length ? 0 : cursor + 1
            result[index] = sample * min(1, Float(frameCount - index) / Float(max(1, fade)))
        }
        return result
    }
}

/// Three drums.
struct Drums {
    let sampleRate: Int

    /// Returns a falling sine, from 150 Hz to 50 Hz.
    func kick() -> [Float] {
        var phase = 0.0
        return decay(seconds: 0.25, rate: 18) { time in
            phase += (50 + 100 * exp(-time * 40)) / Double(sampleRate)
            return Float(sin(2 * Double.pi * phase))
        }
    }

    /// Returns noise over a short tone.
    func snare() -> [Float] {
        var noise = DemoNoise(seed: 7)
        return decay(seconds: 0.18, rate: 25) { time in
            0.6 * noise.next() + 0.5 * Float(sin(2 * Double.pi * 185 * time))
        }
    }

    /// Returns the difference of neighbouring noise samples, a high-pass.
    func hat() -> [Float] {
        var noise = DemoNoise(seed: 11)
        var last: Float = 0
        return decay(seconds: 0.06, rate: 80) { _ in
            let sample = noise.next()
            defer { last = sample }
            return sample - last
        }
    }

    private func decay(seconds: Double, rate: Double, _ sound: (Double) -> Float) -> [Float] {
        (0..<Int(seconds * Double(sampleRate))).map { index in
            let time = Double(index) / Double(sampleRate)
            return sound(time) * Float(exp(-time * rate))
        }
    }
}
