import AudioFiles
import Clips
import Glibc
import Realtime
import Samples
import TestSupport
import VirtualCardSupport

@testable import AudioDevices
@testable import Engine

/// An output looped back to an input: a duplex stream on a virtual card, whose cable leads from its output to its
/// input. The returned sound is compared with the score's definition, frame by frame, for any length of time.
@safe
final class LoopedCard: OutputStream, @unchecked Sendable {
    // Unchecked because of `listener`: the device thread alone has it while the stream runs.
    let clock = StreamClock.virtual
    private let duplex: any DuplexStream
    private let origin: Int64
    private let frameCount: Int64
    private let serves: @Sendable (Range<Int64>) -> Void
    private var listener: LoopListener

    /// - Parameters:
    ///   - origin: The engine's number for the first output frame.
    ///   - frameCount: Length of the run.
    ///   - serves: Called before each block with its frames, from 0.
    init(
        _ rig: VirtualCardRig, _ request: StreamRequest, origin: Int64, frameCount: Int64, listener: LoopListener,
        serves: @escaping @Sendable (Range<Int64>) -> Void
    ) throws(DeviceError) {
        // The card's clock is the only clock that runs here.
        let backend = try ALSABackend(output: rig.name, input: rig.name, request, now: { rig.time })
        duplex = try DeviceDuplex(StreamCore(backend, request))
        self.origin = origin
        self.frameCount = frameCount
        self.listener = listener
        self.serves = serves
    }

    var configuration: StreamConfiguration { duplex.outputConfiguration }
    var position: StreamPosition { duplex.position }
    var statistics: StreamStatistics { duplex.statistics }
    func takeIncidents() -> [StreamIncident] { duplex.takeIncidents() }
    func stop() { duplex.stop() }
    func waitUntilFinished() throws(DeviceError) { try duplex.waitUntilFinished() }

    /// The comparison's result; valid once the stream has finished.
    var heard: LoopListener { listener }

    func start(_ callbacks: StreamCallbacks) throws(DeviceError) {
        try duplex.start(
            DuplexCallbacks(process: { [self, frameCount, origin] block in
                // The card's time stands still during this call.
                RealtimeScope.leave()
                defer { RealtimeScope.enter() }
                unsafe listener.hear(block.input.channels[0], block.input.frameCount, delay: block.roundTripFrames)
                let frames = block.output.outputFrame..<block.output.outputFrame + Int64(block.output.frameCount)
                guard frames.upperBound <= frameCount else { return 0 }
                serves(frames)
                callbacks.prepare(block.output.frameCount)
                RealtimeScope.enter()
                defer { RealtimeScope.leave() }
                return unsafe callbacks.render(
                    RenderBlock(
                        channels: block.output.channels, channelCount: block.output.channelCount,
                        frameCount: block.output.frameCount, outputFrame: origin + block.output.outputFrame))
            }))
    }
}

/// Times and targets of the player's seeks: one in each second of sound, at a random moment and to a random place.
struct SeekPlan {
    private var generator: SeededGenerator
    private let rate: Int64
    private let section: Range<Int>
    // Not in the first second, in which the player does not know the time yet.
    private var second: Int64 = 1
    private(set) var next: (frame: Int64, clipFrame: Int) = (0, 0)

    init(_ generator: SeededGenerator, rate: Int, section: Range<Int>) {
        self.generator = generator
        self.rate = Int64(rate)
        self.section = section
        advance()
    }

    mutating func advance() {
        // Far enough from each other, and from the section's end, for each fade to be over before the next change.
        let margin = rate / 50
        next.frame = second * rate + Int64.random(in: margin..<rate - margin, using: &generator)
        next.clipFrame = Int.random(in: section.lowerBound..<section.upperBound - Int(margin), using: &generator)
        second += 1
    }
}

/// The expected sound of a player that loops a section with hard joints and seeks by a plan; computed from the
/// definition, frame by frame, and compared with the input.
struct LoopListener {
    let clip: [Float]
    let section: Range<Int>
    /// The weights of a seek's fade.
    let fade: [Float]
    /// The cable's delay in frames.
    let cable: Int64
    var plan: SeekPlan
    /// The output frame whose sound comes next, from 0; earlier sound is silence.
    private(set) var frame: Int64 = 0
    private(set) var mismatches: Int64 = 0
    private(set) var firstMismatch: Int64?
    private(set) var seeks: Int64 = 0
    private(set) var loops: Int64 = 0
    private var silence: Int64 = 0
    private(set) var delays: Set<Int64> = []
    private var place: Int
    /// The next place of the sound that fades out, and the frames since the fade began.
    private var fading: (place: Int, index: Int)?

    init(clip: [Float], section: Range<Int>, rate: Int, cable: Int64, plan: SeekPlan) {
        self.clip = clip
        self.section = section
        self.cable = cable
        self.plan = plan
        fade = Fade.weights(frameCount: (rate * 5 + 500) / 1000)
        place = section.lowerBound
    }

    /// Takes the next frames of the input, which lag `delay` frames behind the output's.
    mutating func hear(_ samples: UnsafePointer<Float>, _ count: Int, delay: Int64) {
        if delays.count < 8 { delays.insert(delay) }
        var index = 0
        while index < count, silence < delay + cable {
            unsafe note(samples[index], 0)
            silence += 1
            index += 1
        }
        while index < count {
            if fading != nil {
                unsafe note(samples[index], crossfaded())
                step(1)
                index += 1
                continue
            }
            if frame == plan.next.frame {
                seek()
                continue
            }
            // Requests come before events due at the same frame: a seek there fades out the sound behind the end.
            if place == section.upperBound { loop() }
            let run = min(count - index, section.upperBound - place, Int(plan.next.frame - frame))
            unsafe compare(samples + index, run)
            step(run)
            index += run
        }
    }

    private mutating func seek() {
        fading = (place, 0)
        place = plan.next.clipFrame
        seeks += 1
        plan.advance()
    }

    private mutating func crossfaded() -> Float {
        guard let (old, index) = fading else { return clip[place] }
        fading = index + 1 < fade.count ? (old + 1, index + 1) : nil
        return clip[old] + (clip[place] - clip[old]) * fade[index]
    }

    private mutating func step(_ count: Int) {
        frame += Int64(count)
        place += count
    }

    private mutating func loop() {
        place = section.lowerBound
        loops += 1
    }

    private mutating func compare(_ samples: UnsafePointer<Float>, _ count: Int) {
        let isSame = unsafe clip.withUnsafeBufferPointer { clip in
            guard let base = clip.baseAddress else { return false }
            return unsafe memcmp(samples, base + place, count * MemoryLayout<Float>.size) == 0
        }
        if isSame { return }
        for index in 0..<count { unsafe note(samples[index], clip[place + index]) }
    }

    private mutating func note(_ sample: Float, _ expected: Float) {
        guard sample != expected else { return }
        mismatches += 1
        firstMismatch = firstMismatch ?? frame
    }
}
