// What a run says of its device: when it is lost, when there is one again, and how it did in all.
import Woodshed

extension Session {
    /// Takes note of what became of the device, and tells it.
    ///
    /// - Returns: The line for standard output, if events are written there.
    func tell(_ event: EngineEvent) -> String {
        follow(event)
        if !messages.quiet {
            screen.clear()
            for words in event.words(onLoss, sampleRate: engine.configuration.sampleRate) {
                StandardStream.error.note(printable(words))
            }
        }
        return messages.json ? event.json(sampleRate: engine.configuration.sampleRate) + "\n" : ""
    }

    private func follow(_ event: EngineEvent) {
        switch event {
        case .interrupted(let interruption):
            notice = "no device (\(interruption.reason.name))"
            // While it is waited for, the space bar means not to go on; else to try again.
            control.noteSilence(onLoss == .pause || !control.isPlaying)
            if onLoss == .pause { giveUp(interruption.error) }
        case .resumed, .fellBack:
            notice = nil
        case .deviceMissing(let error):
            guard onLoss != .wait else { return }
            control.noteSilence(true)
            giveUp(error)
        case .disturbed: break
        }
    }

    /// With nobody there to ask for the device again, the run would stand still for good.
    private func giveUp(_ error: DeviceError) {
        guard !takesKeys else { return }
        loss = error
        end(.unavailable)
    }

    // MARK: At the end

    /// The last line for programs, with the figures of the whole run.
    func finishLine(failed: Bool) throws {
        guard messages.json else { return }
        let statistics = engine.statistics
        let status = player.status
        let sampleRate = engine.configuration.sampleRate
        var line =
            heldFinish.map { EventLine($0, sampleRate: sampleRate) }
            ?? EventLine(
                name: "playback.finished", frame: status.outputFrame, sampleRate: sampleRate,
                section: status.section, pass: status.pass, passes: status.passes, speed: status.speed,
                clipFrame: status.clipFrame, pitch: status.semitones,
                details: [.init("reason", .string(failed ? "failed" : "stopped"))])
        line.details.append(.init("frames", .integer(line.frame)))
        guard tellsFigures else { return try StandardStream.output.line(line.json) }
        line.details += [
            .init("xruns", .integer(statistics.xruns)),
            .init("lost_frames", .integer(statistics.lostFrames)),
            .init("starved_frames", .integer(status.starvedFrames)),
            .init("interruptions", .integer(statistics.interruptions)),
            .init("unheard_frames", .integer(statistics.unheardFrames)),
            .init("load_p50", .number(statistics.load.median)), .init("load_p999", .number(statistics.load.p999)),
            .init("load_max", .number(statistics.load.maximum)),
            .init("scheduling", .string(statistics.schedulingClass)),
        ]
        try StandardStream.output.line(line.json)
    }

    /// The last words for people.
    func sayGoodbye() {
        let statistics = engine.statistics
        let seconds = Double(player.status.outputFrame) / Double(engine.configuration.sampleRate)
        let what = endStatus == .success && heldFinish?.kind == .finished(.completed) ? "finished" : "stopped"
        StandardStream.error.note("\(what) after \(clockText(seconds)); \(statistics.words)")
        if statistics.xruns > 0 {
            StandardStream.error.note("a longer --period helps against dropouts, and so does: woodshed doctor")
        }
        guard messages.verbose else { return }
        let time = statistics.renderTime
        StandardStream.error.note(
            "\(statistics.blocks) blocks, render time \(fixed(time.medianMicroseconds, decimals: 1)) us median, "
                + "\(fixed(time.p999Microseconds, decimals: 1)) us at 99.9 %, "
                + "\(fixed(time.maximumMicroseconds, decimals: 1)) us at most")
    }
}

extension EngineStatistics {
    /// The figures that tell how the run went, in one line.
    fileprivate var words: String {
        var parts = ["\(xruns) dropout\(xruns == 1 ? "" : "s")"]
        if lostFrames > 0 { parts.append("\(lostFrames) frames lost") }
        if interruptions > 0 {
            parts.append("device lost \(interruptions == 1 ? "once" : "\(interruptions) times")")
            parts.append("\(unheardFrames) frames unheard")
        }
        let loads = [load.median, load.p999, load.maximum].map { fixed($0 * 100, decimals: 1) }
        parts.append("load \(loads.joined(separator: " / ")) % (median, 99.9 %, worst)")
        parts.append("scheduling \(schedulingClass)")
        return parts.joined(separator: ", ")
    }
}
