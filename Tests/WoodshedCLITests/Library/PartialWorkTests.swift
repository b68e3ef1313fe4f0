// Commands that fail, or that a signal ends, after a part of their work.
import ArgumentParser
import Database
import Explanations
import Files
import Glibc
import JSON
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Commands that end after a part of their work", .serialized)
struct PartialWorkTests {
    private let home = LibraryHome()
    private let other = LibraryHome()

    private func change(_ home: LibraryHome, _ statements: String...) throws {
        let database = try Database(path: home.folder["data/woodshed/practice.db"], creating: false)
        for statement in statements { try database.run(statement) }
    }

    /// Makes changes of a store fail as on a full disk: a table has no number left for another row.
    ///
    /// - Parameter changes: The changes, as a trigger names them.
    private func fail(_ changes: String, in home: LibraryHome) throws {
        try change(
            home, "CREATE TABLE IF NOT EXISTS filler (id INTEGER PRIMARY KEY AUTOINCREMENT)",
            "INSERT OR IGNORE INTO filler VALUES (\(Int64.max))",
            "CREATE TRIGGER failing \(changes) BEGIN INSERT INTO filler (id) VALUES (NULL); END")
    }

    private func failNoLonger(_ home: LibraryHome) throws { try change(home, "DROP TRIGGER failing") }

    /// Makes changes of a store last for ever.
    private func hang(_ changes: String, in home: LibraryHome) throws {
        try change(
            home,
            "CREATE VIEW endless AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
            "CREATE TRIGGER hanging \(changes) BEGIN SELECT count(*) FROM endless; END")
    }

    /// Waits until a command hangs in a change of a store: no other change of the command takes a second. Everything
    /// before the change is then done.
    private func waitUntilHanging(_ home: LibraryHome) {
        let path = home.folder["data/woodshed/practice.db"]
        #expect(
            eventually {
                do throws(DatabaseError) {
                    try Database(path: path, creating: false, busyTimeout: 1000).run("BEGIN IMMEDIATE")
                    return false
                } catch { return error.kind == .busy }
            })
    }

    /// Sends one signal, or the signals of a user in a hurry.
    private func interrupt(_ running: RunningCommand, isHurried: Bool) {
        if isHurried { #expect(running.interruptUntilEnded()) } else { running.send(SIGINT) }
    }

    /// Writes so many recordings into a folder.
    private func writeMany(_ count: Int) {
        _ = unsafe mkdir(home.folder["many"], 0o755)
        for number in 0..<count { home.song("many/s\(number).wav", number, frames: 400) }
    }

    @Test("rm, rm --undo and edit that fail after some pieces report the pieces, and how to undo or complete them")
    func pieces() throws {
        writeMany(405)
        #expect(home.run("add", "-q", "--link", "many").status == 0)
        let trashed = "(SELECT count(*) FROM item WHERE trashed IS NOT NULL)"
        try fail("BEFORE UPDATE OF trashed ON item WHEN NEW.trashed IS NOT NULL AND \(trashed) >= 400", in: home)
        let removed = home.run("rm", "@1-405")
        #expect(removed.status == 74 && removed.error.contains("removed: s"), "\(removed.error)")
        #expect(removed.error.contains("; in the trash already: 400 of 405 recordings\n"), "\(removed.error)")
        #expect(removed.errorLines.last == "Free some room. Restore this part with: woodshed rm --undo")
        #expect(home.titles().count == 5)
        // Nothing of this removal is done.
        let none = home.run("rm", "@1-5", "--json")
        #expect(none.status == 74 && none.lines.isEmpty && !none.error.contains("already"), "\(none.error)")
        #expect(home.run("rm", "--undo", "-q").status == 0 && home.titles().count == 405)
        let json = home.run("rm", "@1-405", "--json")
        #expect(json.status == 74 && json.lines.count == 400 && json.errorLines.count == 2, "\(json.error)")
        #expect(home.run("rm", "--undo", "-q").status == 0)
        try failNoLonger(home)

        #expect(home.run("rm", "@1-405", "-q").status == 0)
        try fail("BEFORE UPDATE OF trashed ON item WHEN NEW.trashed IS NULL AND \(trashed) <= 5", in: home)
        let back = home.run("rm", "--undo")
        #expect(
            back.status == 74 && back.error.contains("; back in the library already: 400 recordings\n"),
            "\(back.error)")
        #expect(back.errorLines.last == "Free some room. Restore the rest with: woodshed rm --undo")
        try failNoLonger(home)
        #expect(home.run("rm", "--undo", "-q").status == 0 && home.titles().count == 405)

        let edited = "(SELECT count(*) FROM item WHERE artist = 'Ann')"
        try fail("BEFORE UPDATE OF artist ON item WHEN \(edited) >= 400", in: home)
        let edit = home.run("edit", "@1-405", "--artist", "Ann", "-q")
        #expect(
            edit.status == 74 && edit.error.contains("; changed already: 400 of 405 recordings\n"), "\(edit.error)")
        try failNoLonger(home)
        #expect(home.run("edit", "@1-405", "--artist", "Ann", "-q").status == 0)
    }

    @Test(
        "rm, rm --undo and edit that a signal ends within a piece report the pieces before",
        arguments: ["rm", "undo", "edit"])
    func endedPieces(verb: String) throws {
        writeMany(405)
        #expect(home.run("add", "-q", "--link", "many").status == 0)
        if verb == "undo" { #expect(home.run("rm", "@1-405", "-q").status == 0) }
        let trashed = "(SELECT count(*) FROM item WHERE trashed IS NOT NULL)"
        let (words, change, ending): ([String], String, String) =
            switch verb {
            case "rm":
                (
                    ["rm", "@1-405"], "trashed ON item WHEN NEW.trashed IS NOT NULL AND \(trashed) >= 400",
                    """
                    next: woodshed rm --undo
                    woodshed: the removal was stopped; in the trash already: 400 of 405 recordings
                    Restore this part with: woodshed rm --undo

                    """
                )
            case "undo":
                (
                    ["rm", "--undo"], "trashed ON item WHEN NEW.trashed IS NULL AND \(trashed) <= 5",
                    """
                    woodshed: the undoing was stopped; back in the library already: 400 recordings
                    Restore the rest with: woodshed rm --undo

                    """
                )
            default:
                (
                    ["edit", "@1-405", "--artist", "Ann", "-q"],
                    "artist ON item WHEN (SELECT count(*) FROM item WHERE artist = 'Ann') >= 400",
                    """
                    woodshed: the change was stopped; changed already: 400 of 405 recordings
                    Repeat the command to change the rest.

                    """
                )
            }
        try hang("BEFORE UPDATE OF \(change)", in: home)
        let ended = home.run(words) { running in
            #expect(
                eventually {
                    switch verb {
                    case "rm": home.titles().count == 5
                    case "undo": home.titles().count == 400
                    default: home.titles("--artist", "Ann").count == 400
                    }
                })
            interrupt(running, isHurried: true)
        }
        #expect(ended.status == 130 && ended.error.hasSuffix(ending), "\(ended.error)")
        try self.change(home, "DROP TRIGGER hanging")
        #expect(home.run(words).status == 0)
    }

    /// Runs a work of three things that a signal stops after two.
    private func stopped(by number: Int32, _ work: (Pieces<Int>) throws -> Void) throws -> CommandFailure? {
        let pipe = try WakePipe()
        let reports = PieceReports<Int>(
            messages: try MessageOptions.parse(["-q"]), json: { .integer($0) }, notes: { $0.map { "\($0)" } })
        do {
            try PartialWork.run(
                "the counting", reports,
                { pieces in
                    for count in 1...3 {
                        if count > 1 { try pieces.proceed() }
                        pieces.finish([count])
                        guard count == 2 else { continue }
                        var byte = UInt8(truncatingIfNeeded: number)
                        #expect(unsafe write(pipe.writeEnd, &byte, 1) == 1)
                        try work(pieces)
                    }
                }, done: { "counted already: \($0) of 3" }, next: "Count the rest.", signals: pipe.readEnd)
        } catch { return error as? CommandFailure }
        return nil
    }

    @Test(
        "a signal stops a work between two things, with the signal's status, the finished part and the remedy",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func stoppedBetween(number: Int32, status: Int32) throws {
        let failure = try #require(try stopped(by: number) { _ in })
        #expect(failure.exitStatus.rawValue == status)
        #expect(failure.message == "the counting was stopped; counted already: 2 of 3")
        #expect(failure.remedy == "Count the rest.")
    }

    @Test("an error of the store just after a signal ends the work with the status of the signal")
    func failedAfterSignal() throws {
        let failure = try #require(
            try stopped(by: SIGINT) { _ in
                throw CommandFailure(.unavailable, "the store is in use", remedy: "Try again.")
            })
        #expect(failure.exitStatus == .interrupted)
        #expect(failure.message == "the store is in use; counted already: 2 of 3")
        // Without a signal, the error keeps its own status.
        let pipe = try WakePipe()
        let error = CommandFailure(.unavailable, "the store is in use", remedy: "Try again.")
        #expect(throws: error) { try SignalWatch(pipe.readEnd).stopping { throw error } }
    }

    @Test("clean that fails midway reports the freed bytes, and removes the rest later", arguments: [false, true])
    func cleaning(isForPrograms: Bool) throws {
        home.add("Blue Bossa", "Autumn")
        #expect(home.run("rm", "@1-2").status == 0)
        try fail(
            "BEFORE UPDATE OF gone ON item WHEN NEW.gone = 1 AND (SELECT count(*) FROM item WHERE gone = 1) > 0",
            in: home)
        let failed = home.run(["clean", "--yes"] + (isForPrograms ? ["--json"] : []))
        #expect(failed.status == 74 && failed.error.contains("; freed already: "), "\(failed.error)")
        #expect(failed.errorLines.last?.hasSuffix(" Remove the rest with: woodshed clean --yes") == true)
        #expect(failed.lines.count == (isForPrograms ? 1 : 0), "\(failed.text)")
        #expect(failed.json.allSatisfy { $0["unfinished"] as? Bool == true && ($0.number("bytes") ?? 0) > 0 })
        try failNoLonger(home)
        let whole = home.run("clean", "--yes", "--json")
        #expect(whole.status == 0 && whole.json.first?["unfinished"] == nil, "\(whole.text)")
    }

    @Test("rm --keep-entry and rm --empty that fail report the files that they have removed for good")
    func forGood() throws {
        home.add("Blue Bossa", "Autumn")
        home.song("mine.wav", 3)
        #expect(home.run("add", "--link", "mine.wav").status == 0)
        let kept = home.run("rm", "@2", "@1", "--keep-entry", "--yes")
        #expect(kept.status == 66 && kept.error.contains("removed the file of: Autumn"), "\(kept.error)")
        #expect(kept.error.contains("; removed for good already: 1 of 2 files\n"), "\(kept.error)")
        #expect(home.titles("--missing") == ["Autumn"])
        #expect(home.run("rm", "@1-3").status == 0)
        try fail(
            "BEFORE UPDATE OF gone ON item WHEN NEW.gone = 1 AND (SELECT count(*) FROM item WHERE gone = 1) > 0",
            in: home)
        let emptied = home.run("rm", "--empty", "--yes", "--json")
        #expect(emptied.status == 74 && emptied.events == ["library.removed"], "\(emptied.error)")
        #expect(emptied.error.contains("; removed for good already: 1 of 3 recordings\n"), "\(emptied.error)")
        try failNoLonger(home)
        #expect(home.run("rm", "--empty", "--yes", "--json").events.count == 2)
    }

    /// Makes a store with a playlist, and a file of a store with more content.
    private func prepareRepair() {
        home.add("Blue Bossa", "Autumn")
        #expect(home.run("playlist", "create", "Monday").status == 0)
        let store = "data/woodshed/practice.db"
        home.folder.write("old.db", home.folder.read(store))
        TestFolder.remove(home.folder[store])
        #expect(home.run("playlist", "create", "Other").status == 0)
    }

    @Test("repair --from that fails after some pieces reports their content")
    func failedRepair() throws {
        prepareRepair()
        // Playlists come after the recordings.
        try fail("BEFORE INSERT ON playlist", in: home)
        let failed = home.run("library", "repair", "--from", "old.db")
        #expect(
            failed.status == 74 && failed.error.hasPrefix("brought back so far: 2 recordings\nwoodshed: "),
            "\(failed.error)")
        #expect(failed.errorLines.count == 3 && home.titles().count == 2, "\(failed.error)")
        let again = home.run("library", "repair", "--from", "old.db", "--json")
        #expect(again.status == 74 && again.events == ["library.salvaged"], "\(again.error)")
        #expect(again.json.first?["unfinished"] as? Bool == true && again.json.first?.number("recordings") == 0)
        try failNoLonger(home)
        let whole = home.run("library", "repair", "--from", "old.db")
        #expect(whole.status == 0 && whole.error.hasPrefix("brought back: 1 playlist\n"), "\(whole.error)")
    }

    @Test(
        "repair --from that a signal ends within a piece reports the pieces before, also at a second signal",
        arguments: [false, true])
    func endedRepair(isHurried: Bool) throws {
        prepareRepair()
        try hang("BEFORE INSERT ON playlist", in: home)
        let run = home.run(["library", "repair", "--from", "old.db"] + (isHurried ? ["--json"] : [])) { running in
            #expect(eventually { home.titles().count == 2 })
            waitUntilHanging(home)
            interrupt(running, isHurried: isHurried)
        }
        let stopped = """
            woodshed: the repair was stopped after some of its pieces
            Repair from the same file again to complete the repair.

            """
        #expect(run.status == 130, "\(run.error)")
        #expect(run.error == (isHurried ? "" : "brought back so far: 2 recordings\n") + stopped)
        #expect(run.events == (isHurried ? ["library.salvaged"] : []))
        #expect(run.json.allSatisfy { $0["unfinished"] as? Bool == true && $0.number("recordings") == 2 })
        try change(home, "DROP TRIGGER hanging")
        let whole = home.run("library", "repair", "--from", "old.db")
        #expect(whole.status == 0 && whole.error.hasPrefix("brought back: 1 playlist\n"), "\(whole.error)")
    }

    @Test(
        "import and restore --merge that fail, or that a signal ends, report the parts before",
        arguments: ["import", "restore"])
    func imports(verb: String) throws {
        home.add("Blue Bossa", "Autumn")
        #expect(home.run("playlist", "create", "Monday").status == 0)
        #expect(home.run("library", verb == "import" ? "export" : "backup", "copy.json").status == 0)
        let words = ["library", verb, home.folder["copy.json"]] + (verb == "import" ? [] : ["--merge"])
        #expect(other.run("playlist", "create", "Other").status == 0)
        try fail("BEFORE INSERT ON playlist", in: other)
        let failed = other.run(words)
        #expect(
            failed.status == 74 && failed.error.hasPrefix("merged so far: 2 recordings new\nwoodshed: "),
            "\(failed.error)")
        try failNoLonger(other)

        let third = LibraryHome()
        #expect(third.run("playlist", "create", "Other").status == 0)
        try hang("BEFORE INSERT ON playlist", in: third)
        let ended = third.run(words + ["--json"]) { running in
            #expect(eventually { third.titles("--missing").count == 2 })
            waitUntilHanging(third)
            interrupt(running, isHurried: true)
        }
        #expect(ended.status == 130 && ended.events == ["library.merged"], "\(ended.error)")
        #expect(ended.json.first?["unfinished"] as? Bool == true && ended.json.first?.number("added") == 2)
        #expect(ended.error.contains("the import was stopped after some of its parts"), "\(ended.error)")
        try change(third, "DROP TRIGGER hanging")
        #expect(third.run(words).status == 0 && third.run("playlist").text.contains("Monday"))
    }

    @Test("restore --merge that fails at the notes of the takes reports all restored files")
    func failedNotes() throws {
        home.song("take.wav")
        #expect(home.run("takes", "add", "take.wav").status == 0 && home.run("takes", "note", "1", "late").status == 0)
        #expect(home.run("library", "backup", "copy").status == 0)
        #expect(other.run("playlist", "create", "Other").status == 0)
        try fail("BEFORE UPDATE OF note ON take", in: other)
        let failed = other.run("library", "restore", home.folder["copy"], "--merge")
        let part = "merged so far: the sound of 0 recordings and 1 take taken over\n"
        #expect(failed.status == 74 && failed.error.hasPrefix(part), "\(failed.error)")
        try failNoLonger(other)
        #expect(other.run("library", "restore", home.folder["copy"], "--merge").status == 0)
        #expect(other.run("takes", "--json").text.contains("late"))
    }

    @Test("add that a second signal ends reports the recordings added so far")
    func endedAdding() throws {
        home.add("Blue Bossa")
        // More than one step adds.
        writeMany(1100)
        try hang("BEFORE INSERT ON item WHEN (SELECT count(*) FROM item) > 1024", in: home)
        let run = home.run("add", "--link", "many") { running in
            #expect(eventually { home.titles().count > 1024 })
            waitUntilHanging(home)
            interrupt(running, isHurried: true)
        }
        #expect(run.status == 130 && run.error == "1024 added\nnext: woodshed practice @1\n", "\(run.error)")
        #expect(home.titles().count == 1025)
    }
    @Test("add that a second signal ends among the files of a folder reports the named files, too")
    func endedFolder() throws {
        home.add("Blue Bossa")
        home.song("first.wav", 40)
        home.song("second.wav", 41)
        writeMany(30)
        try hang("BEFORE INSERT ON item WHEN (SELECT count(*) FROM item) > 2", in: home)
        let run = home.run("add", "--link", "first.wav", "second.wav", "many") { running in
            #expect(eventually { home.titles().count == 3 })
            waitUntilHanging(home)
            interrupt(running, isHurried: true)
        }
        #expect(run.status == 130 && run.error == "2 added\nnext: woodshed practice @1\n", "\(run.error)")
    }

    @Test("a removal that fails after some pieces tells the cause although standard output takes no events")
    func fullOutput() throws {
        writeMany(405)
        #expect(home.run("add", "-q", "--link", "many").status == 0)
        let trashed = "(SELECT count(*) FROM item WHERE trashed IS NOT NULL)"
        try fail("BEFORE UPDATE OF trashed ON item WHEN NEW.trashed IS NOT NULL AND \(trashed) >= 400", in: home)
        let removed = home.shell("\"$1\" rm @1-405 --json >/dev/full")
        #expect(removed.status == 74, "\(removed.status)")
        #expect(removed.error.contains("; in the trash already: 400 of 405 recordings\n"), "\(removed.error)")
        #expect(removed.errorLines.last == "Free some room. Restore this part with: woodshed rm --undo")
    }
}
