// Options for the shown range of a recording, and for its display on a terminal.
import ArgumentParser
import Glibc
import Terminal
import Woodshed

extension WaveStyle: ExpressibleByArgument {}
extension WaveColour: ExpressibleByArgument {}

struct WaveViewOptions: ParsableArguments {
    @Option(name: .long, help: "Characters: half (blocks), braille or ascii.")
    var style: WaveStyle?

    @Option(name: .long, help: "Colour by bands, centroid (pitch as hue) or plain. (default: bands)")
    var colour: WaveColour?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Width in characters; with -o in pixels, usually 1200.", valueName: "cells"),
        transform: { try boundedInteger($0, in: 1...16_384) })
    var width: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Height in lines; with -o in pixels, usually 400.", valueName: "lines"),
        transform: { try boundedInteger($0, in: 1...16_384) })
    var height: Int?

    @OptionGroup var range: RangeOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Frames in each column, 1 or more; replaces --to.", valueName: "frames"),
        transform: { try boundedInteger($0, in: 1...1 << 31) })
    var zoom: Int?

    @Option(name: .long, help: .init("Draw channels: each, mixed, or a number from 1.", valueName: "channels"))
    var channels: String?

    @Flag(name: .customLong("db"), help: "Scale the levels in dB, down to -60 dB.")
    var decibels = false

    @Flag(name: .customLong("no-sections"), help: "Hide the sections between the file's marks.")
    var hidesSections = false

    /// The lower end of the scale in dB.
    static let floor = -60.0

    func validate(for target: WaveformTarget?) throws {
        if target == nil {
            if width ?? 1 > 4096 { throw ValidationError("Write a --width from 1 to 4096, or name a picture with -o.") }
            if height ?? 1 > 512 { throw ValidationError("Write a --height from 1 to 512, or name a picture with -o.") }
        }
        if zoom != nil && range.to != nil { throw ValidationError("Use only one of --zoom and --to.") }
        if case .peaks? = target, isUsed {
            throw ValidationError("A .dat or .json file is of the whole recording: leave out what chooses a view.")
        }
        if target != nil, style != nil {
            throw ValidationError("--style is for the terminal; leave out --style or -o.")
        }
        _ = try choice(for: nil)
    }

    private var isUsed: Bool {
        style != nil || colour != nil || width != nil || height != nil || range.isGiven || zoom != nil
            || channels != nil || decibels || hidesSections
    }

    /// Returns the sections from a recording's marks, unless hidden. With unreadable marks the recording is shown
    /// without sections.
    func sections(of facts: RecordingFacts) -> [FileSection] {
        if hidesSections { return [] }
        let marks = try? FileMarks(path: facts.path, sampleRate: facts.sampleRate, frameCount: facts.frameCount)
        return marks?.sections ?? []
    }

    /// Returns the layout of the picture for this process's terminal or pipe.
    ///
    /// - Parameter sectionLines: Number of lines for sections.
    func layout(channels: Int, sectionLines: Int, plain: Bool) -> WavePicture {
        let size = terminalSize()
        let traits = CheckStyle.current(plain: plain)
        let usesColour = isatty(STDOUT_FILENO) == 1 && traits.usesColour
        return WavePicture(
            width: width ?? min(4096, size.columns),
            height: height ?? max(channels, min(8 * channels, size.rows - 3 - sectionLines)),
            style: style ?? (traits.glyphs == .unicode ? .half : .ascii), colour: colour ?? .bands,
            tellsBands: colour == .bands || colour == .centroid,
            scale: decibels ? .decibels(floor: Self.floor) : .linear,
            depth: .told(usesColour: usesColour, environment: environmentVariable))
    }

    /// Returns the shown range of the recording, for a number of columns.
    func frames(of facts: RecordingFacts, columns: Int) throws -> Range<Int64> {
        var (start, end) = range.range.bounds(in: facts.timeline)
        func time(_ frame: Int64) -> String { clockText(facts.seconds(frame), decimals: 3) }
        if start >= facts.frameCount {
            throw CommandFailure(
                .badData, "\(facts.path): there is nothing from \(time(start)) on",
                remedy: "Choose a start before the recording's end, \(time(facts.frameCount)).")
        }
        if let zoom {
            end = start + Int64(zoom) * Int64(columns)
        } else if end > facts.frameCount || start >= end {
            throw CommandFailure(
                .badData, "\(facts.path): there is nothing from \(time(start)) to \(time(end))",
                remedy: "Choose a start before the end, and an end of at most \(time(facts.frameCount)).")
        }
        return start..<end
    }

    /// Returns the channels to draw. Without a recording, the default is `mixed`, and a channel number is not checked
    /// against the recording.
    func choice(for facts: RecordingFacts?) throws -> ChannelChoice {
        switch channels {
        case nil: return facts.map { $0.channelCount <= 2 ? .each : .mixed } ?? .mixed
        case "each": return .each
        case "mixed": return .mixed
        case let text?:
            guard let number = wholeNumber(text), (1...64).contains(number) else {
                throw ValidationError("Write --channels each, --channels mixed, or a number from 1 to 64.")
            }
            if let facts, number > facts.channelCount {
                throw CommandFailure(
                    .badData, "\(facts.path): there is no channel \(number)",
                    remedy: facts.channelCount == 1
                        ? "Choose channel 1." : "Choose a channel from 1 to \(facts.channelCount).")
            }
            return .one(Int(number) - 1)
        }
    }
}
