// `--log-level` and `--log-file`, which every verb takes, and their variables. They are read before the verb's own options, because
// what those say is logged, too.
import AudioFiles
import Glibc
import RunLog
import Terminal
import UserState
import Woodshed

/// Where the log goes, and what it contains.
struct LogOptions: Equatable {
    /// The variables; the processes that a run starts inherit them.
    static let (levelVariable, fileVariable) = ("WOODSHED_LOG", "WOODSHED_LOG_FILE")

    /// Words, as in "audio:debug,sql:trace"; nil if nobody has said any.
    private(set) var words: String?
    /// Nil for the usual file.
    private(set) var file: String?

    /// The options of the environment.
    init(environment: (String) -> String? = environmentVariable) {
        words = environment(Self.levelVariable).flatMap { $0.isEmpty ? nil : $0 }
        file = environment(Self.fileVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Takes its options out of the arguments, up to `--`.
    mutating func take(from arguments: inout [String]) throws(CommandFailure) {
        var rest: [String] = []
        var left = arguments[...]
        while let argument = left.first, argument != "--" {
            left = left.dropFirst()
            guard
                let name = ["--log-level", "--log-file"].first(where: { argument == $0 || argument.hasPrefix($0 + "=") }
                )
            else {
                rest.append(argument)
                continue
            }
            var value = argument.dropFirst(name.utf8.count + 1)
            if argument == name, let next = left.first, !next.hasPrefix("-") {
                value = next[...]
                left = left.dropFirst()
            }
            guard !value.isEmpty else {
                throw CommandFailure(.usage, "'\(name)' has no value", remedy: "See: woodshed --help")
            }
            if name == "--log-level" { words = String(value) } else { file = String(value) }
        }
        arguments = rest + left
    }

    /// What is written; nothing unless somebody asked for it.
    func levels() throws(CommandFailure) -> LogLevels {
        guard let words else { return LogLevels() }
        do throws(LogLevels.Fault) {
            return try LogLevels(parsing: words)
        } catch {
            throw CommandFailure(.usage, error.message, remedy: error.remedy)
        }
    }

    /// The log's file, from the root; nil without a home.
    var path: String? {
        guard let file else { return StateFolder.path.map { $0 + "/woodshed.log" } }
        return FileName.absolute(file) ?? file
    }

    /// For `doctor`. A started log is in the environment, too.
    var summary: String {
        get throws(CommandFailure) {
            let levels = try levels()
            let place = path ?? "no file, without a home"
            return levels.isOff ? "off; --log-level debug writes \(place)" : "\(levels.text), in \(place)"
        }
    }

    /// Begins the log, if it is wanted. What hinders it is told once, and stops nothing.
    func start() throws(CommandFailure) {
        let levels = try levels()
        guard !levels.isOff else { return }
        guard let path else {
            return Self.warn("there is no home for a log", remedy: "Name a file: --log-file FILE")
        }
        if file == nil {
            do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: path) } catch {
                return Self.warn("the log \(path) \(error.text)", remedy: "Name another file: --log-file FILE")
            }
        }
        do throws(LogFile.Fault) {
            RunLog.start(try LogFile(path, printable: printable), levels)
        } catch {
            return Self.warn("the log \(path) \(error.text)", remedy: "Name another file: --log-file FILE")
        }
        // No other thread exists yet. A run in the background may begin in another folder, so it gets the whole name.
        unsafe setenv(Self.levelVariable, levels.text, 1)
        unsafe setenv(Self.fileVariable, path, 1)
    }

    private static func warn(_ cause: String, remedy: String) {
        StandardStream.error.note("woodshed: \(printable(cause))\n\(remedy)")
    }
}
