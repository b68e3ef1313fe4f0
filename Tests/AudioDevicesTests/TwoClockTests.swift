import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// A duplex stream that plays a sine for some frames and keeps the end of the returned sound.
@safe
final class SineRun: @unchecked Sendable {
    // Unchecked because of the kept samples: the device thread alone writes, tests read after the stream has finished.
    /// Of the sine, a frame.
    let cycles: Double
    private let frameCount: Int64
    private let kept: UnsafeMutablePointer<Float>
    private let capacity: Int
    /// The number of the first kept frame.
    private(set) var keptFrom: Int64 = -1
    private(set) var keptCount = 0
    private(set) var roundTrip: Int64 = -1
    /// Frames of the input in all blocks, and the number of the frame after the last block.
    private(set) var (inputFrames, inputEnd) = (Int64(0), Int64(0))
    /// Reported losses of the input, and their frames.
    private(set) var (losses, lostFrames) = (Int64(0), Int64(0))
    private var phase = 0.0

    init(frameCount: Int, keeping capacity: Int, sampleRate: Int = 48_000) {
        cycles = 997 / Double(sampleRate)
        self.frameCount = Int64(frameCount)
        self.capacity = capacity
        unsafe kept = .allocate(capacity: capacity)
        unsafe kept.initialize(repeating: 0, count: capacity)
    }

    deinit { unsafe kept.deallocate() }

    var sound: [Float] { (0..<keptCount).map { unsafe kept[$0] } }

    /// The sine's distance in frames from the place given by the round trip.
    func place(delay: Int64) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in sound.enumerated() {
            let angle = 2 * .pi * cycles * Double(keptFrom + Int64(index) - roundTrip - delay)
            real += Double(sample) * sin(angle)
            imaginary += Double(sample) * cos(angle)
        }
        return atan2(imaginary, real) / (2 * .pi * cycles)
    }

    func callbacks() -> DuplexCallbacks {
        DuplexCallbacks(
            process: { self.process($0) },
            overrun: { _, count in
                self.losses += 1
                self.lostFrames += count
            })
    }

    private func process(_ block: DuplexBlock) -> Int {
        roundTrip = block.roundTripFrames
        inputFrames += Int64(block.input.frameCount)
        inputEnd = block.input.inputFrame + Int64(block.input.frameCount)
        for frame in 0..<block.output.frameCount {
            let sample = Float(0.9 * sin(2 * .pi * phase))
            phase += cycles
            if phase >= 1 { phase -= 1 }
            for channel in 0..<block.output.channelCount { unsafe block.output.channels[channel][frame] = sample }
        }
        if block.output.outputFrame + Int64(capacity) >= frameCount {
            if keptFrom < 0 { keptFrom = block.input.inputFrame }
            for frame in 0..<min(block.input.frameCount, capacity - keptCount) {
                unsafe kept[keptCount] = unsafe block.input.channels[0][frame]
                keptCount += 1
            }
        }
        return keptCount < capacity ? block.output.frameCount : 0
    }
}

@Suite("Two devices with two clocks")
struct TwoClockTests {
    func request(_ period: Int = 512, rate: Int = 48_000) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: rate, channelCount: 1, periodFrames: period, periodCount: 3, realtimePriority: nil)
    }

    func card(ppm: Double = 0, playback: String = "", capture: String = "", delay: Int64 = 0) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.capturePPM = ppm
        options.playbackFaults = playback
        options.captureFaults = capture
        options.loopbackDelayFrames = delay
        return try VirtualCardRig(options)
    }

    /// Both directions of a card as if they were two cards.
    func open(_ rig: VirtualCardRig, _ request: StreamRequest) throws -> any DuplexStream {
        try ALSABackend.duplex(
            output: rig.name, input: rig.name, request, inputRequest: request, clocks: .two, now: { rig.time })
    }

    /// A run that came to its end.
    struct Finished {
        let rig: VirtualCardRig
        let sine: SineRun
        let stream: any DuplexStream
        let incidents: [StreamIncident]
        let error: DeviceError?

        /// Whether either thread gave up its card while waiting for the other.
        var wasHeldUp: Bool {
            incidents.contains { $0.cause == .stoppedTaking || $0.cause == .stoppedDelivering }
        }
    }

    /// Plays until the end. A virtual clock waits for both threads, so nothing runs dry except by a schedule.
    ///
    /// If either thread gets no processor for a second, the other thread takes its card for dead. Then the test tries
    /// another card.
    private func finished(
        frameCount: Int, keeping capacity: Int, _ request: StreamRequest? = nil,
        on card: @autoclosure () throws -> VirtualCardRig
    ) throws -> Finished {
        let request = try request ?? self.request()
        var run = try played(frameCount: frameCount, keeping: capacity, request, on: card())
        for _ in 0..<9 {
            guard run.wasHeldUp else { break }
            run = try played(frameCount: frameCount, keeping: capacity, request, on: card())
        }
        let unasked = run.rig.records.filter { !$0.wasInjected }
        #expect(unasked.isEmpty)
        // The figures of the stream are those of the frames after their conversion.
        let (statistics, sine) = (run.stream.statistics, run.sine)
        #expect(statistics.framesCaptured == sine.inputFrames && run.stream.inputPosition.nextFrame == sine.inputEnd)
        #expect(statistics.overruns == sine.losses && statistics.lostInputFrames == sine.lostFrames)
        return run
    }

    private func played(
        frameCount: Int, keeping capacity: Int, _ request: StreamRequest, on rig: VirtualCardRig
    ) throws -> Finished {
        let sine = SineRun(frameCount: frameCount, keeping: capacity, sampleRate: request.sampleRate)
        let stream = try open(rig, request)
        try stream.start(sine.callbacks())
        let end = Result { () throws(DeviceError) in try stream.waitUntilFinished() }
        var error: DeviceError?
        if case .failure(let failure) = end { error = failure }
        return Finished(rig: rig, sine: sine, stream: stream, incidents: stream.takeIncidents(), error: error)
    }

    @Test(
        "an input that drifts is brought to the output's clock without a lost frame",
        arguments: cases([500.0, -500], few: [-500]))
    func drift(ppm: Double) throws {
        let hours = environmentCount("WOODSHED_DRIFT_HOURS", short: 0)
        let seconds = hours == 0 ? cases(10, few: 6) : hours * 3600
        // Hours are in telephone quality, to be cheap: the loop depends on seconds.
        let request = try hours == 0 ? self.request() : self.request(256, rate: 8000)
        let rate = request.sampleRate
        let run = try finished(
            frameCount: seconds * rate, keeping: rate, request, on: card(ppm: ppm, delay: 37))
        let statistics = run.stream.statistics
        let found = try #require(statistics.inputClockPPM)
        let (tone, place) = (TonePurity(run.sine.sound, cycles: run.sine.cycles), run.sine.place(delay: 37))
        print(
            "two clocks on cards, \(seconds) s at \(ppm) ppm: \(statistics.xruns) xruns, \(statistics.overruns) overruns,",
            "found \(found) ppm, frequency off by \(tone.ppm) ppm, THD+N \(tone.noise) dB, place off by \(place) frames"
        )
        #expect(run.error == nil && statistics.xruns == 0 && statistics.overruns == 0)
        #expect(run.incidents.isEmpty)
        // After some seconds among busy threads, whose clock jumps, the loop is not yet at its quietest.
        #expect(abs(found - ppm) < (hours == 0 ? 10 : 1) && abs(place) < (hours == 0 ? 4 : 1))
        #expect(tone.noise < (hours == 0 ? -50 : -110) && (hours == 0 || abs(tone.ppm) < 1))
    }

    @Test("a lost device of two clocks ends both sides with the cause", arguments: VirtualDirection.allCases)
    func loss(direction: VirtualDirection) throws {
        let (playback, capture) = direction == .playback ? ("death@20000", "") : ("", "death@20000")
        let run = try finished(frameCount: .max, keeping: 1, on: card(playback: playback, capture: capture))
        #expect(run.error?.lossCause == .serverGone)
        let lost = run.incidents.filter { $0.kind == .lost }
        #expect(lost.map(\.side) == [direction == .playback ? .output : .input])
        #expect(!run.rig.truth(.playback).isOpen && !run.rig.truth(.capture).isOpen)
    }

    @Test(
        "an interruption of one of two devices is one incident, and the other device continues",
        arguments: VirtualDirection.allCases)
    func interrupted(direction: VirtualDirection) throws {
        let (playback, capture) = direction == .playback ? ("xrun@60000", "") : ("", "xrun@60000")
        let run = try finished(
            frameCount: 200_000, keeping: 4800, on: card(ppm: 200, playback: playback, capture: capture))
        let incidents = run.incidents
        #expect(run.error == nil && incidents.map(\.kind) == [direction == .playback ? .xrun : .overrun])
        #expect(incidents.first?.side == (direction == .playback ? .output : .input))
        #expect(run.rig.truth(direction == .playback ? .capture : .playback).starts == 1)
        // Soon after a start the loop is not yet at its quietest; half a period of the sine would be 24 frames.
        #expect(abs(run.sine.place(delay: 0)) < 8 && TonePurity(run.sine.sound, cycles: run.sine.cycles).noise < -50)
    }

    @Test("a stream of two clocks that is stopped or released in any way closes both devices")
    func stops() throws {
        let rig = try card()
        var stream: (any DuplexStream)? = try open(rig, request())
        #expect(rig.truth(.playback).isOpen && rig.truth(.capture).isOpen)
        stream = nil
        #expect(!rig.truth(.playback).isOpen && !rig.truth(.capture).isOpen)
        stream = try open(rig, request())
        try stream?.start(SineRun(frameCount: .max, keeping: 1).callbacks())
        stream?.stop()
        #expect(!rig.truth(.playback).isOpen && !rig.truth(.capture).isOpen)
        let fromCallback = try open(rig, request())
        let box = WeakStream()
        box.stream.withLock { $0 = fromCallback }
        try fromCallback.start(
            DuplexCallbacks(process: { block in
                // Allowed from a callback, but not in real time: the sanitizer is to look away.
                RealtimeScope.leave()
                defer { RealtimeScope.enter() }
                box.stream.withLock { $0 }?.stop()
                return block.output.frameCount
            }))
        try fromCallback.waitUntilFinished()
        #expect(rig.waits { !rig.truth(.playback).isOpen && !rig.truth(.capture).isOpen })
        box.stream.withLock { $0 = nil }
        #expect(stream != nil)
    }

    /// Keeps a stream for its own callback, which must not own the stream.
    final class WeakStream: Sendable {
        let stream = Mutex<(any DuplexStream)?>(nil)
    }

    @Test("a stream has one clock for one device name, two for two names, or the requested number")
    func automatic() throws {
        let (one, other) = (try card(), try card())
        func clocks(_ output: String, _ input: String, _ clocks: DuplexClocks) throws -> Int {
            let stream = try openDuplex(output: .system(output), input: .system(input), clocks: clocks, request())
            return stream.statistics.inputClockPPM == nil ? 1 : 2
        }
        #expect(try clocks(one.name, one.name, .automatic) == 1)
        #expect(try clocks(one.name, other.name, .automatic) == 2)
        #expect(try clocks(one.name, other.name, .one) == 1)
        #expect(try clocks(one.name, one.name, .two) == 2)
    }
}
