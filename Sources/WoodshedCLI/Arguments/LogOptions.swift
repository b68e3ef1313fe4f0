// `--log-level` and `--log-file`, accepted by every verb, and their variables. Parsed before the verb's own options,
// because the log also covers their parsing.
import AudioFiles
import Glibc
import RunLog
import Terminal
import UserState
import Woodshed

/// Path and contents of the log.
struct LogOptions: Equatable {
    /// Names of the environment variables, which processes started by a run inherit.
    static let (levelVariable, fileVariable) = ("WOODSHED_LOG", "WOODSHED_LOG_FILE")

    /// Log levels as typed, as in "audio:debug,sql:trace"; nil without a request for a log.
    private(set) var words: String?
    /// True if the environment gave the levels.
    private var isFromEnvironment = true
    /// The named file; nil for the usual file.
    private(set) var file: String?

    /// Reads the options from the environment.
    init(environment: (String) -> String? = environmentVariable) {
        words = environment(Self.levelVariable).flatMap { $0.isEmpty ? nil : $0 }
        file = environment(Self.fileVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Removes the log options from the arguments before `--` and stores their values.
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
                throw CommandFailure(
                    .usage, "'\(name)' has no value",
                    remedy: name == "--log-file"
                        ? "Write: --log-file FILE" : "Write: --log-level debug, or --log-level audio:debug,sql:trace")
            }
            if name == "--log-level" {
                (words, isFromEnvironment) = (String(value), false)
            } else {
                file = String(value)
            }
        }
        arguments = rest + left
    }

    /// Returns the levels to log; off unless the user asked for a log.
    func levels() throws(CommandFailure) -> LogLevels {
        guard let words else { return LogLevels() }
        do throws(LogLevels.Fault) {
            return try LogLevels(parsing: words)
        } catch {
            guard isFromEnvironment else { throw CommandFailure(.usage, error.message, remedy: error.remedy) }
            let source = SettingSource.environment(Self.levelVariable)
            throw CommandFailure(
                .configuration, "\(source.words): \(error.message)",
                remedy: "\(error.remedy) \(source.remedy(for: Self.levelVariable))")
        }
    }

    /// Absolute path of the log file; nil without a home.
    var path: String? {
        guard let file else { return StateFolder.path.map { $0 + "/woodshed.log" } }
        return FileName.absolute(file) ?? file
    }

    /// Summary for `doctor`. A running log counts, too, because `start` stores its options in the environment.
    var summary: String {
        get throws(CommandFailure) {
            let levels = try levels()
            let place = path ?? "no file, because there is no home folder"
            return levels.isOff ? "off; --log-level debug writes \(place)" : "\(levels.text), in \(place)"
        }
    }

    /// Starts the log if wanted. An obstacle is reported once and stops nothing.
    func start() throws(CommandFailure) {
        let levels = try levels()
        guard !levels.isOff else { return }
        guard let path else {
            return Self.warn("there is no home folder for the log", remedy: "Name a file with: --log-file FILE")
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
        // Safe to set: no other thread exists yet. A background run may start in another folder, so the variable holds
        // the absolute path.
        unsafe setenv(Self.levelVariable, levels.text, 1)
        unsafe setenv(Self.fileVariable, path, 1)
    }

    private static func warn(_ cause: String, remedy: String) {
        StandardStream.error.note("woodshed: \(printable(cause))\n\(remedy)")
    }
}
