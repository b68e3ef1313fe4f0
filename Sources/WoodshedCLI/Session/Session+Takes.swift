// The session's part in takes: `TakeControls` carries out their keys.
import Files
import Glibc
import JSON
import Terminal

extension Session {
    /// Passes an action to the take controls.
    ///
    /// - Returns: True for an action on takes.
    func answerTakes(_ action: KeyAction) -> Bool {
        guard let takes else {
            if case .take(.end) = action { return true }
            guard case .take = action else { return false }
            loop.say(["takes are heard in: woodshed practice"])
            return true
        }
        // A sound started now would play after the end.
        if loop.ending != nil, case .take = action { return true }
        let answer = takes.answer(action, isPlaying: control.isPlaying, pauseReason: pauseReason)
        guard let answer else { return false }
        show(answer)
        // A status line already shows the preparation.
        if takes.isPreparing, !loop.traits.drawsStatus { loop.say(["preparing the take"]) }
        return true
    }

    /// Handles the result of a request about takes.
    ///
    /// - Returns: The lines for programs.
    func take(_ news: TakeNews) -> String {
        guard let takes else { return "" }
        let columns = loop.traits.drawsStatus ? terminalSize().columns : nil
        let answer = takes.take(news, glyphs: loop.traits.glyphs, columns: columns)
        if let compared = answer.compared { keeping?.progress.note(compared.comparison, ofSection: compared.section) }
        // The next press of the space bar resumes.
        if answer.isOver { control.noteSilence(true) }
        say(answer)
        return lines(answer)
    }

    /// Prints the result of a key.
    func show(_ answer: TakeControls.Answer) {
        say(answer)
        loop.write(lines(answer))
    }

    private func say(_ answer: TakeControls.Answer) {
        loop.say((answer.picture?.lines ?? []) + answer.words, evenQuiet: answer.isAsked)
    }

    private func lines(_ answer: TakeControls.Answer) -> String {
        answer.json.map { line in run.programLine { line.text } }.joined()
    }

    /// Pauses the audible take before the program is stopped, and waits for its fade.
    func suspendTakes() {
        guard let takes, takes.setSuspended(true) else { return }
        run.waitForFade { takes.isPaused }
    }
}
