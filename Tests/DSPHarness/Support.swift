// Shared code of the DSP tests: sources, a caller that uses the stretcher as an engine would, and measures in Double.
internal import Glibc
import SoundMeasures
package import Stretching
package import TestSupport

extension SeededGenerator {
    /// Evenly distributed in a range.
    package mutating func float(in range: ClosedRange<Float> = -1...1) -> Float { .random(in: range, using: &self) }

    /// Noise of uniform distribution.
    package mutating func noise(_ frameCount: Int, amplitude: Float = 0.5) -> [Float] {
        (0..<frameCount).map { _ in amplitude * float() }
    }
}

/// A sum of sines with different starting phases.
package func tones(_ frequencies: [Double], amplitude: Double, frameCount: Int, sampleRate: Int = 44100) -> [Float] {
    (0..<frameCount).map { frame in
        var sum = 0.0
        for (index, frequency) in frequencies.enumerated() {
            sum += sin(2 * .pi * frequency * Double(frame) / Double(sampleRate) + Double(index))
        }
        return Float(amplitude * sum)
    }
}

/// Passes a stretcher the requested part of a source, zeros outside.
package func feed(_ stretcher: inout Stretcher, _ source: [[Float]], _ request: InputRequest) {
    for channel in source.indices {
        let target = unsafe stretcher.input(channel)
        for index in 0..<request.count {
            let frame = request.first + Int64(index)
            let isInside = frame >= 0 && frame < Int64(source[channel].count)
            unsafe target[index] = isInside ? source[channel][Int(frame)] : 0
        }
    }
    stretcher.acceptInput()
}

/// The next `frameCount` frames of every channel, requested in blocks of the sizes named by `nextBlock`.
///
/// `glance` may look ahead before each block.
package func render(
    _ stretcher: inout Stretcher, _ source: [[Float]], frameCount: Int, nextBlock: () -> Int,
    glance: (inout Stretcher) -> Void = { _ in }
) -> [[Float]] {
    var result = source.map { _ in [Float]() }
    var done = 0
    while done < frameCount {
        let count = min(nextBlock(), frameCount - done)
        glance(&stretcher)
        while let request = stretcher.nextInput(toEmit: count) { feed(&stretcher, source, request) }
        // A frame on each side shows that nothing is written outside the block.
        var storage = [[Float]](repeating: [Float](repeating: 77, count: count + 2), count: source.count)
        unsafe withPointers(&storage) { pointers in unsafe stretcher.emit(count, into: pointers, offset: 1) }
        for channel in source.indices {
            precondition(storage[channel][0] == 77 && storage[channel][count + 1] == 77, "Written outside the block.")
            result[channel] += storage[channel].dropFirst().dropLast()
        }
        done += count
    }
    return result
}

/// Starts a stretcher at two speeds in succession, and renders a hundred blocks of 64 frames at each; the input stays
/// the same.
///
/// Nothing here allocates, so that a test can count the stretcher's allocations.
package func restart(_ stretcher: inout Stretcher, into output: UnsafePointer<UnsafeMutablePointer<Float>>) {
    for slow in 0..<2 {
        stretcher.start(at: 1000, speed: slow == 0 ? 0.5 : 0.75)
        for _ in 0..<100 {
            while stretcher.nextInput(toEmit: 64) != nil { stretcher.acceptInput() }
            unsafe stretcher.emit(64, into: output, offset: 0)
        }
    }
}

/// Calls `body` with a pointer to each channel.
package func withPointers(_ channels: inout [[Float]], _ body: (UnsafePointer<UnsafeMutablePointer<Float>>) -> Void) {
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channels.count)
    let frameCount = channels[0].count
    for channel in channels.indices {
        unsafe (pointers + channel).initialize(to: .allocate(capacity: frameCount))
        unsafe pointers[channel].initialize(from: channels[channel], count: frameCount)
    }
    unsafe body(pointers)
    for channel in channels.indices {
        channels[channel] = unsafe Array(UnsafeBufferPointer(start: pointers[channel], count: frameCount))
        unsafe pointers[channel].deallocate()
    }
    unsafe pointers.deallocate()
}

/// A source stretched from a place on, by a new stretcher.
package func stretched(
    _ source: [[Float]], from start: Int64 = 0, speed: Double, frameCount: Int, block: Int = 512,
    sampleRate: Int = 44100, bands: StretchBands = .three, attacks: AttackTable? = nil
) -> [[Float]] {
    var stretcher = Stretcher(channelCount: source.count, sampleRate: sampleRate, maximumEmitFrames: block)
    stretcher.start(at: start, speed: speed, bands: bands, attacks: attacks?.list ?? .empty)
    defer { withExtendedLifetime(attacks) {} }
    return render(&stretcher, source, frameCount: frameCount, nextBlock: { block })
}

/// The sound at a place of a source, frozen there.
package func frozen(
    _ source: [[Float]], at place: Int64, frameCount: Int, block: Int = 512, attacks: AttackTable? = nil
) -> [[Float]] {
    var stretcher = Stretcher(channelCount: source.count, sampleRate: 44100, maximumEmitFrames: block)
    stretcher.freeze(at: place, attacks: attacks?.list ?? .empty)
    defer { withExtendedLifetime(attacks) {} }
    return render(&stretcher, source, frameCount: frameCount, nextBlock: { block })
}

/// The power of the sines that fit best at known frequencies over the power of the remainder, in dB.
package func signalToNoise(_ samples: ArraySlice<Float>, _ frequencies: [Double], sampleRate: Int = 44100) -> Double {
    let columns = frequencies.flatMap { frequency -> [[Double]] in
        [0.0, .pi / 2].map { phase -> [Double] in
            let step = 2 * .pi * frequency / Double(sampleRate)
            return samples.indices.map { (index: Int) -> Double in sin(step * Double(index) + phase) }
        }
    }
    // Gram-Schmidt, twice over, leaves the part that no sine of these frequencies explains.
    var basis: [[Double]] = []
    var rest = samples.map(Double.init)
    let power = dot(rest, rest)
    for column in columns {
        var vector = column
        for _ in 0..<2 { for other in basis { subtract(&vector, other, times: dot(vector, other)) } }
        let length = dot(vector, vector).squareRoot()
        basis.append(vector.map { $0 / length })
    }
    for _ in 0..<2 { for vector in basis { subtract(&rest, vector, times: dot(rest, vector)) } }
    return decibels(power / max(dot(rest, rest), 1e-300))
}

private func subtract(_ vector: inout [Double], _ other: [Double], times factor: Double) {
    for index in vector.indices { vector[index] -= factor * other[index] }
}

/// A power ratio in dB.
package func decibels(_ powerRatio: Double) -> Double { 10 * log10(powerRatio) }

/// The mean power of samples.
package func power(_ samples: some Collection<Float>) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
}
