import DSPHarness
import TestSupport
import Testing

@testable import Stretching

@Suite("Stretcher: attacks")
struct StretcherAttackTests {
    /// Bursts of decaying noise at known frames, over a chord or out of silence, and the attacks prepared at load time.
    private struct Bursts {
        var source: [[Float]]
        let places: [Int]
        let table: AttackTable

        init(
            at places: [Int], frameCount: Int, chord: Double = 0, channelCount: Int = 1, sampleRate: Int = 44100,
            bands: StretchBands = .three
        ) {
            var random = SeededGenerator(seed: 5)
            let bed = tones(
                [220, 277.2, 329.6, 440], amplitude: chord / 4, frameCount: frameCount, sampleRate: sampleRate)
            source = (0..<channelCount).map { channel in bed.map { $0 / Float(channel + 1) } }
            let length = sampleRate / 40
            for place in places {
                for index in 0..<min(length, frameCount - place) {
                    let rest = 1 - Float(index) / Float(length)
                    let value = 0.7 * random.float() * rest * rest * rest * rest
                    for channel in source.indices { source[channel][place + index] += value / Float(channel + 1) }
                }
            }
            self.places = places
            let onsets = places.map { Onset(cut: Int64($0 - 4), attack: Int64($0), strength: 20) }
            let block = SourceBlock(source, firstFrame: 0, sampleRate: sampleRate)
            let material = AttackMaterial(onsets: onsets, in: 0..<Int64(frameCount), of: block, bands: bands)
            table = AttackTable([material])
        }
    }

    private func energy(_ samples: some Sequence<Float>) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) }
    }

    @Test(
        "an attack after silence is a copy of the source, at its exact time, with silence before it",
        .enabled(if: Workload.isWhole), arguments: [0.25, 0.5, 0.75, 1.3, 2], [StretchBands.three, .one])
    func attacksAreCopied(speed: Double, bands: StretchBands) {
        let bursts = Bursts(at: [20_003, 33_338, 47_001], frameCount: 60_000, bands: bands)
        let output = stretched(
            bursts.source, speed: speed, frameCount: Int(58_000 / speed), bands: bands, attacks: bursts.table)[0]
        for place in bursts.places {
            // The attack lands on the frame nearest to its time.
            let landing = Int((Double(place) / speed).rounded())
            let copied = zip(output[landing..<landing + 300], bursts.source[0][place..<place + 300])
            let wrong = copied.map { abs($0 - $1) }.max() ?? 1
            // Measured 2e-3 and less: the bands below 800 Hz take over within the hold, and may be rotated.
            #expect(wrong < 0.02)
            // Measured -150 dB two milliseconds before the attack; -100 is the claim.
            let before = energy(output[landing - 2600..<landing - 88])
            #expect(decibels((before + 1e-30) / energy(output[landing..<landing + 1300])) < -100)
        }
    }

    @Test("a stretched chord continues through an attack", .enabled(if: Workload.isWhole), arguments: [0.5, 0.75, 1.5])
    func chordGoesOn(speed: Double) {
        let bursts = Bursts(at: [30_000, 44_000], frameCount: 90_000, chord: 0.3)
        let output = stretched(bursts.source, speed: speed, frameCount: Int(80_000 / speed), attacks: bursts.table)[0]
        for place in bursts.places {
            let landing = Int(Double(place) / speed)
            // From 60 to 10 ms before and from 60 to 110 ms after the attack only the chord sounds, at its level.
            for from in [landing - 2646, landing + 2646] {
                let samples = output[from..<from + 2205]
                // Measured 46 dB and more: the prediction is inexact in the last bits, and may fade a little.
                #expect(signalToNoise(samples, [220, 277.2, 329.6, 440]) > 35)
                #expect(abs(decibels(power(samples) / power(bursts.source[0][10_000..<20_000]))) < 0.5)
            }
        }
    }

    @Test("a stretcher with attacks gives the same samples for blocks of any length")
    func partitionIndependence() {
        let bursts = Bursts(at: [900, 2300, 5003], frameCount: 9000, chord: 0.2, channelCount: 2)
        let whole = stretched(
            bursts.source, from: 500, speed: 0.7, frameCount: 6000, block: 6000, attacks: bursts.table)
        for block in [1, 63, 512] {
            let pieces = stretched(
                bursts.source, from: 500, speed: 0.7, frameCount: 6000, block: block, attacks: bursts.table)
            #expect(pieces == whole)
        }
    }

    @Test(
        "a start anywhere around an attack begins with the source, and no sound is doubled or lost",
        .enabled(if: Workload.isWhole), arguments: [0.5, 0.75, 1.5])
    func startsAroundAnAttack(speed: Double) {
        let place = 30_000
        let bursts = Bursts(at: [place], frameCount: 60_000)
        let all = energy(bursts.source[0])
        for offset in stride(from: -3000, through: 700, by: 97) {
            let start = place + offset
            let output = stretched(
                bursts.source, from: Int64(start), speed: speed, frameCount: 16_000, attacks: bursts.table)[0]
            let cut = place - 4
            let landing = Int((Double(place - start) / speed).rounded())
            let isCopied = cut > start && min(cut - start, landing) < 448
            if isCopied {
                // The sound begins with the requested frame and ends up in a copy in which the attack has its time.
                #expect(output[0] == bursts.source[0][start])
                let copy = zip(output[landing..<landing + 300], bursts.source[0][place..<place + 300])
                #expect((copy.map { abs($0 - $1) }.max() ?? 1) < 0.02)
            } else {
                #expect(Array(output[..<440]) == Array(bursts.source[0][start..<start + 440]))
            }
            // No sample is louder than the source; each sound from the start on appears once. The tail after the hold
            // is stretched, at most twofold.
            #expect((output.max() ?? 0) < 0.75)
            let expected = energy(bursts.source[0][start...])
            let got = energy(output)
            #expect(got < expected + 0.05 * all && got > 0.8 * expected - 0.02 * all)
        }
    }

    @Test(
        "a click anywhere in the first 20 ms of a voice is heard within 0.05 ms of its time",
        .enabled(if: Workload.isWhole), arguments: [0.25, 0.5, 0.75, 0.93, 1.5])
    func clicksAfterAStart(speed: Double) throws {
        let place = 30_000
        var source = [Float](repeating: 0, count: 60_000)
        source[place] = 0.8
        let block = SourceBlock([source], firstFrame: 0, sampleRate: 44100)
        let onset = Onset(cut: Int64(place - 11), attack: Int64(place), strength: 60)
        let table = AttackTable([AttackMaterial(onsets: [onset], in: 0..<60_000, of: block)])
        for distance in stride(from: 40, through: 900, by: 37) {
            let start = Int64(place - distance)
            let output = stretched([source], from: start, speed: speed, frameCount: 8192, attacks: table)[0]
            let heard = try #require(output.indices.max { abs(output[$0]) < abs(output[$1]) })
            // A frame is 0.02 ms. The error was up to 3 ms at 75 %, 10 ms at half speed.
            #expect(abs(Double(heard) - Double(distance) / speed) <= 2)
            #expect(abs(output[heard]) > 0.78)
        }
    }

    @Test("attacks that become known before the first frame is made count from the start")
    func attacksBeforeTheFirstFrame() {
        let bursts = Bursts(at: [2300, 5003], frameCount: 9000, chord: 0.2)
        let start: Int64 = 2100
        let known = stretched(bursts.source, from: start, speed: 0.5, frameCount: 3000, attacks: bursts.table)
        var stretcher = Stretcher(channelCount: 1, sampleRate: 44100)
        stretcher.start(at: start, speed: 0.5)
        stretcher.setAttacks(bursts.table.list)
        #expect(render(&stretcher, bursts.source, frameCount: 3000, nextBlock: { 512 }) == known)
    }

    @Test(
        "a stretched pluck is as strong as in a slow performance, even if it rises by only 4 dB",
        .enabled(if: Workload.isWhole), arguments: [0.5, 0.75])
    func plucksKeepTheirLevel(speed: Double) {
        // Damped partials and a burst of noise, over low tones that go on.
        var random = SeededGenerator(seed: 9)
        var pluck = tones([330, 660, 990, 1320, 1650, 1980, 2310], amplitude: 0.01, frameCount: 20_000)
        for index in pluck.indices {
            let damping = Float(index) / 6000
            pluck[index] /= 1 + damping * damping
            if index < 300 { pluck[index] += 0.05 * random.float() * (1 - Float(index) / 300) }
        }
        func performance(_ places: [Int], frameCount: Int) -> [Float] {
            var sound = tones([110, 164.8, 220], amplitude: 0.1, frameCount: frameCount)
            for place in places {
                for index in 0..<min(pluck.count, frameCount - place) { sound[place + index] += pluck[index] }
            }
            return sound
        }
        let places = [20_000, 33_000, 46_000]
        let source = performance(places, frameCount: 70_000)
        let slow = performance(places.map { Int(Double($0) / speed) }, frameCount: Int(70_000 / speed))
        let block = SourceBlock([source], firstFrame: 0, sampleRate: 44100)
        let onsets = places.map { Onset(cut: Int64($0 - 4), attack: Int64($0), strength: 4) }
        let table = AttackTable([AttackMaterial(onsets: onsets, in: 0..<70_000, of: block)])
        let output = stretched([source], speed: speed, frameCount: Int(60_000 / speed), attacks: table)[0]
        // Second differences keep the treble.
        func treble(_ sound: [Float], from: Int, count: Int) -> Double {
            let rest = (from..<from + count).map { (index: Int) -> Float in
                sound[index + 1] - 2 * sound[index] + sound[index - 1]
            }
            return power(rest)
        }
        for place in places.map({ Int(Double($0) / speed) }) {
            for (from, count) in [(0, 220), (220, 2000)] {
                let change =
                    treble(output, from: place + from, count: count)
                    / treble(slow, from: place + from, count: count)
                #expect(abs(decibels(change)) < 1.5)
            }
        }
    }

    @Test(
        "onsets closer together than the shortest window are accepted", .enabled(if: Workload.isWhole),
        arguments: [40, 150, 500, 2000],
        [0.25, 0.75, 4])
    func denseOnsets(distance: Int, speed: Double) {
        let places = stride(from: 600, to: 9000, by: distance).map { $0 }
        let bursts = Bursts(at: places, frameCount: 10_000, chord: 0.1)
        let output = stretched(bursts.source, speed: speed, frameCount: Int(9500 / speed), attacks: bursts.table)[0]
        let peak = bursts.source[0].map { abs($0) }.max() ?? 0
        // Copies may coincide at four times the speed; three copies at most reach this limit.
        #expect(output.allSatisfy { abs($0) <= 3 * peak })
    }

    @Test(
        "equal channels stay equal through attacks", .enabled(if: Workload.isWhole),
        arguments: [1, 3, 8])
    func channelsStayTogether(channelCount: Int) {
        let bursts = Bursts(at: [2000], frameCount: 6000, chord: 0.2, channelCount: channelCount)
        let output = stretched(bursts.source, speed: 0.75, frameCount: 4000, attacks: bursts.table)
        for channel in 1..<max(2, channelCount) where channel < channelCount {
            // All channels have one set of weights and one rotation: the channels differ by rounding, 2^-15 where
            // predictions are packed.
            let wrong = zip(output[0], output[channel]).map { abs($0 / Float(channel + 1) - $1) }.max() ?? 1
            #expect(wrong < 1e-4)
        }
    }

    @Test("attacks of other bands are ignored")
    func otherBands() {
        let bursts = Bursts(at: [2000], frameCount: 6000, bands: .one)
        let plain = stretched(bursts.source, speed: 0.75, frameCount: 4000, bands: .three)
        #expect(
            stretched(bursts.source, speed: 0.75, frameCount: 4000, bands: .three, attacks: bursts.table) == plain)
        #expect(
            stretched(bursts.source, speed: 0.75, frameCount: 4000, bands: .one, attacks: bursts.table) != plain)
    }

    @Test(
        "an attack lands on the frame nearest to its nominal time, through changes of speed",
        .enabled(if: Workload.isOptimised))
    func landsOnTime() {
        let places = stride(from: 3000, to: 130_000, by: 4409).map { $0 }
        let bursts = Bursts(at: places, frameCount: 131_000, bands: .one)
        var position = PlaybackPosition()
        let shape = StretchShape(sampleRate: 44100)
        position.restart(at: 100, speed: 0.7, shape: shape, sampleRate: 44100, attacks: bursts.table.list)
        for change in 1..<12 {
            let isTaken = position.changeSpeed(
                at: Int64(change * 11_025), to: change % 2 == 0 ? 0.7 : 1.3, over: 3000)
            #expect(isTaken)
        }
        var (step, seen) = (Int64(0), 1)
        while seen < bursts.table.list.count - 1 {
            position.advance(through: step)
            position.forgetLandings(before: step * Int64(shape.gridFrames) - 2000)
            let segment = position.segment(atStep: step)
            if segment.number > seen {
                #expect(segment.number == seen + 1)
                seen = segment.number
                let record = bursts.table.list[seen - 1]
                let landing = segment.landing + record.attack - record.cut
                let nominal = position.curve.position(at: landing) - Double(record.attack)
                // Half an output frame at the fastest speed.
                #expect(abs(nominal) <= 0.66)
                #expect(segment.landing <= step * Int64(shape.gridFrames))
                // From the cut on the source runs at its own speed.
                let since = step * Int64(shape.gridFrames) - segment.landing
                #expect(position.position(atStep: step) == Double(record.cut + since))
            }
            step += 1
        }
        // Every segment was checked, except for segments in the copy at the start, and the distance to the nominal
        // position stayed small.
        #expect(seen > 25)
    }

    @Test("a stretched tone that stops leaves silence", .enabled(if: Workload.isWhole), arguments: [0.5, 0.75])
    func stops(speed: Double) {
        var source = tones([150, 300, 450, 1200], amplitude: 0.1, frameCount: 60_000)
        for index in 30_000..<60_000 { source[index] *= max(0, 1 - Float(index - 30_000) / 88) }
        let stop = Onset(cut: 30_000, attack: 30_088, strength: 60, kind: .stop)
        let block = SourceBlock([source], firstFrame: 0, sampleRate: 44100)
        let table = AttackTable([AttackMaterial(onsets: [stop], in: 0..<60_000, of: block)])
        let output = stretched([source], speed: speed, frameCount: Int(55_000 / speed), attacks: table)[0]
        let landing = Int(30_088 / speed)
        // The tone lasts until its stop, then there is silence: measured -95 dB. Four tones beat, so 20 ms of the tones
        // may be a decibel off the mean: measured 1.2.
        let before = power(output[landing - 1100..<landing - 200])
        #expect(abs(decibels(before / power(source[10_000..<29_000]))) < 2)
        #expect(decibels((power(output[landing + 30..<landing + 4000]) + 1e-30) / before) < -90)
    }

    @Test("rendering attacks neither allocates nor frees", .enabled(if: Workload.isOptimised && HeapTraffic.isCounted))
    func allocatesNothing() {
        let bursts = Bursts(at: [900, 2300, 5003], frameCount: 20_000, chord: 0.2)
        var stretcher = Stretcher(channelCount: 1, sampleRate: 44100)
        var storage = [[Float]](repeating: [Float](repeating: 0, count: 64), count: 1)
        unsafe withPointers(&storage) { pointers in
            func play() {
                stretcher.start(at: 100, speed: 0.7, attacks: bursts.table.list)
                for _ in 0..<100 {
                    while let request = stretcher.nextInput(toEmit: 64) { feed(&stretcher, bursts.source, request) }
                    unsafe stretcher.emit(64, into: pointers, offset: 0)
                }
            }
            play()
            #expect(HeapTraffic.measure { play() } == .none)
        }
    }
}
