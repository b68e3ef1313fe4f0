// `woodshed compare`: measures the difference between a take and its recording.
import ArgumentParser
import Drawing
import Files
import JSON
import Terminal
import WoodshedPractice

struct CompareCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare a take with a recording: timing, pitch and dynamics.",
        discussion: """
            EXAMPLES
              woodshed compare @1                           the newest take
              woodshed compare song.mp3 --section Solo      the newest take of a section
              woodshed compare song.mp3 --section Solo 12   take 12; @2: second newest
              woodshed compare song.mp3 --from 12 --to 17.5 --take me.wav
              woodshed compare song.mp3 --section Solo --speed 70% --take me.wav
              woodshed compare model.wav --take me.wav -o me.png    or me.svg
              woodshed compare model.wav --take me.wav --json

            The figures are differences, each in its own unit: delay, evenness, pitch and loudness. No figure is a \
            grade. Sections last at most ten minutes. A single voice or instrument gives the best results.
            """)

    @Argument(help: "The model recording, or a take alone, such as @1.", completion: .file())
    var file: String

    @Argument(help: .init("Number of a take, or @1 for the newest. (default: @1)", valueName: "take"))
    var word: String?

    @Option(name: .long, help: .init("A take, or any recording.", valueName: "take"), completion: .file())
    var take: String?

    @Option(name: .long, help: "A saved section of the recording.", completion: .custom(SectionNames.complete))
    var section: String?

    @OptionGroup var range: RangeOptions

    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: .init("Speed of the take. (default: as recorded, or 100%)", valueName: "speed"),
        transform: { try SpeedText(parsing: optionValue($0)) })
    var speed: SpeedText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Transposition of the take, -24 to 24 semitones: +3, -2.5, 30c (cents). (default: as recorded, or 0)",
            valueName: "pitch"),
        transform: { try PitchText(parsing: optionValue($0)) })
    var pitch: PitchText?

    @Option(
        name: [.customShort("o"), .customLong("out")],
        help: .init("Draw a picture to this file: .png or .svg.", valueName: "out"), completion: .file())
    var out: String?

    @Flag(name: .long, help: "Write one JSON object to standard output.")
    var json = false

    @Flag(name: .long, help: "Write words only, for screen readers and logs.")
    var plain = false

    func validate() throws {
        if word != nil, take != nil { throw ValidationError("The take is named twice; leave out --take.") }
        if let out, Self.format(of: out) == nil { throw ValidationError("-o takes a name that ends in .png or .svg.") }
        if section != nil, range.isGiven { throw ValidationError("Use only one of --section and --from or --to.") }
    }

    func perform() throws {
        if let out {
            // Refused before anything is read.
            try OutputFile.refuseInputs([file], outputs: [out])
            try OutputFile.check(out)
            try PictureLibraries.load()
        }
        let pair = try ComparedPair(file: file, take: take ?? word, isTakeName: take != nil, section: section)
        let model = try Clip(path: pair.recording)
        tellShortfall(model.info)
        let recording = try Clip(path: pair.take)
        tellShortfall(recording.info)
        let frames = try pair.frames(range, of: Timeline(model))
        let passage = ComparedPassage(
            clip: model, frames: frames, speed: try Speed(factor: speed?.factor ?? pair.model?.speed ?? 1),
            pitch: try Pitch(semitones: pitch?.semitones ?? pair.model?.semitones ?? 0))
        let start = pair.model.map { Self.start(of: passage, in: recording.info, $0) } ?? 0
        let comparison = try TakeComparison(of: recording, with: passage, start: start)
        if let out, let format = Self.format(of: out) {
            let title = "\(fileName(pair.take)) beside \(fileName(pair.recording))\(section.map { ", " + $0 } ?? "")"
            let sheet = try PictureSheet(
                width: 1200, height: 480, title: title, sampleRate: model.sampleRate, frames: frames)
            try ComparisonPicture(on: sheet, comparison.measures).write(to: out, as: format)
        }
        if json { return try StandardStream.output.line(comparison.json.text) }
        let traits = TerminalTraits.current(plain: plain)
        // Drawing characters mean nothing to a screen reader, nor in a file.
        if StandardStream.output.isTerminal, traits.drawsStatus {
            let view = ComparisonView(
                comparison: comparison.measures, glyphs: traits.glyphs, columns: terminalSize().columns)
            for line in view.lines { try StandardStream.output.line(line) }
        }
        for line in comparison.lines(clockOrigin: Double(frames.lowerBound) / Double(model.sampleRate), passage.speed) {
            try StandardStream.output.line(line)
        }
    }

    private static func format(of path: String) -> PictureFormat? {
        guard case .picture(let image)? = WaveformTarget(path) else { return nil }
        return image == .png ? .png : .svg
    }

    /// Returns the time in the take, in seconds, at which the passage begins.
    private static func start(
        of passage: ComparedPassage, in take: AudioFileInfo, _ model: StoredTake.Model
    ) -> Double {
        let (rate, speed) = (Double(passage.clip.sampleRate), passage.speed.factor)
        let heard = PairLayout.startSeconds(of: model, take: take, length: Double(model.frames.count) / rate / speed)
        return heard + Double(passage.frames.lowerBound - model.frames.lowerBound) / rate / speed
    }
}

extension TakeComparison {
    /// Returns the measures in words, a line for each kind.
    ///
    /// - Parameters:
    ///   - clockOrigin: The seconds of the model's recording at which the passage starts.
    ///   - speed: Speed of the passage during the take. Reported times are the recording's own times.
    func lines(clockOrigin: Double, _ speed: Speed) -> [String] {
        guard let offset = offsetSeconds else {
            return ["nothing to compare: the model or the take is silent, or both overlap too little"]
        }
        func clock(_ seconds: Double) -> String { clockText(clockOrigin + seconds * speed.factor, decimals: 1) }
        var timing = ["starts \(Self.late(offset))"]
        if let spread = measures.spreadSeconds { timing.append("strays by \(Self.milliseconds(spread)) ms") }
        if let worst = measures.worstPlace, abs(worst.lateSeconds) >= 0.001 {
            timing.append("most at \(clock(worst.modelSeconds)), \(Self.late(worst.lateSeconds))")
        }
        var lines: [String] = []
        if !passes.isEmpty, let ratio = takeLengthRatio {
            lines.append("take      \(Self.length(ratio)): \(passes.count) passes; first the figures of pass 1")
        }
        lines.append("timing    " + timing.joined(separator: "; "))
        if let ratio = measures.lengthRatio { lines.append("length    \(Self.length(ratio))") }
        if let cents = measures.pitchOffsetCents {
            let melody = measures.pitchCents.map { "; the melody differs by \(fixed($0, decimals: 0)) cents" } ?? ""
            lines.append("pitch     \(Self.height(cents))\(melody)")
        } else {
            lines.append("pitch     not known: too few sounds with a pitch in both")
        }
        if let energy = measures.energyDecibels { lines.append("dynamics  differ by \(fixed(energy, decimals: 1)) dB") }
        if let attacks {
            let count = attacks.hits.count + attacks.missedSeconds.count
            let missed = attacks.missedSeconds.prefix(5).map(clock).joined(separator: ", ")
            let more = attacks.missedSeconds.count > 5 ? ", ..." : ""
            lines.append(
                "attacks   \(attacks.hits.count) of \(count)"
                    + (missed.isEmpty ? "" : ", without those at \(missed)\(more)")
                    + (attacks.addedSeconds.isEmpty ? "" : ", and \(attacks.addedSeconds.count) more"))
        }
        return lines + passes.enumerated().dropFirst().map { Self.line(ofPass: $0.offset + 1, $0.element) }
    }

    /// Returns a line about a later pass of the take; its seconds are the take's.
    private static func line(ofPass number: Int, _ pass: Comparison) -> String {
        let parts: [String?] = [
            pass.offsetSeconds.map { "at \(clockText(max(0, $0), decimals: 1))" },
            pass.spreadSeconds.map { "strays by \(milliseconds($0)) ms" }, pass.lengthRatio.map(length),
            pass.pitchOffsetCents.map { "pitch \(height($0))" },
            pass.pitchCents.map { "the melody differs by \(fixed($0, decimals: 0)) cents" },
            pass.energyDecibels.map { "dynamics by \(fixed($0, decimals: 1)) dB" },
        ]
        let name = "pass \(number)"
        return name + String(repeating: " ", count: max(1, 10 - name.count))
            + parts.compactMap(\.self).joined(separator: "; ")
    }

    private static func length(_ ratio: Double) -> String {
        if abs(ratio - 1) < 0.0005 { return "as long as the model" }
        guard (0.67..<1.5).contains(ratio) else { return "\(fixed(ratio, decimals: 1)) times as long as the model" }
        return "\(percentText(abs(ratio - 1))) \(ratio > 1 ? "longer" : "shorter") than the model"
    }

    private static func height(_ cents: Double) -> String {
        abs(cents) < 0.5 ? "the same" : "\(fixed(abs(cents), decimals: 0)) cents \(cents > 0 ? "higher" : "lower")"
    }

    private static func milliseconds(_ seconds: Double) -> String { fixed(abs(seconds) * 1000, decimals: 0) }

    private static func late(_ seconds: Double) -> String {
        abs(seconds) < 0.0005 ? "on time" : "\(milliseconds(seconds)) ms \(seconds > 0 ? "late" : "early")"
    }

    /// A JSON object for programs.
    var json: JSONValue { .object([.init("v", .integer(1))] + fields) }

    /// The measures for programs; an unknown measure is null.
    var fields: [JSONValue.Field] {
        func number(_ value: Double?, _ factor: Double = 1) -> JSONValue {
            // Rounded to a thousandth: more digits would be noise.
            value.map { .number(($0 * factor * 1000).rounded() / 1000) } ?? .null
        }
        var fields: [JSONValue.Field] = [
            .init("offset_ms", number(offsetSeconds, 1000)),
            .init("spread_ms", number(measures.spreadSeconds, 1000)),
            .init("length_ratio", number(measures.lengthRatio)),
            .init("worst_at_seconds", number(measures.worstPlace?.modelSeconds)),
            .init("worst_ms", number(measures.worstPlace?.lateSeconds, 1000)),
            .init("pitch_offset_cents", number(measures.pitchOffsetCents)),
            .init("pitch_cents", number(measures.pitchCents)), .init("energy_db", number(measures.energyDecibels)),
            .init("take_length_ratio", number(takeLengthRatio)),
            .init(
                "passes",
                .array(
                    passes.map { pass in
                        .object([
                            .init("at_seconds", number(pass.offsetSeconds)),
                            .init("spread_ms", number(pass.spreadSeconds, 1000)),
                            .init("length_ratio", number(pass.lengthRatio)),
                            .init("pitch_offset_cents", number(pass.pitchOffsetCents)),
                            .init("pitch_cents", number(pass.pitchCents)),
                            .init("energy_db", number(pass.energyDecibels)),
                        ])
                    })),
        ]
        guard let attacks else { return fields + [.init("attacks", .null)] }
        fields.append(
            .init(
                "attacks",
                .object([
                    .init(
                        "hit",
                        .array(
                            attacks.hits.map { hit in
                                .object([
                                    .init("at_seconds", number(hit.modelSeconds)),
                                    .init("late_ms", number(hit.lateSeconds, 1000)),
                                ])
                            })), .init("missed_at_seconds", .array(attacks.missedSeconds.map { number($0) })),
                    .init("added_at_seconds", .array(attacks.addedSeconds.map { number($0) })),
                ])))
        return fields
    }
}
