// Remote control of a run of the player: by a socket, or by a pedal.
import JSON
import Terminal
import WoodshedPractice

extension Session {
    func carryOut(words: String) throws(ArgumentError) {
        let actions: [KeyAction]
        do throws(ArgumentError) {
            actions = try KeyAction.list(words)
        } catch {
            // Other words may be actions of the list or of the input line.
            if try takeWordsForLine(words) { return }
            guard let action = try? ListAction(words: words) else { throw error }
            guard screen.chooser != nil else {
                throw ArgumentError("the list is not open", remedy: "Write list first.")
            }
            return choose(action)
        }
        for action in actions {
            carryOut(action)
            // Remote commands get no question.
            if case .quit = action { keeping?.progress.dismiss() }
        }
    }

    /// Takes words for the input line, such as a section's name: `type Solo`, `accept`.
    private func takeWordsForLine(_ words: String) throws(ArgumentError) -> Bool {
        let (text, action) = (words.hasPrefix("type ") ? words.dropFirst(5) : nil, try? InputAction(words: words))
        guard text != nil || action != nil else { return false }
        guard let desk, desk.line != nil else {
            throw ArgumentError("nothing is typed now", remedy: "Write save or rename first.")
        }
        if let text { desk.type(text: text) }
        let said = action.flatMap { desk.take($0) }
        if let said { loop.say([said]) }
        return true
    }

    var commandWords: [String] {
        let (list, line) = (ListAction.allCases.map(\.words), InputAction.allCases.map(\.words))
        return run.keyMap.playing.rows.map(\.words) + KeyAction.plainWords + list + ["type TEXT"] + line
    }

    // MARK: Status

    var statusFields: [JSONValue.Field] {
        let (status, clip, marks) = (player.status, player.clip, practice.marks)
        func seconds(_ frame: Int64, _ rate: Int) -> JSONValue { .number(Double(frame) / Double(rate)) }
        let (sections, index) = (player.score.sections, status.section - 1)
        let name = sections.indices.contains(index) ? sections[index].name : nil
        let rate = device.engine.configuration.sampleRate
        func place(_ frame: Int64?) -> JSONValue { frame.map { .integer($0) } ?? .null }
        return [
            .init("file", .string(clip.info.path)), .init("title", .string(listening.title)),
            .init("state", .string(stateWord(status))),
            .init("frame", .integer(status.outputFrame)), .init("seconds", seconds(status.outputFrame, rate)),
            .init("clip_frame", .integer(status.clipFrame)),
            .init("clip_seconds", seconds(status.clipFrame, clip.sampleRate)),
            .init("clip_length", seconds(clip.frameCount, clip.sampleRate)),
            .init("section", .integer(status.section)), .init("sections", .integer(sections.count)),
            .init("name", name.map { .string($0) } ?? .null), .init("pass", .integer(status.pass)),
            .init("passes", status.passes.map { .integer($0) } ?? .null), .init("speed", .number(status.speed)),
            .init("pitch", .number(status.semitones)), .init("reversed", .bool(status.isReversed)),
            .init("frozen", .bool(status.isFrozen)),
            .init(
                "loop",
                .object([
                    .init("running", .bool(marks.isRunning)), .init("start_frame", place(marks.start)),
                    .init("end_frame", place(marks.end)),
                ])),
            .init("device", .string(device.engine.configuration.deviceName)),
            .init("typing", desk?.line.map { .string($0.question) } ?? .null),
        ]
    }

    private func stateWord(_ status: PlayerStatus) -> String {
        if device.notice != nil { return "no_device" }
        switch status.state {
        case .idle: return "starting"
        case .playing: return status.isResting ? "resting" : "playing"
        case .paused: return "paused"
        case .stopping, .finished: return "stopped"
        }
    }
}
