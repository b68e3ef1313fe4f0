// The shown range of a recording, and its columns at any zoom: from the waveform if fine enough, otherwise from
// samples.
import Files
import Terminal
import Woodshed

/// The channels of a picture.
enum ChannelChoice: Equatable {
    case each
    case mixed
    /// A single channel, counted from 0.
    case one(Int)

    /// Returns `L` and `R`, numbers from 1, or an empty name for a single picture.
    func names(channelCount: Int) -> [String] {
        guard self == .each, channelCount > 1 else { return [""] }
        return channelCount == 2 ? ["L", "R"] : (1...channelCount).map(String.init)
    }
}

/// Facts about a recording, needed before its samples are read.
struct RecordingFacts {
    let path: String
    let sampleRate: Int
    let channelCount: Int
    let frameCount: Int64

    init(_ info: AudioFileInfo, path: String) {
        (self.path, sampleRate, channelCount, frameCount) = (path, info.sampleRate, info.channelCount, info.frameCount)
    }

    init(_ waveform: Waveform, path: String) {
        self.path = path
        (sampleRate, channelCount, frameCount) = (waveform.sampleRate, waveform.channelCount, waveform.frameCount)
    }

    var timeline: Timeline {
        Timeline(fileRate: sampleRate, fileFrames: frameCount, clipRate: sampleRate, clipFrames: frameCount)
    }

    func seconds(_ frame: Int64) -> Double { Double(frame) / Double(sampleRate) }

    /// Returns sections with their numbers and times.
    func bands(_ sections: [FileSection]) -> [SectionBand] {
        sections.enumerated().map { index, section in
            SectionBand(
                number: index + 1, name: section.name, start: seconds(section.frames.lowerBound),
                end: seconds(section.frames.upperBound))
        }
    }
}

/// A recording with its waveform, ready for drawing.
struct WaveformScene {
    let facts: RecordingFacts
    let waveform: Waveform
    /// The shown frames of the recording.
    let frames: Range<Int64>
    let choice: ChannelChoice
    /// All sections of the recording.
    var sections: [FileSection] = []

    /// The sections at least partly visible.
    var bands: [SectionBand] { facts.bands(sections).filter { $0.end > start && $0.start < start + length } }

    /// The channels to draw, from 0; `nil` for a mix of all channels.
    var channels: [Int?] {
        switch choice {
        case .each: Array(0..<facts.channelCount)
        case .mixed: [nil]
        case .one(let channel): [channel]
        }
    }

    var names: [String] { choice.names(channelCount: facts.channelCount) }

    /// The time of the first frame shown, and the length shown, in seconds.
    var start: Double { facts.seconds(frames.lowerBound) }
    var length: Double { Double(frames.count) / Double(facts.sampleRate) }

    /// Returns the columns of all ``channels``, `count` each.
    func columns(_ count: Int) throws -> [[WaveformColumn]] {
        if frames.count >= count * Waveform.framesPerBin {
            return channels.map { waveform.summary(frames: frames, columns: count, channel: $0) }
        }
        let clip = try Clip(path: facts.path)
        guard RecordingFacts(clip.info, path: facts.path).isLike(facts) else { throw changed }
        var rows: [[WaveformColumn]] = []
        for channel in channels {
            rows.append(try clip.columns(frames: frames, count: count, channel: channel, waveform: waveform))
        }
        return rows
    }

    private var changed: CommandFailure {
        CommandFailure(.inputOutput, "\(facts.path): the file changed while it was read", remedy: "Try again.")
    }

    /// A line about the recording.
    var title: String {
        let whole = clockText(facts.seconds(facts.frameCount))
        let shown =
            frames == 0..<facts.frameCount
            ? whole : "\(clockText(start, decimals: 3))-\(clockText(start + length, decimals: 3)) of \(whole)"
        let layout =
            switch facts.channelCount {
            case 1: "mono"
            case 2: "stereo"
            default: "\(facts.channelCount) channels"
            }
        return "\(printable(fileName(facts.path)))  \(shown)  \(facts.sampleRate) Hz \(layout)"
    }
}

extension RecordingFacts {
    fileprivate func isLike(_ other: RecordingFacts) -> Bool {
        sampleRate == other.sampleRate && channelCount == other.channelCount && frameCount == other.frameCount
    }
}
