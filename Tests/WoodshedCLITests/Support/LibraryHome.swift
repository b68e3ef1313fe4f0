// A user with a library, for one test.
import Foundation
import Glibc
import Testing

@testable import WoodshedCLI

/// A home folder with recordings, and the command as the home's user runs it.
struct LibraryHome {
    let folder = TestFolder()

    var environment: [String: String] {
        [
            "HOME": folder.path, "XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"],
            "XDG_CACHE_HOME": folder["cache"], "XDG_CONFIG_HOME": folder["config"], "XDG_RUNTIME_DIR": folder["run"],
        ]
    }

    @discardableResult
    func run(
        _ arguments: String..., with more: [String: String] = [:], act: ((RunningCommand) -> Void)? = nil
    ) -> Finished {
        run(arguments, with: more, act: act)
    }

    @discardableResult
    func run(
        _ arguments: [String], with more: [String: String] = [:], act: ((RunningCommand) -> Void)? = nil
    ) -> Finished {
        Command.run(arguments, environment: environment.merging(more) { $1 }, folder: folder.path, act: act)
    }

    /// Runs a line of a shell, in which $1 is the command.
    func shell(_ line: String, with more: [String: String] = [:], act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(
            ["-c", "cd \"$2\"; " + line, "sh", Command.path, folder.path],
            environment: environment.merging(more) { $1 }, program: "/bin/sh", act: act)
    }

    /// Writes a recording; each number makes another recording.
    @discardableResult
    func song(_ name: String, _ number: Int = 0, frames: Int = 8000) -> String {
        let data = (0..<frames).flatMap { Wave.little(UInt16(truncatingIfNeeded: ($0 * (37 + number)) % 24001)) }
        return folder.write(name, Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
    }

    /// Adds recordings with the given titles, in this order.
    func add(_ titles: String...) {
        for (number, title) in titles.enumerated() {
            song("new.wav", number + 1)
            let added = run("add", "--move", "new.wav", "--title", title)
            #expect(added.status == 0, "\(added.error)")
        }
    }

    /// The lines of JSON that a run writes.
    func json(_ arguments: String...) -> [[String: Any]] { run(arguments + ["--json"]).json }

    /// The titles in the library.
    func titles(_ arguments: String...) -> [String] {
        run(["list", "--json"] + arguments).json.compactMap { $0["title"] as? String }
    }

    /// The names in the library's folder, except for its own folders.
    var files: [String] {
        folder.names(in: "data/woodshed/library").filter { $0 != "parts" && $0 != "trash" }
    }
    var parts: [String] { folder.names(in: "data/woodshed/library/parts") }

    /// The space that a folder takes by `du`, in bytes.
    func room(_ name: String) -> Int {
        let run = Command.run(["-s", "-B1", folder[name]], environment: [:], program: "du")
        return Int(run.text.prefix { $0.isNumber }) ?? -1
    }

    /// All names below the folder, with the lengths of files.
    var everything: [String] {
        Command.run(["\(folder.path)", "-printf", "%P %s %y\n"], environment: [:], program: "find").lines.sorted()
    }
}

extension Finished {
    /// The lines of output as JSON.
    var json: [[String: Any]] {
        lines.compactMap { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any] }
    }

    /// The names of the run's events.
    var events: [String] { json.compactMap { $0["event"] as? String } }
}

extension [String: Any] {
    func number(_ key: String) -> Int? { self[key] as? Int }
    func text(_ key: String) -> String? { self[key] as? String }
}
