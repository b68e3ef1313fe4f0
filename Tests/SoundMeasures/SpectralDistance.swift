// Distance of the spectra of a stretched sound from the source's spectra at the corresponding places.
internal import Glibc

/// The log-spectral distance: root of the mean square, in dB, over sixths of an octave from 100 Hz on, within 50 dB of
/// the loudest, every 10 ms.
///
/// Short windows detect smeared attacks, long windows roughness of steady sounds; both detect wrong levels. Two equal
/// sounds give 0; values below about 1 dB are inaudible.
public enum SpectralDistance {
    /// Compares a stretched sound with its source.
    ///
    /// - Parameters:
    ///   - size: Frames of the window, 512 or 4096.
    ///   - offset: Frames by which the sound is late; see ``lateness(_:source:speed:)``.
    public static func measure(_ sound: [Float], source: [Float], speed: Double, size: Int, offset: Int = 0) -> Double {
        let rate = TestSignals.rate
        var reader = SpectrumReader(size: size, isSymmetric: true)
        let bands = Self.bands(size: size)
        var (ours, theirs): ([[Double]], [[Double]]) = ([], [])
        for frame in stride(from: Int(0.3 * rate), to: sound.count - Int(0.5 * rate), by: 441) {
            let place = Int((Double(frame - offset) * speed).rounded())
            guard place >= size, place <= source.count - size, frame + size / 2 <= sound.count else { continue }
            let output = reader.energies(sound, from: frame - size / 2)
            let input = reader.energies(source, from: place - size / 2)
            ours.append(bands.map { band in band.reduce(0) { $0 + output[$1] } })
            theirs.append(bands.map { band in band.reduce(0) { $0 + input[$1] } })
        }
        let loudest = theirs.reduce(0) { max($0, $1.max() ?? 0) }
        var (sum, count) = (0.0, 0)
        for (output, input) in zip(ours, theirs) {
            for band in bands.indices where input[band] > loudest * 1e-5 {
                // A floor of -60 dB: sound missing below the floor counts no more than its audibility.
                let distance = decibels((output[band] + loudest * 1e-6) / (input[band] + loudest * 1e-6))
                sum += distance * distance
                count += 1
            }
        }
        return (sum / Double(max(1, count))).squareRoot()
    }

    private static func bands(size: Int) -> [[Int]] {
        (0..<43).map { index in
            let low = 100 * exp2(Double(index) / 6)
            return (0...size / 2).filter { bin in
                let hertz = Double(bin) * TestSignals.rate / Double(size)
                return hertz >= low && hertz < low * exp2(1.0 / 6)
            }
        }.filter { !$0.isEmpty }
    }

    /// Frames by which a sound is late, 120 ms at most, from the best match of its rises of level with the source's.
    ///
    /// An engine whose match in time is nearly as good as the best match counts as in time: without sharp sounds, the
    /// best place wanders.
    public static func lateness(_ sound: [Float], source: [Float], speed: Double) -> Int {
        let hop = 110
        let ours = rises(sound, hop: Double(hop))
        let theirs = rises(source, hop: Double(hop) * speed)
        let count = min(ours.count, theirs.count)
        let reach = Int(0.12 * TestSignals.rate) / hop
        guard count > 3 * reach else { return 0 }
        let scores = (-reach...reach).map { lag in
            (reach..<count - reach).reduce(0.0) { $0 + theirs[$1] * ours[$1 + lag] }
        }
        let best = scores.indices.max { scores[$0] < scores[$1] } ?? reach
        return scores[reach] >= 0.9 * scores[best] ? 0 : (best - reach) * hop
    }

    private static func rises(_ sound: [Float], hop: Double) -> [Double] {
        var levels: [Double] = []
        var place = 512.0
        while Int(place) < sound.count - 512 {
            let around = sound[Int(place) - 220..<Int(place) + 220]
            levels.append(log10(around.reduce(0) { $0 + Double($1) * Double($1) } / 440 + 1e-7))
            place += hop
        }
        return zip(levels.dropFirst(), levels).map { max($0 - $1, 0) }
    }
}
