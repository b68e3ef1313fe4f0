// What a session has to do with takes: the keys are carried out by `TakeControls`.
import Glibc
import JSON
import Terminal
import Woodshed

extension Session {
    /// Lets the keys about takes have an action.
    ///
    /// - Returns: Whether it was one of theirs.
    func answerTakes(_ action: KeyAction) -> Bool {
        guard let takes else {
            if case .take(.end) = action { return true }
            guard case .take = action else { return false }
            loop.say(["takes are heard in: woodshed practice"])
            return true
        }
        // What begins now would be heard after the end.
        if loop.ending != nil, case .take = action { return true }
        let answer = takes.answer(action, isPlaying: control.isPlaying, pauseReason: pauseReason)
        guard let answer else { return false }
        show(answer)
        // The status line tells it where there is one.
        if takes.isPreparing, !loop.traits.drawsStatus { loop.say(["preparing the take"]) }
        return true
    }

    /// Takes in what has become of a request about takes.
    ///
    /// - Returns: The lines for programs.
    func take(_ news: TakeNews) -> String {
        guard let takes else { return "" }
        let columns = loop.traits.drawsStatus ? terminalSize().columns : nil
        let answer = takes.take(news, glyphs: loop.traits.glyphs, columns: columns)
        if let compared = answer.compared { keeping?.progress.note(compared.comparison, ofSection: compared.section) }
        // The next press of the space bar means to go on.
        if answer.isOver { control.noteSilence(true) }
        say(answer)
        return lines(answer)
    }

    /// Tells what followed from a key.
    func show(_ answer: TakeControls.Answer) {
        say(answer)
        loop.write(lines(answer))
    }

    private func say(_ answer: TakeControls.Answer) {
        loop.say((answer.picture?.lines ?? []) + answer.words, evenQuiet: answer.isAsked)
    }

    private func lines(_ answer: TakeControls.Answer) -> String {
        answer.json.map { line in programLine { line.text } }.joined()
    }

    /// Pauses what is heard of a take before the program is stopped, so that its fade is heard.
    func suspendTakes() {
        guard let takes, takes.setSuspended(true) else { return }
        let limit = monotonicNanoseconds() + 300_000_000
        while !takes.isPaused, monotonicNanoseconds() < limit { usleep(5000) }
    }
}
