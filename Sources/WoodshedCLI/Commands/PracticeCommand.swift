// `woodshed practice`: plays sections in a loop, in real time or as fast as possible.
import ArgumentParser
import Terminal
import WoodshedPractice

struct PracticeCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "practice",
        abstract: "Loop sections of a recording at any speed and the original pitch.",
        discussion: """
            EXAMPLES
              woodshed practice song.mp3 --section 1:20-1:45 -n 5 --speed 70%
              woodshed practice song.mp3 --section 1:20-1:45 --pitch +3 --ramp 60%:100%:5%
              woodshed practice talk.mp3 --section 3 --recipe shadow
              woodshed practice song.mp3 --section 3 --record passes

            Without -n, a section loops until the key n (next section) or q (quit). -n 5 plays each section five \
            times. Output files and the virtual clock get one pass of each section. The key ? shows all keys. \
            --help-hidden shows more options.
            """)

    @Argument(help: .init("A recording: a file, @1, or words of a title.", valueName: "recording"), completion: .file())
    var recording: [String] = []

    @OptionGroup var plan: PlanOptions

    @OptionGroup var flow: SessionOptions

    @OptionGroup var takes: RecordingOptions

    @OptionGroup var strip: StripOptions

    @OptionGroup var device: DeviceOptions
    @OptionGroup(visibility: .hidden) var loss: LossOptions
    @OptionGroup(visibility: .hidden) var screen: ScreenOptions
    @OptionGroup(visibility: .hidden) var control: ControlOptions
    @OptionGroup(visibility: .hidden) var detaching: DetachOptions
    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if recording.isEmpty, !flow.due, detaching.detach || !Question.canBeAsked {
            throw ValidationError("Missing expected argument '<recording>'")
        }
        if flow.due, flow.hard || !plan.chosenSections.isEmpty {
            throw ValidationError(
                "--due plays the saved sections that are due; leave out the sections and --hard, or --due.")
        }
        if flow.repeats, !device.listensInRealTime {
            throw ValidationError("--repeat never ends: play to a device, with --clock real.")
        }
        if flow.hard, !plan.chosenSections.isEmpty {
            throw ValidationError("--hard plays the saved sections that are marked; leave out the sections, or --hard.")
        }
        if flow.recipe != nil, plan.passes != nil || plan.ramp != nil || plan.speed.curve != nil {
            throw ValidationError(
                "A recipe has passes and speeds of its own: leave out -n, --ramp and --curve, or --recipe.")
        }
    }

    func perform() throws {
        if detaching.detach { return try Detaching.start(detaching, messages: messages) }
        let place = try Detaching.place()
        defer { withExtendedLifetime(place) {} }
        // Due sections may belong to any recording. Otherwise the user picks a recording.
        let named =
            recording.isEmpty ? (flow.due ? nil : try RecordingPicker.file()) : try RecordingWord.file(recording)
        let due = flow.due ? try DueSections.find(in: named, isQuiet: messages.quiet) : nil
        // Nothing is due, and `find` reported so.
        guard let file = flow.due ? due?.file : named else { return }
        var playing = Playing(
            file: file, strip: strip, device: device, loss: loss, screen: screen, messages: messages,
            recording: takes, control: control.ways, verb: "practice")
        TakeAdoption.run(quiet: messages.quiet)
        playing.canReopen = takes.record == nil && device.listensInRealTime
        try Practising(playing: playing, plan: plan, flow: flow, due: due).run()
    }
}

struct Play: Verb {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play recordings, or a part of a recording.",
        discussion: """
            EXAMPLES
              woodshed play song.mp3
              woodshed play song.mp3 --from 1:20 --speed 80%
              woodshed play song.mp3 --pitch -2
              woodshed play song.mp3 --from 50% --to 1:45 --output hw:1
              woodshed play blue bossa              words of a title in the library
              woodshed play @1                      the recording added last
              woodshed play one.flac two.mp3        one after another, without a gap
              woodshed play "Warm up" --shuffle     a playlist
              woodshed play "Warm up" --detach      in the background; see woodshed ctl
              woodshed takes play @1                the take recorded last
              woodshed play @1 --with-model         that take right, its model left

            The key ? shows all keys: space pauses, arrows seek, [ and ] change the speed, ( and ) change the pitch, \
            q quits.
            """)

    @Argument(help: .init("A recording: a file, @1, or words of a title.", valueName: "recording"), completion: .file())
    var recording: [String] = []

    @Flag(name: .long, help: "Play a take on the right and its model on the left.")
    var withModel = false

    @OptionGroup var queue: QueueOptions
    @OptionGroup var range: RangeOptions
    @OptionGroup var speed: SpeedOptions
    @OptionGroup var pitch: PitchOptions
    @OptionGroup var direction: DirectionOptions
    @OptionGroup var strip: StripOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var loss: LossOptions
    @OptionGroup(visibility: .hidden) var screen: ScreenOptions
    @OptionGroup(visibility: .hidden) var control: ControlOptions
    @OptionGroup var detaching: DetachOptions
    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if recording.isEmpty, withModel || detaching.detach || !Question.canBeAsked {
            throw ValidationError("Missing expected argument '<recording> ...'")
        }
    }

    func perform() throws {
        if withModel {
            return try PairPlaying(
                word: recording.joined(separator: " "), device: device, loss: loss, screen: screen, messages: messages
            ).run()
        }
        if detaching.detach { return try Detaching.start(detaching, messages: messages) }
        let place = try Detaching.place()
        defer { withExtendedLifetime(place) {} }
        let file: String
        // A path from the library counts as a whole word.
        let recording = recording.isEmpty ? [try RecordingPicker.file()] : recording
        switch try QueuePlan(recording, isRow: queue.isGiven) {
        case .one(let path): file = path
        case .row(let entries): return try play(entries)
        }
        let playing = Playing(
            file: file, strip: strip, device: device, loss: loss, screen: screen,
            messages: messages,
            control: control.ways)
        try playing.run { clip in
            let timeline = Timeline(clip)
            return SessionPlan(
                PracticePlan(
                    sections: [try range.range.section(of: timeline)], speeds: try speed.schedule(for: timeline),
                    pitch: try pitch.enginePitch(),
                    formants: pitch.formants.choice, varispeed: pitch.varispeed, reversed: direction.reverse))
        }
    }

    private func play(_ entries: [QueueEntry]) throws {
        let given = [
            ("--from", range.from != nil), ("--to", range.to != nil), ("--curve", speed.curve != nil),
            ("--reverse", direction.reverse), ("--varispeed", pitch.varispeed),
        ].filter(\.1).map(\.0)
        if let option = given.first {
            throw CommandFailure(
                .usage, "\(option) is for one recording, and \(entries.count) are named",
                remedy: "Leave out \(option), or play one recording.")
        }
        try QueuePlaying(
            entries: entries, options: queue, speed: try Speed(factor: speed.speed?.factor ?? 1), device: device,
            loss: loss, messages: messages, control: control.ways
        ).run()
    }
}
