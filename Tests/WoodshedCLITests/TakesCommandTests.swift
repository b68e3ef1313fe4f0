// `woodshed takes` from a user's side, and the effects of `record` and `play` on the list.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The verb takes", .serialized)
struct TakesCommandTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        folder.write("song.wav", Wave.ramp(frames: 48_000, channels: 2, rate: 48_000))
        home = ["XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"]]
    }

    @discardableResult
    private func run(_ arguments: String..., act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(arguments, environment: home, folder: folder.path, act: act)
    }

    /// Records a take of so many frames.
    private func record(_ name: String, frames: Int) {
        let take = run("record", name, "--input", "file:song.wav", "--clock", "virtual", "--duration", "\(frames)f")
        #expect(take.status == 0 && take.error.contains("next: woodshed takes play @1"), "\(take.error)")
    }

    /// The numbers of the takes in a list, and the frames of each.
    private func list(_ arguments: String...) -> [String] {
        let run = Command.run(["takes", "--json"] + arguments, environment: home, folder: folder.path)
        #expect(run.status == 0, "\(run.error)")
        return run.lines.map { line in
            func value(_ key: String) -> String {
                line.split(separator: "\"\(key)\":", maxSplits: 1).last.map { String($0.prefix { !",}".contains($0) }) }
                    ?? ""
            }
            return "\(value("number")) \(value("frames"))"
        }
    }

    @Test("an empty list of takes prints and creates nothing, and says how to record")
    func empty() {
        let none = run("takes")
        #expect(none.status == 0 && none.output.isEmpty && none.error.contains("There are no takes yet."))
        #expect(none.error.contains("woodshed record") && run("takes", "--trash").error.contains("The trash is empty."))
        #expect(run("takes", "play", "@1", "--output", "null").status == 66 && run("takes", "undo").status == 66)
        #expect(!folder.names.contains("data"))
    }

    @Test("record puts every kept take into the list, also a converted take, and takes play plays it")
    func recording() {
        record("a.wav", frames: 9600)
        record("b.flac", frames: 19_200)
        #expect(list() == ["2 19200", "1 9600"] && !folder.names.contains("b.wav"))
        let short = run("record", "c.wav", "--input", "file:song.wav", "--clock", "virtual", "--duration", "0f")
        #expect(!folder.names.contains("c.wav") && list().count == 2, "\(short.error)")
        let table = run("takes")
        #expect(table.lines.count == 2 && table.lines[0].hasSuffix("b.flac") && table.error.contains("kB in all takes"))
        let played = run("takes", "play", "@2", "--output", "null", "--clock", "virtual", "--json")
        #expect(played.status == 0 && played.text.contains(#""frames":9600"#), "\(played.error)")
        #expect(run("takes", "play", "2", "--output", "null", "--clock", "virtual").status == 0)
    }

    @Test("a store that cannot be changed does not disturb a recording; the take can be added afterwards")
    func storeFails() {
        folder.write("data", [1, 2, 3])
        let take = run("record", "a.wav", "--input", "file:song.wav", "--clock", "virtual")
        #expect(take.status == 0 && folder.names.contains("a.wav"), "\(take.error)")
        #expect(take.error.contains("not in the list of takes: ") && take.error.contains("woodshed takes add a.wav"))
        _ = unsafe unlink(folder["data"])
        #expect(run("takes", "add", "a.wav").status == 0 && list() == ["1 48000"])
        // Another time of writing does not make another take.
        var times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
        #expect(unsafe utimes(folder["a.wav"], &times) == 0)
        #expect(run("takes", "add", "a.wav").status == 0 && list() == ["1 48000"])
        #expect(run("takes", "add", "b.wav").status == 66)
    }

    @Test("a take that is killed while it is recorded is in the list, with the sound on the disk")
    func killed() {
        let take = run("record", "a.wav", "--input", "null") { running in
            // The take is listed during the recording.
            #expect(eventually { list().first.map { !$0.hasSuffix(" 0") } ?? false })
            running.send(SIGKILL)
        }
        #expect(take.status == -SIGKILL)
        let left = list()
        #expect(left.count == 1 && left[0].hasPrefix("1 ") && left[0] != "1 0", "\(left)")
        #expect(run("takes").error.contains("A take was not finished"))
        #expect(run("record", "--recover").status == 0)
        #expect(list().count == 1 && !run("takes").error.contains("not finished"))
    }

    @Test("takes are named, noted, rated, deleted, restored and removed; a missing take is refused")
    func changing() {
        for name in ["a.wav", "b.wav", "c.wav"] { record(name, frames: 9600) }
        #expect(run("takes", "rename", "@1", "slow").status == 0 && run("takes", "note", "3", "late").status == 0)
        #expect(run("takes", "rate", "3", "4").status == 0)
        #expect(run("takes").lines[0].hasSuffix(#"****  slow  "late""#))
        #expect(run("takes", "rate", "3", "none").status == 0 && run("takes", "rate", "3", "6").status == 64)
        #expect(run("takes", "rm", "1-2").status == 0 && list() == ["3 9600"] && list("--trash").count == 2)
        #expect(!folder.names.contains("a.wav") && run("takes", "rm", "1").status == 66)
        #expect(run("takes", "undo").status == 0 && list().count == 3 && folder.names.contains("a.wav"))
        #expect(run("takes", "rm", "2").status == 0 && run("takes", "restore", "2").status == 0)
        run("takes", "rm", "2")
        let careful = run("takes", "empty")
        #expect(careful.status == 64 && careful.error.contains("takes empty --yes") && list("--trash").count == 1)
        #expect(run("takes", "empty", "--yes").status == 0 && list("--trash").isEmpty)
        for (words, status) in [
            (["rename", "3"], 64), (["rm"], 64), (["rm", "x"], 64), (["rm", "9"], 66), (["rm", "8-9"], 66),
            (["play", "@9"], 66), (["rm", "3", "--yes"], 64), (["--section", "1"], 64), (["nosuch.wav"], 66),
        ] {
            let run = Command.run(["takes"] + words, environment: home, folder: folder.path)
            #expect(run.status == Int32(status) && run.errorLines.count == 2, "\(words): \(run.error)")
        }
    }

    @Test("takes rm, undo and add that fail after some takes report these takes, and how to go on")
    func partly() {
        for name in ["a.wav", "b.wav", "c.wav"] { record(name, frames: 9600) }
        // The hidden name of take 2 is in use.
        folder.write(".woodshed-deleted-take-2", [1])
        let deleted = run("takes", "rm", "1-3")
        #expect(deleted.status == 73 && deleted.error.contains("deleted: 2 takes\n"), "\(deleted.error)")
        #expect(deleted.error.contains("take 2 cannot be moved to the trash: there is another file"))
        #expect(deleted.error.contains("; in the trash already: 2 of 3 takes\n"), "\(deleted.error)")
        #expect(deleted.errorLines.last?.hasSuffix(" Restore this part with: woodshed takes undo") == true)
        #expect(list() == ["2 9600"] && list("--trash").count == 2)
        // The name of the first take to restore is in use.
        folder.write("a.wav", [1])
        for words in [["undo"], ["restore", "1", "3"]] {
            let back = Command.run(["takes"] + words, environment: home, folder: folder.path)
            #expect(back.status == 2 && back.error.contains("brought back: take 3\n"), "\(back.error)")
            #expect(back.error.contains("take 1 cannot be restored: there is another file"), "\(back.error)")
            #expect(back.error.contains("\nMove that file away first.\n"), "\(back.error)")
            #expect(back.error.contains("woodshed: 1 of 2 takes could not be brought back\n"), "\(back.error)")
            #expect(list("--trash") == ["1 9600"] && folder.read("a.wav") == [1])
            // A single take that cannot be restored has the status of its own error.
            let alone = Command.run(["takes", "undo"], environment: home, folder: folder.path)
            #expect(alone.status == 73 && alone.errorLines.count == 2, "\(alone.error)")
            // Both takes are of one deletion again.
            #expect(unsafe unlink(folder["a.wav"]) == 0)
            #expect(run("takes", "undo").status == 0 && list().count == 3)
            #expect(run("takes", "rm", "1", "3").status == 0)
            folder.write("a.wav", [1])
        }
        #expect(unsafe unlink(folder["a.wav"]) == 0)
        #expect(run("takes", "undo").status == 0 && list().count == 3)
        // Nothing of this deletion is done.
        let none = run("takes", "rm", "2")
        #expect(none.status != 0 && none.errorLines.count == 2 && !none.error.contains("already"), "\(none.error)")
        let added = run("takes", "add", "a.wav", "nowhere.wav")
        #expect(added.status == 66 && added.error.contains("; added already: 1 of 2 takes\n"), "\(added.error)")
    }

    @Test("takes export copies or converts a take, and never replaces a file")
    func exporting() {
        record("a.wav", frames: 9600)
        #expect(run("takes", "export", "1", "copy.wav").status == 0)
        #expect(folder.read("copy.wav") == folder.read("a.wav"))
        #expect(run("takes", "export", "1", "copy.flac").status == 0 && folder.names.contains("copy.flac"))
        #expect(run("takes", "export", "1", "copy.wav").status == 73 && run("takes", "export", "1", "-").status == 64)
        #expect(run("takes", "export", "1", "x.caf").status == 64 && run("takes", "export", "1", "x.txt").status == 64)
        #expect(folder.names.contains("a.wav"))
    }

    @Test("takes --follow writes takes that other programs add")
    func following() {
        let followed = run("takes", "--follow", "--json") { running in
            record("a.wav", frames: 9600)
            #expect(running.wait(for: #""frames":9600"#))
            running.send(SIGINT)
        }
        #expect(followed.text.contains(#""frames":9600"#), "\(followed.text)")
    }
}
