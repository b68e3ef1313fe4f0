// Remote control of a recording: by a socket, or by a pedal.
import JSON
import Terminal
import Woodshed

extension RecordSession: RemoteControlled {
    /// Starts the sources of remote control.
    func startRemote() {
        let inbox = loop.inbox
        loop.say(remote?.start { inbox.put(.remote($0)) } ?? [])
    }

    /// Sends an event to following programs, and to standard output with `--json`.
    func tellPrograms(_ event: RecorderEvent) {
        guard loop.messages.json || remote?.hasFollowers == true, let text = line.json(event) else { return }
        remote?.publish(text)
        if loop.messages.json { loop.write(text + "\n") }
    }

    var listener: (([String]) -> Void)? {
        get { loop.listener }
        set { loop.listener = newValue }
    }

    func say(_ lines: [String], evenQuiet: Bool) { loop.say(lines, evenQuiet: evenQuiet) }

    func carryOut(words: String) throws(ArgumentError) {
        for request in try keys.requests(words: words) { carryOut(request) }
    }

    var commandWords: [String] { RecordAction.allCases.map(\.words) + ConfirmAction.allCases.map(\.words) }

    var statusFields: [JSONValue.Field] {
        let status = monitor.status
        return [
            .init("file", line.path.map { .string($0) } ?? .null), .init("state", .string(status.state.rawValue)),
            .init("frame", .integer(status.recordedFrames)),
            .init("seconds", .number(Double(status.recordedFrames) / Double(line.sampleRate))),
            .init("lost_frames", .integer(status.lostFrames)),
            .init("seconds_left", status.secondsLeft.map { .number($0) } ?? .null),
            .init("device", .string(line.deviceName)), .init("asking", .bool(keys.isAsking)),
        ]
    }
}
