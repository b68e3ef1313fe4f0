import DSPHarness
import TestSupport
import Testing

@testable import Samples
@testable import Stretching

@Suite("Linear prediction")
struct LinearPredictionTests {
    /// The power of the error over the power of the true continuation, in dB.
    private func error(_ predicted: [Float], _ real: ArraySlice<Float>) -> Double {
        decibels(power(zip(predicted, real).map { $0 - $1 }) / power(real))
    }

    @Test("linear prediction continues sines in phase and at their level")
    func continuesSines() {
        let source = tones([196.3, 441.7, 1003.1, 2517.9, 6011.3], amplitude: 0.12, frameCount: 4096)
        var random = SeededGenerator(seed: 3)
        // A floor of -80 dB; otherwise nothing remains to explain after ten weights.
        let known = zip(source, random.noise(4096, amplitude: 3e-5)).map { $0 + $1 }
        let prediction = LinearPrediction(learning: [Array(known[..<3072])], order: 200)
        let predicted = prediction.continuation(of: Array(known[..<3072]), count: 1024)
        // Measured -74 dB; -40 would still be far better than Burg's own weighting, which gives -30.
        #expect(error(predicted, source[3072...]) < -50)
    }

    @Test("channels share their prediction weights, so common sound stays common")
    func channelsStayTogether() {
        let left = tones([311, 977], amplitude: 0.3, frameCount: 1024)
        let right = left.map { $0 * -0.5 }
        let prediction = LinearPrediction(learning: [left, right], order: 160)
        let (a, b) = (prediction.continuation(of: left, count: 400), prediction.continuation(of: right, count: 400))
        // Halving and negating are exact, sums in the same order too.
        #expect(zip(a, b).allSatisfy { $1 == $0 * -0.5 })
    }

    @Test("a prediction never grows", arguments: [0, 1, 2])
    func neverGrows(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let noise = random.noise(600)
        let prediction = LinearPrediction(learning: [noise], order: 200)
        let long = prediction.continuation(of: noise, count: 6000)
        #expect(long.allSatisfy { abs($0) < 1 })
        #expect(power(long[5000...]) <= power(long[..<1000]))
    }

    @Test("silence, one sample and no samples are continued by silence", arguments: [0, 1, 2, 1000])
    func silence(count: Int) {
        let past = [Float](repeating: 0, count: count)
        let prediction = LinearPrediction(learning: [past, past], order: 200)
        #expect(prediction.continuation(of: past, count: 50) == [Float](repeating: 0, count: 50))
        #expect(prediction.continuation(of: past, count: 0).isEmpty)
    }

    @Test("a constant is continued by a constant, an impulse by silence")
    func constantAndImpulse() {
        let constant = [Float](repeating: 0.25, count: 900)
        let held = LinearPrediction(learning: [constant], order: 160).continuation(of: constant, count: 300)
        #expect(held.allSatisfy { abs($0 - 0.25) < 0.01 })
        var impulse = [Float](repeating: 0, count: 900)
        impulse[300] = 1
        let tail = LinearPrediction(learning: [impulse], order: 160).continuation(of: impulse, count: 300)
        #expect(tail.allSatisfy { abs($0) < 1e-3 })
    }
}

@Suite("Packed samples")
struct PackedSamplesTests {
    @Test("packed samples come back 90 dB below their loudest neighbours, amid silence")
    func unpacks() {
        var random = SeededGenerator(seed: 1)
        let loud = random.noise(100)
        let quiet = random.noise(100, amplitude: 1e-6)
        var storage = PackedStorage(capacity: PackedStorage.blocks(count: 100, channelCount: 2))
        let packed = storage.store([loud, quiet], first: -7)
        for (channel, samples, peak) in [(0, loud, Float(0.5)), (1, quiet, 1e-6)] {
            let target = FloatStorage(count: 300)
            packed.read(channel: channel, from: -57, into: target.view)
            for index in 0..<300 {
                let expected = samples.indices.contains(index - 50) ? samples[index - 50] : 0
                #expect(abs(target.view[index] - expected) <= peak / 65_000)
            }
        }
    }

    @Test("any window on packed samples gives the same values", arguments: [0, 1, 5, 8, 31, 32, 33, 99, 100, 400])
    func anyWindow(offset: Int) {
        var random = SeededGenerator(seed: 2)
        var storage = PackedStorage(capacity: PackedStorage.blocks(count: 100, channelCount: 1))
        let packed = storage.store([random.noise(100)], first: 0)
        let all = FloatStorage(count: 600)
        packed.read(channel: 0, from: 0, into: all.view)
        for count in [0, 1, 7, 33, 90] {
            let part = FloatStorage([Float](repeating: 1, count: count))
            packed.read(channel: 0, from: Int64(offset), into: part.view)
            packed.add(channel: 0, from: Int64(offset), to: part.view)
            for index in 0..<count { #expect(part.view[index] == 2 * all.view[offset + index]) }
        }
    }

    @Test("no packed samples take no memory, and packed silence stays silence")
    func empty() {
        var storage = PackedStorage(capacity: PackedStorage.blocks(count: 40, channelCount: 1))
        let none = storage.store([], first: 5)
        let silent = storage.store([[Float](repeating: 0, count: 40)], first: 5)
        let target = FloatStorage([Float](repeating: 3, count: 50))
        none.read(channel: 0, from: 0, into: target.view)
        #expect((0..<50).allSatisfy { target.view[$0] == 0 })
        silent.read(channel: 0, from: 0, into: target.view)
        #expect((0..<50).allSatisfy { target.view[$0] == 0 })
    }

    @Test(
        "weights and continuation equal those of plain loops, bit for bit",
        arguments: [(1501, 37), (300, 96), (767, 8)])
    func matchesPlainLoops(count: Int, order: Int) {
        var random = SeededGenerator(seed: 11)
        let channels = (0..<2).map { channel in
            zip(
                tones([311, 977 + Double(channel), 5003], amplitude: 0.2, frameCount: count),
                random.noise(count, amplitude: 0.05)
            )
            .map { $0 + $1 }
        }
        let prediction = LinearPrediction(learning: channels, order: order)
        let expected = plainWeights(channels, order: order)
        #expect(prediction.coefficients.count == order)
        #expect(prediction.coefficients.map(\.bitPattern) == expected.map(\.bitPattern))
        for samples in channels {
            let continued = prediction.continuation(of: samples, count: 103)
            #expect(continued.map(\.bitPattern) == plainContinuation(samples, expected, count: 103).map(\.bitPattern))
        }
    }

    /// Burg's method as ``LinearPrediction`` has it: eight lanes, summed up in Double every 256 samples.
    private func plainWeights(_ channels: [[Float]], order: Int) -> [Double] {
        let count = channels[0].count
        let energy = channels.reduce(0) { $0 + $1.reduce(0) { $0 + Double($1) * Double($1) } }
        let noise = Float((energy / Double(count * channels.count)).squareRoot()) * 5e-5
        var state: UInt32 = 1
        var forward = channels.map { samples in
            samples.map { sample -> Float in
                state = state &* 1_664_525 &+ 1_013_904_223
                return sample + noise * Float(Int32(bitPattern: state)) / Float(Int32.max)
            }
        }
        var backward = forward
        let taper = (0..<count).map { index -> Float in
            let offset = 2 * (Double(index) + 0.5) / Double(count) - 1
            let arch = 1 - offset * offset
            return Float(arch * arch)
        }
        var weights: [Double] = []
        for stage in 0..<order {
            var (product, power) = ([Double](repeating: 0, count: 8), [Double](repeating: 0, count: 8))
            for channel in channels.indices {
                for first in stride(from: 0, to: count - stage - 1, by: 256) {
                    var (products, squares) = ([Float](repeating: 0, count: 8), [Float](repeating: 0, count: 8))
                    for index in first..<min(first + 256, count - stage - 1) {
                        let (f, b) = (forward[channel][index + stage + 1], backward[channel][index])
                        let weight = taper[index + (stage + 1) / 2]
                        products[index % 8] += weight * (f * b)
                        squares[index % 8] += weight * (f * f + b * b)
                    }
                    for lane in 0..<8 {
                        product[lane] += Double(products[lane])
                        power[lane] += Double(squares[lane])
                    }
                }
            }
            let reflection = 2 * product.reduce(0, +) / power.reduce(0, +)
            weights = weights.indices.map { weights[$0] - reflection * weights[weights.count - 1 - $0] } + [reflection]
            for channel in channels.indices {
                for index in 0..<count - stage - 1 {
                    let (f, b) = (forward[channel][index + stage + 1], backward[channel][index])
                    forward[channel][index + stage + 1] = f - Float(reflection) * b
                    backward[channel][index] = b - Float(reflection) * f
                }
            }
        }
        return weights
    }

    private func plainContinuation(_ past: [Float], _ weights: [Double], count: Int) -> [Float] {
        let padding = (8 - weights.count % 8) % 8
        var samples = past.map(Double.init)
        for _ in 0..<count {
            var lanes = [Double](repeating: 0, count: 8)
            for (index, weight) in weights.reversed().enumerated() {
                lanes[(index + padding) % 8] += weight * samples[samples.count - weights.count + index]
            }
            samples.append(lanes.reduce(0, +))
        }
        return samples.suffix(count).map { Float($0) }
    }
}
