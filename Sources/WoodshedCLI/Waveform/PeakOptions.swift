// Options for files in the formats of audiowaveform, for players of these formats.
import ArgumentParser
import Terminal
import Woodshed

struct PeakOptions: ParsableArguments {
    @Option(
        name: .customLong("samples-per-pixel"), parsing: .unconditional,
        help: .init("In .dat and .json: frames for each value, 2 or more. (default: 256)", valueName: "frames"),
        transform: { try boundedInteger($0, in: 2...Int(Int32.max)) })
    var samplesPerPixel: Int?

    @Option(
        name: .long, parsing: .unconditional, help: "In .dat and .json: bits for each value, 8 or 16. (default: 16)",
        transform: { text in
            guard let bits = [8, 16].first(where: { String($0) == text }) else {
                throw ArgumentError.unlisted(try optionValue(text), in: ["8", "16"])
            }
            return bits
        })
    var bits: Int?

    @Flag(name: .customLong("split-channels"), help: "In .dat and .json: keep the channels apart.")
    var splitsChannels = false

    func validate(for target: WaveformTarget?) throws {
        if case .peaks? = target { return }
        if samplesPerPixel != nil || bits != nil || splitsChannels {
            throw ValidationError("--samples-per-pixel, --bits and --split-channels are for -o x.dat and -o x.json.")
        }
    }

    /// Returns the complete file for a recording.
    func bytes(of path: String, as form: WaveformTarget.Peaks, draws: Bool) throws -> [UInt8] {
        let maker = try WaveformMaker(path: path, tones: false)
        var builder = try PeakFileBuilder(
            frameCount: maker.info.frameCount, samplesPerPixel: samplesPerPixel ?? 256,
            bits: bits == 8 ? .eight : .sixteen, isSplit: splitsChannels, channelCount: maker.info.channelCount,
            sampleRate: maker.info.sampleRate)
        try maker.feed(&builder)
        return builder.peakFile().encoded(as: form == .dat ? .dat : .json)
    }
}
