internal import Glibc

/// From a frame on, until the next one, the period of the voice that dominates the sound above 800 Hz; 0 if there is none.
package struct VoicePeriod: BitwiseCopyable, Sendable {
    let frame: Int64
    /// In frames.
    let period: Float

    /// Those changes that are left if there is no voice but where one speaks.
    ///
    /// - Parameters:
    ///   - range: The frames of the changes.
    ///   - evidence: That of the seconds in `range` and within ``VoiceEvidence/reach`` seconds of it.
    ///
    /// Real-time safe: no.
    package static func audible(
        _ changes: [VoicePeriod], in range: Range<Int64>, evidence: [VoiceEvidence], sampleRate: Int
    ) -> [VoicePeriod] {
        let rate = Int64(sampleRate)
        let first = range.lowerBound.gridIndex(step: rate)
        let speaks = (first...(range.upperBound - 1).gridIndex(step: rate)).map {
            VoiceEvidence.isVoice(evidence, at: $0 * rate, sampleRate: sampleRate)
        }
        // The voice is cut where a second without it begins or ends.
        var result: [VoicePeriod] = []
        var next = 0
        var current: Float = 0
        for (index, isVoice) in speaks.enumerated() {
            let begin = max(range.lowerBound, (first + Int64(index)) * rate)
            let end = min(range.upperBound, (first + Int64(index) + 1) * rate)
            if let last = result.last, (last.period > 0) != (isVoice && current > 0) {
                result.append(VoicePeriod(frame: begin, period: isVoice ? current : 0))
            }
            while next < changes.count, changes[next].frame < end {
                current = changes[next].period
                if isVoice { result.append(changes[next]) }
                next += 1
            }
            if result.isEmpty { result.append(VoicePeriod(frame: range.lowerBound, period: 0)) }
        }
        return result
    }
}

/// Where a voice dominates a recording above 800 Hz, also over music, its period there, and the evidence that it speaks.
///
/// Every 10 ms the sound below 1.5 kHz and its envelope between 800 and 4500 Hz are compared with themselves one period
/// later: a bass has no pulses up there, and a cymbal no pitch. The two similarities are autocorrelations divided by that of the window
/// (Boersma, "Accurate short-term analysis of the fundamental frequency", 1993). A voice is a run of at least 40 ms with one
/// gliding period; the pitch of an instrument mostly stands still. A solo that glides has such runs as well: ``VoiceEvidence`` tells
/// it from speech.
package struct VoicePitch: Sendable {
    /// The changes of the voice's period.
    package let periods: [VoicePeriod]
    /// One for each second.
    package let evidence: [VoiceEvidence]

    /// Both similarities' mean at every point of a run, and at its best point.
    private static let leastSimilarity: Float = 0.35
    private static let leastBest: Float = 0.6
    /// The envelope's own similarity.
    private static let leastEnvelope: Float = 0.1
    /// From one point to the next the period changes by at most this share.
    private static let largestStep: Float = 0.08
    /// Over a run it varies by at least this share: its standard deviation over its mean. Held notes have less.
    private static let leastGlide: Float = 0.01
    private static let leastPoints = 4
    /// Points on either side of a core that are looked at: two seconds and a half.
    private static let reach: Int64 = 250

    /// How many frames the block should reach beyond the core on either side.
    ///
    /// Real-time safe: yes.
    package static func contextFrames(sampleRate: Int) -> Int { 3 * sampleRate }

    /// Takes some 4 ms for a second of stereo.
    ///
    /// - Parameters:
    ///   - block: The core and its context.
    ///   - core: The frames of interest, in frames of the recording; not empty.
    ///   - seconds: What ``MaterialFeatures`` are known of the core.
    ///
    /// Real-time safe: no.
    package init(_ block: SourceBlock, within core: Range<Int64>, seconds: [MaterialFeatures]) {
        let measure = VoiceMeasure(sampleRate: block.sampleRate)
        let first = core.lowerBound.gridIndex(step: measure.step)
        let last = (core.upperBound - 1).gridIndex(step: measure.step)
        let points = measure.points(in: block, from: first - Self.reach, through: last + Self.reach)
        let runs = Self.runs(of: points)
        evidence = seconds.map { second in
            let middles = (second.range.lowerBound - Int64(block.sampleRate)).gridIndex(step: measure.step)
            let begin = max(0, Int(middles - first + Self.reach))
            let end = min(points.count, begin + 3 * block.sampleRate / Int(measure.step))
            return VoiceEvidence(second, points: points, runs: runs, in: begin..<max(begin, end))
        }
        // Music keeps no periods: hours of it need no memory.
        guard evidence.contains(where: { $0.score > 0 }) else {
            periods = []
            return
        }
        var changes = [VoicePeriod(frame: core.lowerBound, period: 0)]
        for index in first...last {
            let place = Int(index - first + Self.reach)
            let period = Self.isVoice(points[runs[place]]) ? points[place].period * Float(measure.factor) : 0
            guard period != changes[changes.count - 1].period else { continue }
            changes.append(
                VoicePeriod(frame: max(core.lowerBound, index * measure.step - measure.step / 2), period: period))
        }
        periods = changes
    }

    /// For each point the run of neighbours in which it lies; empty where nothing is heard.
    private static func runs(of points: [VoiceMeasure.Point]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        runs.reserveCapacity(points.count)
        while runs.count < points.count {
            let begin = runs.count
            var end = begin + 1
            while end < points.count, isNeighbour(points[end - 1], points[end]) { end += 1 }
            let run = isHeard(points[begin]) ? begin..<end : begin..<begin
            for _ in begin..<end { runs.append(run) }
        }
        return runs
    }

    private static func isHeard(_ point: VoiceMeasure.Point) -> Bool {
        point.similarity >= leastSimilarity && point.envelope >= leastEnvelope
    }

    private static func isNeighbour(_ one: VoiceMeasure.Point, _ next: VoiceMeasure.Point) -> Bool {
        isHeard(one) && isHeard(next) && abs(next.period - one.period) <= largestStep * next.period
    }

    private static func isVoice(_ run: ArraySlice<VoiceMeasure.Point>) -> Bool {
        guard run.count >= leastPoints, run.contains(where: { $0.similarity >= leastBest }) else { return false }
        let mean = run.reduce(0) { $0 + $1.period } / Float(run.count)
        let square = run.reduce(0) { $0 + ($1.period - mean) * ($1.period - mean) } / Float(run.count)
        return square.squareRoot() > leastGlide * mean
    }
}

/// The two similarities every 10 ms, at about 11 kHz.
struct VoiceMeasure: ~Copyable {
    struct Point {
        /// The mean of both similarities, and that of the envelope alone.
        var similarity: Float = 0
        var envelope: Float = 0
        /// In samples of this measure.
        var period: Float = 0
    }

    /// Frames of the recording in one sample, and from one point to the next.
    let factor: Int
    let step: Int64
    private let size: Int
    private let rate: Double
    private let window: [Float]
    private let windowLags: [Float]
    private let lowPass: FloatStorage
    private let cosineBand: FloatStorage
    private let sineBand: FloatStorage

    init(sampleRate: Int) {
        factor = max(1, Int((Double(sampleRate) / 11025).rounded()))
        rate = Double(sampleRate) / Double(factor)
        step = Int64((0.01 * rate).rounded()) * Int64(factor)
        let size = PowerSpectrum.size(seconds: 0.0464, sampleRate: Int(rate))
        self.size = size
        let window = (0..<size).map { Float(0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(size))) }
        self.window = window
        windowLags = (0..<size / 2).map { lag in
            let sum = (0..<size - lag).reduce(Float(0)) { $0 + window[$1] * window[$1 + lag] }
            return sum
        }
        // A low-pass for the sound, and for the envelope a band-pass of 800 to 4500 Hz in two parts a quarter of a period apart.
        let half = 16 * factor
        let low = KaiserWindow.values(count: 2 * half + 1, beta: 7)
        func weight(_ cutoffHz: Double, _ tap: Int) -> Double {
            let angle = 2 * .pi * cutoffHz / Double(sampleRate) * Double(tap)
            return low[tap + half] * (tap == 0 ? 2 * cutoffHz / Double(sampleRate) : sin(angle) / (.pi * Double(tap)))
        }
        func centre(_ tap: Int) -> Double { 2 * .pi * 2650 / Double(sampleRate) * Double(tap) }
        let rate = rate
        lowPass = FloatStorage((-half...half).map { Float(weight(0.42 * rate, $0)) })
        cosineBand = FloatStorage((-half...half).map { Float(2 * weight(1850, $0) * cos(centre($0))) })
        sineBand = FloatStorage((-half...half).map { Float(2 * weight(1850, $0) * sin(centre($0))) })
    }

    func points(in block: SourceBlock, from first: Int64, through last: Int64) -> [Point] {
        let stride = Int(step) / factor
        let count = Int(last - first) * stride + size + 1
        let signals = signals(in: block, from: first * step - Int64(size / 2 * factor), count: count)
        var transform = RealFourierTransform(size: 2 * size)
        return (0...Int(last - first)).map { index in
            let sound = lags(signals.sound, at: index * stride, &transform) { $0 < 50 ? 0 : $0 < 1500 ? 1 : 0.3 }
            guard !sound.isEmpty else { return Point() }
            let envelope = lags(signals.envelope, at: index * stride, &transform) { $0 < 50 || $0 > 2500 ? 0 : 1 }
            return envelope.isEmpty ? Point() : point(sound, envelope)
        }
    }

    private func signals(in block: SourceBlock, from first: Int64, count: Int) -> (sound: [Float], envelope: [Float]) {
        let length = lowPass.view.count
        let begin = first - Int64(length / 2) - block.firstFrame
        let mono = FloatStorage(count: count * factor + length + Lanes.scalarCount)
        for samples in block.channels {
            for index in max(
                0, Int(-begin))..<max(max(0, Int(-begin)), min(mono.view.count, samples.count - Int(begin)))
            {
                mono.view[index] += samples[index + Int(begin)] / Float(block.channels.count)
            }
        }
        var (sound, envelope) = ([Float](), [Float]())
        for index in 0..<count {
            let part = mono.view.part(from: index * factor, count: length)
            sound.append(innerProduct(part, lowPass.view))
            let (x, y) = (innerProduct(part, cosineBand.view), innerProduct(part, sineBand.view))
            let square: Float = x * x + y * y
            envelope.append(powf(square, 0.35))
        }
        return (sound, envelope)
    }

    /// The similarity of a window with itself at each lag; empty for silence.
    private func lags(
        _ signal: [Float], at begin: Int, _ transform: inout RealFourierTransform, weight: (Double) -> Float
    ) -> [Float] {
        let (frames, spectrum) = (transform.frameStorage.view, transform.spectrumStorage.view)
        for index in 0..<size {
            frames[index] = signal[begin + index] * window[index]
            frames[size + index] = 0
        }
        transform.forward()
        for bin in 0...size {
            let (x, y) = (spectrum[2 * bin], spectrum[2 * bin + 1])
            spectrum[2 * bin] = weight(Double(bin) * rate / Double(2 * size)) * (x * x + y * y)
            spectrum[2 * bin + 1] = 0
        }
        transform.inverse()
        // The inverse transform is not divided by its length.
        let whole = frames[0] / Float(2 * size)
        guard whole > 1e-5 else { return [] }
        let scale = windowLags[0] / ((whole + 1e-4) * Float(2 * size))
        return windowLags.indices.map { frames[$0] * scale / windowLags[$0] }
    }

    private func point(_ sound: [Float], _ envelope: [Float]) -> Point {
        let both = sound.indices.map { 0.5 * (sound[$0] + envelope[$0]) }
        let lags = Int(rate / 420)..<min(Int(rate / 65), both.count - 1)
        let peaks = lags.filter { both[$0] > 0 && both[$0] > both[$0 - 1] && both[$0] >= both[$0 + 1] }
        let best = peaks.reduce(Float(0)) { max($0, both[$1]) }
        // The first of several equal periods, not one twice as long.
        guard let lag = peaks.first(where: { both[$0] >= 0.85 * best }) else { return Point() }
        let bend = sound[lag - 1] - 2 * sound[lag] + sound[lag + 1]
        let shift = bend < 0 ? max(-0.5, min(0.5, 0.5 * (sound[lag - 1] - sound[lag + 1]) / bend)) : 0
        return Point(similarity: both[lag], envelope: envelope[lag], period: Float(lag) + shift)
    }
}
