// Key actions on the player, and the contents of the status line. The status lags behind a key by a block, so the last
// requests are stored here: two quick presses are two steps.
import Glibc
import Terminal
import WoodshedPractice

/// The user's controls of a player.
final class PlayerControls {
    private let session: PracticeSession
    private var isPaused = false
    private var isFrozen = false
    private(set) var gainDecibels = 0.0
    private var wantedSpeed: Double?
    private var wantedSemitones: Double?
    private var peak = PeakHold()

    private static let gainRange = -60.0...12.0
    /// Change of the speed: up after a clean pass, down after a miss.
    private static let gradeStep = 0.05

    init(session: PracticeSession) { self.session = session }

    private var player: Player { session.player }

    /// True unless the user has paused or the score is over.
    var isPlaying: Bool {
        let state = player.status.state
        return !isPaused && (state == .playing || state == .idle)
    }

    /// Sets the meaning of the next press of the space bar: true if it requests sound. Called when the device pauses or
    /// resumes the player.
    func noteSilence(_ isSilent: Bool) { isPaused = isSilent }

    /// Sets the meaning of the next press of the freeze key: true if it continues. Called when the player reports a
    /// change.
    func noteFrozen(_ isFrozen: Bool) { self.isFrozen = isFrozen }

    /// Carries out actions on the player.
    func apply(_ action: KeyAction) {
        switch action {
        case .togglePause:
            isPaused.toggle()
            if isPaused { session.pause() } else { session.resume() }
        case .freeze:
            isFrozen.toggle()
            session.setFrozen(isFrozen)
        case .jump(let seconds):
            session.move(byFrames: Int64((seconds * Double(player.clip.sampleRate)).rounded()))
        case .seek(let share):
            session.move(toClipFrame: Int64((share * Double(player.clip.frameCount)).rounded()))
        case .skip(let sections): session.skip(by: sections)
        case .changeSpeed(let step): setSpeed((wantedSpeed ?? player.status.speed) + step)
        case .setSpeed(let factor): setSpeed(factor)
        case .changePitch(let step): setPitch((wantedSemitones ?? player.status.semitones) + step)
        case .changeGain(let step):
            gainDecibels = min(max(gainDecibels + step, Self.gainRange.lowerBound), Self.gainRange.upperBound)
            player.setGain(decibels: gainDecibels)
        case .passes(let count): try? session.setPasses(count == 0 ? .endless : .count(count))
        case .changeGap: changeGap()
        case .reverse: try? session.setReversed(!session.isReversed)
        case .grade(let isClean):
            setSpeed((wantedSpeed ?? player.status.speed) + (isClean ? Self.gradeStep : -Self.gradeStep))
        case .quit, .help, .redraw, .waveform, .list, .loop, .sections, .strip, .record, .take, .rate, .tell, .learn:
            break
        }
    }

    /// Cycles the gap: none, one pass length, one and a half, none.
    private func changeGap() {
        let next: Gap =
            switch session.gap {
            case .passLengths(let factor) where factor >= 1.5: .none
            case .passLengths: .passLengths(1.5)
            case .none, .frames: .passLengths(1)
            }
        try? session.setGap(next)
    }

    private func setSpeed(_ factor: Double) {
        // Rounded to a tenth of a per cent, so 5 % up and 5 % down lead back to the same speed.
        let rounded = (factor * 1000).rounded() / 1000
        let bounded = min(max(rounded, Speed.range.lowerBound), Speed.range.upperBound)
        wantedSpeed = bounded
        if let speed = try? Speed(factor: bounded) { try? session.setSpeed(speed) }
    }

    private func setPitch(_ semitones: Double) {
        guard !player.score.plan.varispeed else { return }
        let bounded = min(max(semitones, Pitch.range.lowerBound), Pitch.range.upperBound)
        wantedSemitones = bounded
        if let pitch = try? Pitch(semitones: bounded) { try? session.setPitch(pitch) }
    }

    /// Returns a key's new setting in a few words; nil if the status line or an event shows the setting.
    func words(after action: KeyAction) -> String? {
        switch action {
        case .changePitch where player.score.plan.varispeed: return "the pitch follows the speed"
        case .passes(0): return "no end of passes"
        case .passes(1): return "1 pass of each section"
        case .passes(let count): return "\(count) passes of each section"
        case .reverse: return session.isReversed ? "backwards" : "forwards"
        case .grade(let isClean): return "\(isClean ? "clean" : "missed"): \(percentText(wantedSpeed ?? 1))"
        case .changeGap:
            if case .passLengths(let factor) = session.gap { return "gap of \(fixed(factor, decimals: 1)) passes" }
            return "no gap"
        default: return nil
        }
    }

    /// Returns the current contents of the status line.
    func view(title: String) -> StatusView {
        let status = player.status
        let highest = player.takePeaks().max()
        return StatusView(
            title: title, state: Self.state(status.state),
            part: .section(
                status.section, of: player.score.sections.count, pass: status.pass, passes: status.passes),
            speed: wantedSpeed ?? status.speed, semitones: wantedSemitones ?? status.semitones,
            isReversed: session.isReversed, isFrozen: status.isFrozen,
            position: Double(status.clipFrame) / Double(player.clip.sampleRate),
            length: Double(player.clip.frameCount) / Double(player.clip.sampleRate),
            peakDecibels: peak.show(highest),
            restSeconds: status.isResting ? Double(status.restFramesLeft) / Double(player.clip.sampleRate) : nil)
    }

    private static func state(_ state: PlayerStatus.State) -> StatusView.State {
        switch state {
        case .idle, .playing: .playing
        case .paused: .paused
        case .stopping, .finished: .stopped
        }
    }
}

/// Peak hold: rises at once and falls by 1.5 dB per redraw. A block's peak alone would flicker.
private struct PeakHold {
    private var shown = -Double.infinity

    mutating func show(_ peak: Float) -> Double {
        let decibels = 20 * log10(Double(peak))
        shown = max(decibels, shown - 1.5)
        if shown < -100 { shown = -.infinity }
        return shown
    }
}
