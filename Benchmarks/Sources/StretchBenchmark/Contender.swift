// Ours and the peers, asked the same way: a sound at a speed, whole or block by block.
@_spi(Benchmarks) import Engine
import SoundMeasures
import StretchPeers
import Woodshed

/// A stretcher in the contest.
enum Contender: String, CaseIterable, Sendable {
    case ours = "woodshed"
    case rubberBandFiner = "Rubber Band R3"
    case rubberBandFaster = "Rubber Band R2"
    case soundTouch = "SoundTouch"
    case sonic = "Sonic"
    // Not packaged: measured only where installed by hand.
    case signalsmith = "Signalsmith"
    case bungee = "Bungee"
    // A program: stretches whole sounds only.
    case atempo = "atempo"

    /// The contenders that this program contains.
    static let present = allCases.filter { contender in
        contender == .ours || contender.peer.map { stretch_peer_is_there($0) != 0 } ?? false
    }

    /// The contenders that stretch whole sounds on this machine.
    static let presentForWholeSounds = present + (Atempo.isPresent ? [.atempo] : [])

    /// In JSON.
    var key: String {
        switch self {
        case .ours: "woodshed"
        case .rubberBandFiner: "rubberband_r3"
        case .rubberBandFaster: "rubberband_r2"
        case .soundTouch: "soundtouch"
        case .sonic: "sonic"
        case .signalsmith: "signalsmith"
        case .bungee: "bungee"
        case .atempo: "atempo"
        }
    }

    /// The library's name for the stretcher; nil for Woodshed's and for a program.
    var peer: stretch_peer_kind? {
        switch self {
        case .ours, .atempo: nil
        case .rubberBandFiner: STRETCH_PEER_RUBBERBAND_R3
        case .rubberBandFaster: STRETCH_PEER_RUBBERBAND_R2
        case .soundTouch: STRETCH_PEER_SOUNDTOUCH
        case .sonic: STRETCH_PEER_SONIC
        case .signalsmith: STRETCH_PEER_SIGNALSMITH
        case .bungee: STRETCH_PEER_BUNGEE
        }
    }

    /// The whole sound at a speed, with the number of frames at that speed.
    func stretched(
        _ channels: [[Float]], speed: Double, sampleRate: Int = TestSignals.sampleRate
    ) throws -> [[Float]] {
        if self == .atempo { return try Atempo.stretched(channels, speed: speed, sampleRate: sampleRate) }
        guard let peer else {
            return try Ours.rendered(channels, .constant(try Speed(factor: speed)), sampleRate: sampleRate)
        }
        return PeerVoice(peer, source: channels, speed: speed, sampleRate: sampleRate)
            .rendered(stretchedCount(channels, speed))
    }
}

extension Contender {
    /// The sound transposed, with formants preserved by contenders that can.
    func transposed(_ sound: [Float], semitones: Double) throws -> [Float] {
        let pitch = try Pitch(semitones: semitones)
        guard let peer else {
            return try Ours.rendered([sound], .constant(.normal), pitch: pitch, formants: .keep)[0]
        }
        let voice = PeerVoice(peer, source: [sound], speed: 1)
        voice.setPitch(pitch.ratio)
        return voice.rendered(sound.count)[0]
    }
}

/// The number of frames of a sound at a speed.
func stretchedCount(_ channels: [[Float]], _ speed: Double) -> Int {
    Int((Double(channels[0].count) / speed).rounded())
}

/// The sound as rendered by a player of this engine.
enum Ours {
    static func score(
        _ clip: Clip, _ speeds: SpeedSchedule, passes: Int = 1, pitch: Pitch = .original,
        formants: FormantChoice = .auto
    ) throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(0..<clip.frameCount)], passes: .count(passes), speeds: speeds, pitch: pitch,
            joint: .crossfade, formants: formants)
        return try Score(plan, for: clip)
    }

    static func rendered(
        _ channels: [[Float]], _ speeds: SpeedSchedule, sampleRate: Int = TestSignals.sampleRate,
        pitch: Pitch = .original, formants: FormantChoice = .auto
    ) throws -> [[Float]] {
        let clip = try Clip.inMemory(channels, sampleRate: sampleRate)
        let score = try score(clip, speeds, pitch: pitch, formants: formants)
        let output = OutputMemory(channelCount: channels.count)
        _ = try RenderTrial(clip, score: score, periodFrames: 512) { block in
            for channel in 0..<block.channelCount {
                unsafe output.append(
                    UnsafeBufferPointer(start: block.channels[channel], count: block.frameCount), to: channel)
            }
        }
        return output.channels
    }
}

/// Collects a sound. A class: an array of arrays captured by a closure may be copied at every block, which took as long
/// as the stretcher.
final class OutputMemory {
    private final class Channel {
        var samples: [Float] = []
    }

    private let parts: [Channel]

    init(channelCount: Int) { parts = (0..<channelCount).map { _ in Channel() } }

    func append(_ block: UnsafeBufferPointer<Float>, to channel: Int) {
        unsafe parts[channel].samples.append(contentsOf: block)
    }

    var channels: [[Float]] { parts.map(\.samples) }
}

/// A peer with its source; one thread at a time.
@safe
final class PeerVoice {
    private let peer: OpaquePointer
    private let source: PlanarSamples
    private let output: PlanarSamples
    private static let largest = 8192

    init(_ kind: stretch_peer_kind, source: [[Float]], speed: Double, sampleRate: Int = TestSignals.sampleRate) {
        self.source = PlanarSamples(source)
        output = PlanarSamples(
            [[Float]](repeating: [Float](repeating: 0, count: Self.largest), count: source.count))
        unsafe peer = stretch_peer_create(kind, Int32(source.count), Int32(sampleRate), speed)
    }

    deinit { unsafe stretch_peer_destroy(peer) }

    /// Sets the speed for the input from now on.
    func setSpeed(_ speed: Double) { unsafe stretch_peer_set_speed(peer, speed) }

    /// All frequencies times a ratio; before the first frame.
    func setPitch(_ ratio: Double) { unsafe stretch_peer_set_pitch(peer, ratio) }

    /// Renders the next frames, overwriting the previous ones. Does nothing else, for timing.
    func render(_ frameCount: Int) {
        unsafe stretch_peer_render(
            peer, source.constant, source.frameCount, output.channels, Int32(frameCount))
    }

    /// Renders `count` frames and passes them on.
    func rendered(_ frameCount: Int, blockFrames: Int = 512) -> [[Float]] {
        var sound = [[Float]](repeating: [], count: output.channelCount)
        while sound[0].count < frameCount {
            let count = min(blockFrames, frameCount - sound[0].count)
            render(count)
            for channel in sound.indices {
                unsafe sound[channel] += UnsafeBufferPointer(start: output.channels[channel], count: count)
            }
        }
        return sound
    }
}

/// Channels of samples in the form that C requires.
@safe
final class PlanarSamples {
    let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
    let constant: UnsafeMutablePointer<UnsafePointer<Float>?>
    let channelCount: Int
    let frameCount: Int

    init(_ samples: [[Float]]) {
        channelCount = samples.count
        frameCount = samples[0].count
        unsafe channels = .allocate(capacity: samples.count)
        unsafe constant = .allocate(capacity: samples.count)
        for (index, channel) in samples.enumerated() {
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: channel.count)
            for frame in channel.indices { unsafe (memory + frame).initialize(to: channel[frame]) }
            unsafe (channels + index).initialize(to: memory)
            unsafe (constant + index).initialize(to: UnsafePointer(memory))
        }
    }

    deinit {
        for index in 0..<channelCount { unsafe channels[index]?.deallocate() }
        unsafe channels.deallocate()
        unsafe constant.deallocate()
    }
}
