import Files
import Glibc
import Terminal
import Woodshed

/// The format of a recording: recorded directly, or converted afterwards.
enum RecordFormat: String, CaseIterable {
    case wav
    case caf
    case flac
    case opus
    case ogg
    case mp3
    case m4a

    /// Format of the take itself during recording.
    var container: TakeContainer { self == .caf ? .caf : .wav }

    /// Target format of the conversion after the stop; nil for none.
    var export: ExportFormat? { ExportFormat(rawValue: rawValue) }
}

/// The place of a take, from the command line.
struct TakePlace: Equatable {
    /// The final file; nil for standard output.
    let path: String?
    /// File of the take: equal to `path` without a conversion.
    let takePath: String?
    let format: RecordFormat

    /// - Parameters:
    ///   - out: The user's text; nil for a name made from the time.
    ///   - format: The requested format; nil for the format of the name.
    init(_ out: String?, format asked: RecordFormat?, now: time_t) throws(CommandFailure) {
        guard out != "-" else {
            guard asked == nil || asked == .wav else {
                throw CommandFailure(
                    .usage, "only WAV can be written to a pipe", remedy: "Leave out --format, or name a file.")
            }
            (path, takePath, format) = (nil, nil, .wav)
            return
        }
        guard let out else {
            format = asked ?? .wav
            let stem = Self.stem(now, [format.rawValue, format.container.rawValue])
            (path, takePath) = ("\(stem).\(format.rawValue)", "\(stem).\(format.container.rawValue)")
            return
        }
        let name = out.split(separator: "/").last ?? ""
        let ending = name.split(separator: ".").dropFirst().last.map { $0.lowercased() }
        let named = ending.flatMap { RecordFormat(rawValue: $0) }
        if let asked, let named, asked != named {
            throw CommandFailure(
                .usage, "the name \(out) ends in .\(named), and --format is \(asked)",
                remedy: "Leave out --format, or change the ending of the name.")
        }
        if asked == nil, named == nil, let ending {
            throw CommandFailure(
                .usage, "a recording cannot be stored as .\(ending)",
                remedy: "Choose one of: \(RecordFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        format = asked ?? named ?? .wav
        let stem = named == nil ? out : String(out.dropLast(format.rawValue.count + 1))
        path = named == nil ? "\(stem).\(format.rawValue)" : out
        takePath = format.export == nil ? path : "\(stem).\(format.container.rawValue)"
    }

    /// Returns `take-2026-11-21-214502`, followed by a number if the file exists.
    private static func stem(_ now: time_t, _ endings: [String]) -> String {
        let stamp = LocalTime(Int64(now))?.stamp ?? String(now)
        return freeStem("take-" + stamp, endings: endings)
    }
}

/// Returns a name, followed by a number if the file exists.
///
/// - Parameter endings: The possible endings.
func freeStem(_ first: String, endings: [String]) -> String {
    var (stem, number) = (first, 2)
    while endings.contains(where: { unsafe access("\(stem).\($0)", F_OK) == 0 }) {
        stem = "\(first)-\(number)"
        number += 1
    }
    return stem
}
