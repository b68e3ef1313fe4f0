// Checks whether a stretched voice still has the pitch of its source.
internal import Glibc

/// The pitch of a voice by autocorrelation, in frames of 40 ms every 10 ms, from 60 to 400 Hz.
///
/// The autocorrelation is divided by the window's (Boersma, "Accurate short-term analysis of the fundamental
/// frequency", 1993); among peaks almost as high as the highest, the first counts.
public enum PitchMeasure {
    /// The share of frames, in percent, that are voiced in both sounds and have pitches more than 200 cents apart.
    ///
    /// - Parameters:
    ///   - sound: The source, stretched.
    ///   - speed: Speed of the stretched sound; frames of the output are compared with the source's frames at the same
    ///     place.
    public static func grossErrors(_ sound: [Float], source: [Float], speed: Double) -> Double {
        let (ours, theirs) = (track(sound), track(source))
        var (wrong, count) = (0, 0)
        for (index, pitch) in ours.enumerated() {
            let place = Int((Double(index) * speed).rounded())
            guard let pitch, theirs.indices.contains(place), let expected = theirs[place] else { continue }
            count += 1
            if abs(1200 * log2(pitch / expected)) > 200 { wrong += 1 }
        }
        return count == 0 ? .nan : 100 * Double(wrong) / Double(count)
    }

    /// A pitch in Hz for every 10 ms; nil without a pitch.
    private static func track(_ sound: [Float]) -> [Double?] {
        let samples = Filter.thirdOfTheRate(sound.map { Double($0) })
        let rate = TestSignals.rate / 3
        let length = Int(0.04 * rate)
        let window = (0..<length).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(length - 1)) }
        let lags = Int(rate / 400)..<Int(rate / 60)
        func correlation(_ values: [Double], _ lag: Int) -> Double {
            (0..<length - lag).reduce(0) { $0 + values[$1] * values[$1 + lag] }
        }
        let windowLags = lags.map { correlation(window, $0) / correlation(window, 0) }
        return stride(from: 0, to: samples.count - length, by: Int(0.01 * rate)).map { start in
            let frame = window.indices.map { window[$0] * samples[start + $0] }
            let power = correlation(frame, 0)
            guard power > 1e-6 else { return nil }
            let similar = zip(lags, windowLags).map { correlation(frame, $0) / power / $1 }
            let peaks = similar.indices.dropFirst().dropLast().filter {
                similar[$0] > 0.5 && similar[$0] >= similar[$0 - 1] && similar[$0] > similar[$0 + 1]
            }
            let highest = peaks.reduce(0) { max($0, similar[$1]) }
            return peaks.first { similar[$0] > 0.9 * highest }.map { rate / Double(lags.lowerBound + $0) }
        }
    }
}
