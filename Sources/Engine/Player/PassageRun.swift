internal import Stretching

/// Position of a voice in its list of passages, and the speeds scheduled in the voice. Trivial. Real-time safe: yes.
///
/// All frames are the voice's own, from its first frame on, unless named as frames of the plan.
struct PassageRun: BitwiseCopyable {
    private var list: PassageList?
    /// The frame of the plan at which the voice began.
    private var planStart: Int64 = 0
    private var index = 0
    /// The next frame, and the end of the fade of the previous passage.
    private(set) var frame: Int64 = 0
    private(set) var fadeEnd: Int64 = 0
    /// The frame at which the stretcher began.
    private(set) var stretcherStart: Int64 = 0
    /// The nominal position. Only its speeds matter, for a stretcher that begins in the middle.
    private(set) var speeds = PositionCurve(position: 0, speed: 1)

    /// Duration of the fade-in of splices over the vocoder, in milliseconds.
    static let fadeMilliseconds = 10

    /// Removes the passages.
    mutating func leave() { list = nil }

    mutating func begin(_ list: PassageList, planFrame: Int64, speed: Double) {
        self.list = list
        planStart = planFrame
        index = list.index(at: planFrame)
        frame = 0
        fadeEnd = 0
        stretcherStart = 0
        speeds = PositionCurve(position: 0, speed: speed)
    }

    var isRunning: Bool { list != nil }

    /// The passage that plays; nil without passages.
    var passage: VoicePassage? { list.map { $0[index] } }

    /// The next frame of the plan.
    var planFrame: Int64 { planStart + frame }

    var isFading: Bool { isRunning && frame < fadeEnd }

    /// Returns the number of next frames that can be made at once: up to the next change of the source.
    func piece(of frameCount: Int) -> Int {
        guard let list else { return frameCount }
        let next = isFading ? fadeEnd - frame : list.end(of: index) - planFrame
        return Int(min(Int64(frameCount), next))
    }

    /// Counts emitted frames, at most a piece.
    ///
    /// - Returns: true if the next passage begins now.
    mutating func emitted(_ frameCount: Int) -> Bool {
        guard let list else { return false }
        frame += Int64(frameCount)
        speeds.forget(before: frame)
        guard planFrame >= list.end(of: index) else { return false }
        index += 1
        return true
    }

    mutating func fadeIn(over frameCount: Int) { fadeEnd = frame + Int64(frameCount) }

    mutating func noteStretcherStart() { stretcherStart = frame }

    /// Notes a change of speed; false if the list of changes is full.
    mutating func changeSpeed(at frame: Int64, to speed: Double, over glideFrames: Int64) -> Bool {
        speeds.change(at: max(frame, speeds.lastChange), to: speed, over: glideFrames)
    }
}
