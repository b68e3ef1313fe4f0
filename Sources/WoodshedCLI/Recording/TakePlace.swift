import Glibc
import Woodshed

/// How a recording is to be stored: as it is taken, or as something made of it afterwards.
enum RecordFormat: String, CaseIterable {
    case wav
    case caf
    case flac
    case opus
    case ogg
    case mp3
    case m4a

    /// What the take itself is written as.
    var container: TakeContainer { self == .caf ? .caf : .wav }

    /// What is made of it after the stop; nil where it stays as it is.
    var export: ExportFormat? { ExportFormat(rawValue: rawValue) }
}

/// Where a take goes, as understood from the command line.
struct TakePlace: Equatable {
    /// The file in the end; nil: standard output.
    let path: String?
    /// The file that is recorded into: the same, unless another is made of it.
    let takePath: String?
    let format: RecordFormat

    /// - Parameters:
    ///   - out: What was typed; nil for a name made of the time.
    ///   - format: What was asked for; nil to go by the name.
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
                .usage, "\(out) is called .\(named) and --format says \(asked)", remedy: "Leave one of them out.")
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

    /// `take-2026-11-21-214502`, with a number behind it if there is such a file.
    private static func stem(_ now: time_t, _ endings: [String]) -> String {
        var time = now
        var parts = unsafe tm()
        unsafe localtime_r(&time, &parts)
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let day = unsafe "\(1900 + parts.tm_year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let first = unsafe "take-\(day)-\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
        return freeStem(first, endings: endings)
    }
}

/// A name, with a number behind it if there is a file of it already.
///
/// - Parameter endings: What may stand behind the point.
func freeStem(_ first: String, endings: [String]) -> String {
    var (stem, number) = (first, 2)
    while endings.contains(where: { unsafe access("\(stem).\($0)", F_OK) == 0 }) {
        stem = "\(first)-\(number)"
        number += 1
    }
    return stem
}
