// The sound under changes of speed: every quarter of a second from 70 % to 130 % and back.
import SoundMeasures
import StretchPeers
import Woodshed

/// The measurements of one contender under changes of speed.
struct ChangeRow: Sendable {
    /// A sine through all changes; windows of 50 ms, so that some lie wholly between two changes and some do not.
    let tone: ToneMeasure
    /// Clicks, measured against the exact integral of the speed.
    let clicks: AttackMeasure

    private static let speeds = (0.7, 1.3)
    /// Output frames between two changes.
    private static let period = 11_025

    init(_ contender: Contender) throws {
        tone = ToneMeasure(
            try Self.stretched(TestSignals.sine(seconds: 6), contender), hertz: [997], windowSeconds: 0.05)
        let source = TestSignals.Clicks()
        let sound = try Self.stretched(source.samples, contender)
        let places = source.frames.map { Self.outputFrame(ofSource: Double($0)) }
        clicks = AttackMeasure(sound, places: places.filter { $0 < Double(sound.count - 4410) }, peak: source.peak)
    }

    private static func stretched(_ sound: [Float], _ contender: Contender) throws -> [Float] {
        guard let peer = contender.peer else {
            let points = [
                SpeedPoint(at: 0, try Speed(factor: speeds.0)),
                SpeedPoint(at: Int64(period), try Speed(factor: speeds.1)),
            ]
            return try Ours.rendered([sound], .curve(points, repeatingEvery: Int64(2 * period)))[0]
        }
        let voice = PeerVoice(peer, source: [sound], speed: speeds.0)
        var output: [Float] = []
        // The mean of both speeds is 1.
        while output.count < sound.count {
            voice.setSpeed((output.count / period) % 2 == 0 ? speeds.0 : speeds.1)
            output += voice.rendered(min(period, sound.count - output.count), blockFrames: 63)[0]
        }
        return output
    }

    private static func outputFrame(ofSource frame: Double) -> Double {
        let cycle = Double(2 * period)
        let done = (frame / cycle).rounded(.down) * cycle
        let slow = speeds.0 * Double(period)
        let rest = frame - done
        return done + (rest < slow ? rest / speeds.0 : Double(period) + (rest - slow) / speeds.1)
    }

    /// The rows of the table.
    static let quantities: [(Quantity, @Sendable (ChangeRow) -> Double)] = [
        (.init(name: "sine SNR, dB", key: "sine_snr_db", decimals: 1, better: .higher), { $0.tone.snr }),
        (.init(name: "worst window, dB", key: "worst_snr_db", decimals: 1, better: .higher), { $0.tone.worstSNR }),
        (
            .init(name: "largest error of time, ms", key: "timing_ms", decimals: 2, better: .lower),
            { $0.clicks.largestJitter }
        ),
        (
            .init(name: "attacks doubled or lost", key: "doubled_or_lost", decimals: 0, better: .lower),
            { Double($0.clicks.doubled + $0.clicks.missing) }
        ),
    ]
}
