import DSP
import DSPHarness
internal import Glibc
import SoundMeasures
import Stretching
import TestSupport
import Testing

@Suite("Stretcher")
struct StretcherTests {
    /// Stereo with sounds of every kind: tones, noise in one channel, a click, and silence before and behind.
    private func mixture(_ random: inout SeededGenerator, frameCount: Int) -> [[Float]] {
        let left = tones([220, 277.2, 3100], amplitude: 0.2, frameCount: frameCount)
        let noise = random.noise(frameCount, amplitude: 0.2)
        var right = zip(left, noise).map { 0.5 * $0 + $1 }
        right[frameCount / 2] += 0.7
        return [left, right]
    }

    @Test("stretcher blocks of any length give the same samples as one long block, for any lead")
    func partitionIndependence() {
        var random = SeededGenerator(printedFor: "partitionIndependence")
        let source = mixture(&random, frameCount: 5000)
        let frameCount = 6000
        let whole = stretched(source, from: 700, speed: 0.7, frameCount: frameCount, block: frameCount)
        for block in [1, 63, 64, 512, 8192] {
            #expect(stretched(source, from: 700, speed: 0.7, frameCount: frameCount, block: block) == whole)
        }
        var stretcher = Stretcher(channelCount: 2, sampleRate: 44100)
        stretcher.start(at: 700, speed: 0.7)
        var (blocks, glances) = (random, SeededGenerator(seed: random.next()))
        let pieces = render(
            &stretcher, source, frameCount: frameCount, nextBlock: { Int.random(in: 0...1000, using: &blocks) },
            glance: { stretcher in
                // Any number of stages ahead of any block, as an engine does for a future voice.
                for _ in 0..<Int.random(in: 0...6, using: &glances) {
                    let ahead = Int.random(in: 0...2000, using: &glances)
                    if case .needsInput(let request) = stretcher.advance(toEmit: ahead) {
                        feed(&stretcher, source, request)
                    }
                }
            })
        #expect(pieces == whole)
    }

    @Test("a stretcher started again equals a new one, also in the middle of a window")
    func restartEqualsNew() {
        var random = SeededGenerator(printedFor: "restartEqualsNew")
        let source = mixture(&random, frameCount: 4000)
        let fresh = stretched(source, from: 1234, speed: 1.5, frameCount: 1500)
        var stretcher = Stretcher(channelCount: 2, sampleRate: 44100, maximumEmitFrames: 512)
        stretcher.start(at: 0, speed: 0.25)
        _ = render(&stretcher, source, frameCount: 1111, nextBlock: { 512 })
        if let request = stretcher.nextInput(toEmit: 512) { feed(&stretcher, source, request) }
        stretcher.start(at: 1234, speed: 1.5)
        #expect(render(&stretcher, source, frameCount: 1500, nextBlock: { 512 }) == fresh)
    }

    @Test(
        "silence stretches to exact silence, and a click in it lands at its time divided by the speed",
        arguments: [0.25, 0.5, 0.7, 0.75, 1, 1.5, 2, 4])
    func clicksLandOnTime(speed: Double) {
        // Far enough apart, in the output, for silence between them even where windows overlap most.
        let clicks = [6000, 17003].map { Int(Double($0) * speed) }
        // Before the first click, the output has caught up with the hold at the start.
        let lead = 5400
        var source = [Float](repeating: 0, count: Int(23000 * speed) + lead)
        for click in clicks { for index in 0..<8 { source[lead + click + index] = index % 2 == 0 ? 0.8 : -0.4 } }
        let skipped = Int(Double(lead) / speed)
        let output = Array(
            stretched([source], speed: speed, frameCount: 23000 + skipped, bands: .one)[0].dropFirst(skipped))
        var reach: Set<Int> = []
        for click in clicks {
            let expected = (Double(lead + click) + 2) / speed - Double(skipped)
            let near = Int(expected) - 1000...Int(expected) + 1000
            let weights = output[near].map { Double($0) * Double($0) }
            let centre = dot(weights, near.map(Double.init)) / weights.reduce(0, +)
            // Half a millisecond; a whole millisecond at a quarter speed, where the vertical rule stops at a stretch of
            // 2.
            #expect(abs(centre - expected) < (speed < 0.5 ? 44 : 22))
            // At four times the speed a click falls into two windows only, away from the middles, and loses height.
            #expect(output[near].contains { abs($0) > 0.2 })
            // A window reaches half its length in the source and half its length in the output.
            let silence = Int(1026 + 1026 / speed)
            reach.formUnion(max(0, Int(expected) - silence)...Int(expected) + silence)
        }
        #expect(output.indices.allSatisfy { reach.contains($0) || output[$0] == 0 })
        #expect(reach.count < output.count)
    }

    @Test("stretcher positions are computed, not summed, so they never drift")
    func positionsDoNotDrift() {
        var stretcher = Stretcher(channelCount: 1, sampleRate: 48000)
        stretcher.start(at: 17, speed: 0.7)
        #expect(stretcher.sourcePosition(atOutput: 0) == 17)
        #expect(stretcher.sourcePosition(atOutput: 10_000_000_000) == 17 + 0.7 * 1e10)
        // The stretcher requests the source in blocks, each once, and never far ahead of the place.
        var asked: [InputRequest] = []
        for block in 1...cases(40, few: 6) {
            while let request = stretcher.nextInput(toEmit: 8192) {
                asked.append(request)
                stretcher.acceptInput()
            }
            let heard = stretcher.sourcePosition(atOutput: Int64(block) * 8192)
            let end = (asked.last?.first ?? 0) + Int64(stretcher.inputFrames)
            #expect(Double(end) > heard && Double(end) < heard + 5.5 * Double(stretcher.windowFrames))
            var sink = [Float](repeating: 0, count: 8192)
            unsafe sink.withUnsafeMutableBufferPointer { buffer in
                guard var channel = buffer.baseAddress else { return }
                unsafe stretcher.emit(8192, into: &channel, offset: 0)
            }
        }
        #expect((asked.first?.first ?? 17) >= 17 - Int64(stretcher.leadInFrames))
        #expect(asked.allSatisfy { $0.count == stretcher.inputFrames })
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $1.first == $0.first + Int64($0.count) })
    }

    @Test("at speed 1 the stretcher gives the source from the first frame on, within 95 dB")
    func nearIdentity() {
        var random = SeededGenerator(printedFor: "nearIdentity")
        let source = mixture(&random, frameCount: 6000)
        let output = stretched(source, from: 1500, speed: 1, frameCount: 3000)
        for channel in 0..<2 {
            let error = zip(output[channel], source[channel][1500...]).map { $0 - $1 }
            // A filter of 104 dB interpolates the lower bands to frames between samples.
            #expect(decibels(power(output[channel]) / max(power(error), 1e-30)) > 95)
        }
    }

    @Test(
        "a stretched sound panned to one side keeps its ratio, and equal channels stay equal",
        arguments: [0.5, 0.75, 2])
    func panningStays(speed: Double) {
        var random = SeededGenerator(printedFor: "panningStays")
        let left = mixture(&random, frameCount: 4000)[1]
        let source = [left, left.map { -0.25 * $0 }, left]
        let output = stretched(source, from: 500, speed: speed, frameCount: 1200)
        #expect(output[0] == output[2])
        // A factor that is a power of two scales every operation of a channel exactly.
        #expect(output[1] == output[0].map { -0.25 * $0 })
        #expect(power(output[0]) > 1e-3)
    }

    @Test("two equal stretched channels sound like one channel")
    func channelsDoNotChangeTheSound() {
        var random = SeededGenerator(printedFor: "channelsDoNotChangeTheSound")
        let left = mixture(&random, frameCount: 4000)[1]
        let alone = stretched([left], speed: 0.75, frameCount: 2000)
        let both = stretched([left, left], speed: 0.75, frameCount: 2000)
        let error = zip(alone[0], both[0]).map { $0 - $1 }
        // The sums over channels are twice as large, which changes no angle but by rounding.
        #expect(decibels(power(alone[0]) / max(power(error), 1e-30)) > 80)
    }

    @Test("a stretcher counts samples that are not finite or absurdly large as silence")
    func badSamplesAreSilent() {
        var random = SeededGenerator(printedFor: "badSamplesAreSilent")
        var clean = mixture(&random, frameCount: 5000)
        var spoilt = clean
        let bad: [Float] = [.nan, .infinity, -.infinity, .signalingNaN, 3e38, -2e6]
        for (index, value) in bad.enumerated() {
            // Some of the bad samples lie in the first half window, which the pre-fill copies.
            let frame = 300 + 700 * index
            spoilt[index % 2][frame] = value
            clean[index % 2][frame] = 0
        }
        let output = stretched(spoilt, speed: 0.75, frameCount: 5000)
        #expect(output == stretched(clean, speed: 0.75, frameCount: 5000))
        #expect(output.allSatisfy { $0.allSatisfy(\.isFinite) })
    }

    @Test(
        "subnormal and full-scale sources give finite sound of their own size",
        arguments: [.leastNormalMagnitude / 100, 1e-30, 1, 1000] as [Float])
    func anyLevel(amplitude: Float) {
        let source = tones([441, 997], amplitude: 0.5, frameCount: 4000).map { $0 * amplitude }
        let output = stretched([source], from: 1200, speed: 0.75, frameCount: 1500)[0]
        #expect(output.allSatisfy { $0.isFinite && abs($0) <= 1.5 * amplitude })
        if amplitude >= 1e-10 { #expect(output.contains { abs($0) > 0.5 * amplitude }) }
    }

    @Test(
        "stretcher windows last about 46 ms at every rate",
        arguments: [
            (8000, 512), (16000, 1024), (22050, 1024), (24000, 1024), (32000, 2048), (44100, 2048), (48000, 2048),
            (88200, 4096), (96000, 4096), (192_000, 8192), (768_000, 32768),
        ])
    func windowScalesWithRate(sampleRate: Int, windowFrames: Int) {
        let stretcher = Stretcher(channelCount: 1, sampleRate: sampleRate)
        #expect(stretcher.windowFrames == windowFrames)
        #expect(stretcher.hopFrames == windowFrames / 8 && stretcher.inputFrames == windowFrames / 4)
    }

    @Test(
        "the stretcher accepts the limits of its ranges: 1 and 64 channels, 8 and 768 kHz",
        arguments: cases([(1, 8000), (64, 8000), (2, 768_000)], few: [(1, 8000)]))
    func extremes(channelCount: Int, sampleRate: Int) {
        let length = Stretcher(channelCount: 1, sampleRate: sampleRate).windowFrames
        let tone = tones([0.02 * Double(sampleRate)], amplitude: 0.5, frameCount: 4 * length, sampleRate: sampleRate)
        let source = (0..<channelCount).map { channel in channel % 2 == 0 ? tone : tone.map { -$0 } }
        let output = stretched(
            source, from: Int64(2 * length), speed: 0.75, frameCount: length, block: length, sampleRate: sampleRate)
        for channel in 0..<channelCount {
            // A steady tone keeps its level; 0.1 dB is left for the fractions of a period at both ends.
            #expect(abs(decibels(power(output[channel]) / 0.125)) < 0.1)
        }
    }

    @Test(
        "a start's work is spread over its copied frames, and a block of 64 runs at most three pieces",
        arguments: [0.5, 0.75, 1.3])
    func workIsSpread(speed: Double) {
        for bands in [StretchBands.one, .three] {
            var stretcher = Stretcher(channelCount: 1, sampleRate: 44100)
            stretcher.start(at: 0, speed: speed, bands: bands)
            var pieces: [Int] = []
            var channel = [Float](repeating: 0, count: 64)
            for _ in 0..<256 {
                var count = 0
                loop: while true {
                    switch stretcher.advance(toEmit: 64) {
                    case .ready: break loop
                    case .ranStage: count += 1
                    case .needsInput: stretcher.acceptInput()
                    }
                }
                pieces.append(count)
                unsafe channel.withUnsafeMutableBufferPointer { buffer in
                    guard var base = buffer.baseAddress else { return }
                    unsafe stretcher.emit(64, into: &base, offset: 0)
                }
            }
            #expect(pieces.prefix(8).allSatisfy { $0 <= 20 })
            #expect(pieces.dropFirst(8).allSatisfy { $0 >= 1 && $0 <= 3 })
        }
    }

    @Test("behind a limiter with growing look-ahead a block of 64 gets at most half of a start's stages")
    func startIsSpreadBehindLimiter() {
        var stretcher = Stretcher(channelCount: 1, sampleRate: 44100)
        var limiter = PeakLimiter(channelCount: 1, sampleRate: 44100, maximumEmitFrames: 64)
        stretcher.start(at: 0, speed: 0.75)
        limiter.start()
        var channel = [Float](repeating: 0, count: 64)
        var pieces: [Int] = []
        for _ in 0..<12 {
            let needed = limiter.framesNeeded(toEmit: 64)
            var count = 0
            loop: while true {
                switch stretcher.advance(toEmit: needed) {
                case .ready: break loop
                case .ranStage: count += 1
                case .needsInput: stretcher.acceptInput()
                }
            }
            pieces.append(count)
            unsafe stretcher.emit(needed, into: limiter.inputs, offset: limiter.inputOffset)
            limiter.accept(needed)
            unsafe channel.withUnsafeMutableBufferPointer { buffer in
                guard var base = buffer.baseAddress else { return }
                unsafe limiter.emit(64, into: &base, offset: 0)
            }
        }
        // Three bands have 57 stages at a start, and the source is divided in 40 pieces.
        #expect(pieces.allSatisfy { $0 <= 30 }, "\(pieces)")
    }

    @Test(
        "rendering and restarting a stretcher neither allocate nor free",
        .enabled(if: Workload.isOptimised && HeapTraffic.isCounted))
    func rendersWithoutAllocating() {
        var stretcher = Stretcher(channelCount: 2, sampleRate: 44100)
        let channels = unsafe (0..<2).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: 64) }
        unsafe channels.withUnsafeBufferPointer { pointers in
            guard let output = pointers.baseAddress else { return }
            let traffic = HeapTraffic.measure { unsafe restart(&stretcher, into: output) }
            #expect(traffic == .none)
        }
        unsafe channels.forEach { unsafe $0.deallocate() }
    }

    @Test("a request for frames that are not made yet stops the program with a reason")
    func emittingTooEarlyTraps() async {
        await #expect(processExitsWith: .signal(trapSignal)) {
            var stretcher = Stretcher(channelCount: 1, sampleRate: 44100)
            stretcher.start(at: 0, speed: 1)
            var channel = [Float](repeating: 0, count: 64)
            unsafe channel.withUnsafeMutableBufferPointer { buffer in
                guard var base = buffer.baseAddress else { return }
                unsafe stretcher.emit(64, into: &base, offset: 0)
            }
        }
    }
}
