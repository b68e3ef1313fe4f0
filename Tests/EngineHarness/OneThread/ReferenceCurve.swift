import DSP
import Samples
import Stretching

@testable package import Engine

/// The speed of a pass, as a plain list of straight pieces, with every lookup and sum from the first piece: slow and
/// obvious.
package struct ReferenceCurve {
    struct Piece {
        var start: Double
        var from: Double
        var to: Double
        /// Frames of the glide; the speed stays for the rest of the piece.
        var glide: Double
        var end: Double

        func distance(_ time: Double) -> Double {
            let gone = min(time, end) - start
            if gone <= 0 { return 0 }
            let glided = min(gone, glide)
            let reached = glide > 0 ? from + (to - from) * glided / glide : to
            return glided * (from + reached) / 2 + (gone - glided) * to
        }
    }

    var pieces: [Piece]

    package init(_ schedule: SpeedSchedule, pass: Int, distance: Double) {
        switch schedule {
        case .constant, .ramp:
            let speed = schedule.factor(ofPass: pass)
            pieces = [Piece(start: 0, from: speed, to: speed, glide: 0, end: .infinity)]
        case .glide(let from, let to):
            let frames = from == to ? 0 : (distance / ((from.factor + to.factor) / 2)).rounded(.down)
            // The rest of the pass after the glide is a frame or two, more at a lower speed or after entering the pass
            // in the middle: too short for a copy, but never without an end.
            let end = frames == 0 ? .infinity : frames + 24
            pieces = [Piece(start: 0, from: from.factor, to: to.factor, glide: frames, end: end)]
        case .curve(let points, let period):
            pieces = []
            var turn = 0.0
            while turn < 4_000 {
                for (index, point) in points.enumerated() where point.frame != period {
                    let next = index + 1 < points.count ? points[index + 1] : nil
                    let end = next?.frame ?? period
                    let glides = next?.arrival == .glide
                    let start = Double(point.frame)
                    // A point that changes nothing makes the piece before longer, though not beyond a turn.
                    let isSame = next?.speed == point.speed || !glides
                    if index > 0, isSame, let last = pieces.last, last.to == point.speed.factor {
                        pieces[pieces.count - 1].end = end.map { turn + Double($0) } ?? .infinity
                        continue
                    }
                    pieces.append(
                        Piece(
                            start: turn + start, from: point.speed.factor,
                            to: glides ? next?.speed.factor ?? 0 : point.speed.factor,
                            glide: isSame ? 0 : Double(end ?? 0) - start,
                            end: end.map { turn + Double($0) } ?? .infinity))
                }
                turn += period.map(Double.init) ?? .infinity
            }
        }
    }

    /// A glide, then a constant speed; without a change of speed nothing glides.
    init(from: Double, to: Double, over frames: Int64) {
        pieces = [Piece(start: 0, from: from, to: to, glide: from == to ? 0 : Double(frames), end: .infinity)]
    }

    package func distance(_ time: Double) -> Double { pieces.reduce(0) { $0 + $1.distance(time) } }

    package func speed(_ time: Double) -> Double {
        guard let piece = pieces.last(where: { $0.start <= time }) else { return 0 }
        let gone = time - piece.start
        return gone >= piece.glide ? piece.to : piece.from + (piece.to - piece.from) * gone / piece.glide
    }

    /// By bisection.
    func time(_ distance: Double) -> Double {
        var (low, high) = (0.0, 9_000.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if self.distance(middle) < distance { low = middle } else { high = middle }
        }
        return high
    }

    /// Whether the speed is exactly 1 here and stays so for at least `shortest` frames.
    package func isCopy(_ time: Double, shortest: Double) -> Bool {
        guard let piece = pieces.last(where: { $0.start <= time }), piece.to == 1 else { return false }
        let start = piece.start + piece.glide
        return time >= start && piece.end - start >= shortest
    }
}

/// The path of a pass through the clip from an output frame on.
struct ReferenceMotion {
    var curve: ReferenceCurve
    var start: Int64
    var position: Double
    /// The curve's frame heard at `start`.
    var phase = 0.0
    /// True after a change of speed.
    var isLive = false

    func time(_ frame: Int64) -> Double { phase + Double(frame - start) }
    func position(_ frame: Int64) -> Double {
        position + curve.distance(time(frame)) - curve.distance(phase)
    }
    func speed(_ frame: Int64) -> Double { curve.speed(time(frame)) }
    func frames(toClipFrame clipFrame: Int64) -> Double {
        curve.time(curve.distance(phase) + Double(clipFrame) - position) - phase
    }
}

/// The sound of one layer from its first frame on: the clip itself, or all of it from one fresh stretcher.
final class ReferenceVoice {
    struct Change {
        var frame: Int64
        var speed: Double
        var glide: Int64
    }

    let isCopy: Bool
    private let clip: [[Float]]
    private let from: Int64
    private var stretcher: Stretcher
    private var changes: [Change] = []
    private var made: [[Float]]
    private let block: PlanarBuffer

    /// Frames by which a player's voice learns of a change of speed in advance: the stretcher's lead, and the
    /// look-ahead of the limiter after the stretcher. The limiter changes nothing here, as no clip is loud enough.
    let leadFrames: Int64

    /// The clip from a frame on.
    convenience init(copying clip: [[Float]], rate: Int, from: Int64) {
        self.init(clip, rate, from, isCopy: true, speed: 1)
    }

    /// The held sound of a single frame.
    convenience init(freezing clip: [[Float]], rate: Int, at clipFrame: Int64) {
        self.init(clip, rate, clipFrame, isCopy: false, speed: nil)
    }

    /// A pass from output frame `frame` of it on; inaudible from `end` on.
    convenience init(
        stretching clip: [[Float]], rate: Int, from: Int64, motion: ReferenceMotion, at frame: Int64, before end: Int64
    ) {
        self.init(clip, rate, from, isCopy: false, speed: motion.speed(frame))
        for piece in motion.curve.pieces {
            let elapsed = motion.time(frame) - piece.start
            if elapsed >= 0 {
                let left = piece.glide - elapsed
                if left > 0 && elapsed + 1e-9 < piece.end - piece.start {
                    changes.append(Change(frame: 0, speed: piece.to, glide: Int64(left)))
                }
                continue
            }
            guard motion.start + Int64(piece.start - motion.phase) < end else { break }
            changes.append(Change(frame: Int64(-elapsed), speed: piece.from, glide: 0))
            if piece.glide > 0 {
                changes.append(Change(frame: Int64(-elapsed), speed: piece.to, glide: Int64(piece.glide)))
            }
        }
    }

    private init(_ clip: [[Float]], _ rate: Int, _ from: Int64, isCopy: Bool, speed: Double?) {
        self.clip = clip
        self.from = from
        self.isCopy = isCopy
        made = [[Float]](repeating: [], count: clip.count)
        stretcher = Stretcher(channelCount: clip.count, sampleRate: rate, maximumEmitFrames: 1)
        if let speed { stretcher.start(at: from, speed: speed) } else { stretcher.freeze(at: from) }
        let limiter = PeakLimiter(channelCount: clip.count, sampleRate: rate, maximumEmitFrames: 1)
        leadFrames = Int64(stretcher.leadFrames + limiter.lookAheadFrames)
        block = PlanarBuffer(channelCount: clip.count, frameCount: 1)
    }

    /// Sets another speed from a frame of this voice on, in place of all later speeds.
    func change(_ change: Change) {
        changes.removeAll { $0.frame > change.frame }
        changes.append(change)
    }

    /// The clip frame of a copy's frame.
    func clipFrame(_ local: Int64) -> Int64 { from + local }

    func sample(_ channel: Int, _ local: Int64) -> Float {
        if isCopy {
            let length = Int64(clip[channel].count)
            let frame = clipFrame(local)
            return clipSample(channel, frame < length ? frame : 2 * length - 1 - frame)
        }
        while made[channel].count <= local { stretch() }
        return made[channel][Int(local)]
    }

    private func clipSample(_ channel: Int, _ frame: Int64) -> Float {
        clip[channel].indices.contains(Int(frame)) ? clip[channel][Int(frame)] : 0
    }

    private func stretch() {
        while let next = changes.first, next.frame < Int64(made[0].count + 1 + stretcher.leadFrames) {
            precondition(stretcher.changeSpeed(atOutput: next.frame, to: next.speed, over: next.glide))
            changes.removeFirst()
        }
        while let request = stretcher.nextInput(toEmit: 1) {
            for channel in clip.indices {
                let input = unsafe stretcher.input(channel)
                for index in 0..<request.count {
                    unsafe input[index] = clipSample(channel, request.first + Int64(index))
                }
            }
            stretcher.acceptInput()
        }
        unsafe stretcher.emit(1, into: UnsafePointer(block.channels), offset: 0)
        for channel in clip.indices { unsafe made[channel].append(block.channel(channel)[0]) }
    }
}
