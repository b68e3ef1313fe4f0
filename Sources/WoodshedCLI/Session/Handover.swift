// State passed from a session to the next, when the device is reopened with an input for recording.
import WoodshedPractice

/// The position of a session, and the settings made by keys.
struct Handover {
    private let section: Int
    private let clipFrame: Int64
    private let marks: LoopMarks
    private let speed: Speed?
    private let pitch: Pitch
    private let (passes, gap): (PassCount, Gap)
    private let strip: ChannelStrip

    init(_ session: PracticeSession) {
        let player = session.player
        (section, clipFrame, marks) = (session.currentNumber, player.statusAfterMoves.clipFrame, session.marks)
        (speed, pitch, passes, gap) = (session.speed, session.pitch, session.passes, session.gap)
        strip = player.strip
    }

    /// Returns the plan, continued from this position.
    func continued(_ plan: SessionPlan) -> SessionPlan {
        var plan = plan
        if plan.order == .listed { plan.firstSection = min(max(1, section), plan.practice.sections.count) }
        plan.firstFrame = clipFrame
        plan.countIn = nil
        return plan
    }

    /// Restores the settings made by keys, right after the start. A setting unplayable on the new device stays as
    /// planned.
    func apply(to session: PracticeSession) {
        try? session.player.setStrip(strip)
        if let speed { try? session.setSpeed(speed) }
        if pitch != session.pitch { try? session.setPitch(pitch) }
        if passes != session.passes { try? session.setPasses(passes) }
        if gap != session.gap { try? session.setGap(gap) }
        if marks.isRunning, let range = marks.range { _ = try? session.loop(range) }
    }
}
