// The library under faults: no network, no space, no rights, another version's store, names of every kind.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The library under faults", .serialized)
struct LibrarySafetyTests {
    private let home = LibraryHome()

    /// Whether a program may have a network namespace of its own, which contains no other program.
    static let hasNamespaces = Command.tool("unshare", ["-n", "true"])
    /// Whether the test can make a small disk.
    static let hasDisks = Command.tool("unshare", ["-m", "sh", "-c", "mount -t tmpfs -o size=1m none /mnt"])

    @Test(
        "every verb but get works without a network, and get reports the cause",
        .enabled("no network namespace can be made here") { hasNamespaces })
    func offline() {
        home.song("a.wav", 1)
        for line in [
            "add a.wav", "list", "recent", "edit @1 --tag x", "play @1 --output null --clock virtual",
            "practice @1 --section 0-0.5 -n 1 --output null --clock virtual", "render @1 -o out.wav", "sections @1",
            "takes",
            "playlist create A", "playlist add A @1", "storage", "clean --dry-run", "library check", "stats", "rm @1",
            "rm --undo",
        ] {
            let run = home.shell("unshare -n \"$1\" \(line)")
            #expect(run.status == 0, "\(line): \(run.error)")
        }
        let get = home.shell("unshare -n \"$1\" get -q --retry 0 http://192.0.2.1/a.wav")
        #expect(get.status == 69 && get.errorLines.count == 2, "\(get.error)")
        #expect(home.shell("unshare -n \"$1\" get -q --retry 0 http://example.org/a.wav").status == 69)
    }

    @Test("every verb ends with standard input closed, and asks nothing")
    func closedInput() {
        home.add("song one", "song two")
        for (line, statuses) in [
            ("get", [0]), ("get -", [0]), ("add new.wav", [66]), ("list", [0]), ("recent", [0]),
            ("edit song --tag x", [66]),
            ("rm song", [66]), ("play song --output null", [66]), ("playlist", [0]), ("storage", [0]),
            ("clean", [0, 64]),
            ("rm --empty", [0]), ("rm @1", [0]), ("rm --empty", [64]), ("library check", [0]),
        ] as [(String, [Int32])] {
            let run = home.shell("\"$1\" \(line) <&-")
            #expect(statuses.contains(run.status), "\(line): \(run.status) \(run.error)")
        }
    }

    @Test("a reader that closes the pipe is no error for the library's verbs")
    func closedPipe() {
        home.add("one", "two", "three")
        for line in ["list", "list --json", "recent", "playlist", "get --list", "storage"] {
            let run = home.shell("\"$1\" \(line) -q | head -c 1 >/dev/null")
            #expect(run.status == 0 && run.error.isEmpty, "\(line): \(run.error)")
        }
    }

    @Test("add takes names of every kind: decomposed, of 250 bytes, with control characters, with a dash")
    func names() {
        let long = String(repeating: "ü", count: 125) + ".wav"
        let names = [
            "caf\u{E9}.wav", "cafe\u{301}.wav", long, "a\u{1B}[31mb\nc.wav", "-n.wav", "@1", "two  spaces .wav",
            "日本語.WAV",
        ]
        for (number, name) in names.enumerated() {
            home.song(name, number + 1)
            let run = home.run("add", "./" + name, "--json")
            #expect(run.status == 0 && run.json.first?.text("original") != nil, "\(name): \(run.error)")
        }
        #expect(home.files.count == names.count && home.titles("caf\u{E9}").count == 2)
        let list = home.run("list")
        #expect(list.lines.count == names.count && !list.text.contains("\u{1B}") && list.text.contains("日本語"))
        // A file takes precedence over a place of the library.
        #expect(home.run("info", "./@1", "--json").json[0].text("path")?.hasSuffix("@1") == true)
        let tooLong = home.run("add", String(repeating: "n", count: 300) + ".wav")
        #expect([65, 66].contains(tooLong.status) && tooLong.errorLines.count == 2, "\(tooLong.error)")
        let title = String(repeating: "t", count: 300)
        #expect(home.run("edit", "@1", "--title", title).status == 0 && home.titles().contains(title))
        #expect(home.run("edit", "@1", "--title", String(repeating: "t", count: 100_000)).status == 64)
    }

    @Test("add to a folder that may not be written is refused, nothing is lost, and reading goes on")
    func readOnly() {
        home.add("one")
        home.song("two.wav", 5)
        for name in ["data/woodshed/library/parts", "data/woodshed/library", "data/woodshed"] {
            _ = unsafe chmod(home.folder[name], 0o555)
        }
        defer {
            for name in ["data/woodshed", "data/woodshed/library", "data/woodshed/library/parts"] {
                _ = unsafe chmod(home.folder[name], 0o755)
            }
        }
        // Root may write everywhere, unless deprived of this capability.
        let asUser = geteuid() == 0 ? "setpriv --bounding-set -dac_override,-dac_read_search " : ""
        let add = home.shell(asUser + "\"$1\" add two.wav")
        #expect([73, 77].contains(add.status) && add.errorLines.count <= 2, "\(add.status): \(add.error)")
        #expect(home.shell(asUser + "\"$1\" list").status == 0 && home.titles() == ["one"] && home.files.count == 1)
        #expect(home.shell(asUser + "\"$1\" play @1 --output null --clock virtual").status == 0)
        let get = home.shell(asUser + "\"$1\" get -q \(SongServer.path("/songs/a.wav?frames=8000"))")
        #expect([73, 77].contains(get.status), "\(get.status): \(get.error)")
    }

    @Test(
        "a full disk is reported, leaves no half recording, and gets room again by removals",
        .enabled("no small disk can be made here") { hasDisks })
    func fullDisk() {
        _ = unsafe mkdir(home.folder["data"], 0o755)
        home.song("large.wav", 1, frames: 400_000)
        home.song("small.wav", 2)
        let large = SongServer.path("/songs/b.wav?frames=450000")
        let run = home.shell(
            """
            unshare -m sh -c '
            mount -t tmpfs -o size=1m none "$2/data" || exit 99
            "$1" add small.wav; echo "small $?" >&2
            "$1" add large.wav; echo "large $?" >&2
            "$1" get -q --retry 0 "\(large)"; echo "get $?" >&2
            "$1" list --json; echo "list $?" >&2
            "$1" library check --json; "$1" rm @1; "$1" rm --empty --yes; echo "rm $?" >&2
            find "$2/data" -name "*.wav" -size +300k' sh "$1" "$2"
            """)
        #expect(
            run.error.contains("small 0") && run.error.contains("list 0") && run.error.contains("rm 0"), "\(run.error)")
        #expect(run.error.contains("large 0") || run.error.contains("large 74"), "\(run.error)")
        #expect(run.error.contains("get 74"), "\(run.error)")
        for item in run.json where item["missing"] is Bool { #expect(item["missing"] as? Bool == false) }
        #expect(run.json.last?["orphans"] as? [String] == [], "\(run.text)")
    }

    /// Runs a command under a kernel filter that makes flock() fail: 73 and 32 are the call's numbers, 0x5… is the
    /// error, 0x7FFF0000 permits.
    private static let refusal = """
        import ctypes, os, platform, struct, sys
        numbers = {"flock": {"x86_64": 73, "aarch64": 32}, "link": {"x86_64": 86, "aarch64": 37}}
        number = numbers[os.environ.get("REFUSED", "flock")][platform.machine()]
        class Program(ctypes.Structure):
            _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_void_p)]
        steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | int(sys.argv[1])), (6, 0, 0, 0x7FFF0000)]
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
        program = Program(len(steps), ctypes.cast(code, ctypes.c_void_p))
        prctl = ctypes.CDLL(None).prctl
        if prctl(38, 1, 0, 0, 0) != 0 or prctl(22, 2, ctypes.byref(program)) != 0: sys.exit(99)
        os.execv(sys.argv[2], sys.argv[2:])
        """
    /// Whether Python is installed and may set such a filter.
    static let hasFilters = Command.tool("python3", ["-c", refusal, String(ENOLCK), "/bin/sh", "-c", "true"])

    @Test(
        "a file system without locks is used without locks, and the log says so once",
        .enabled("no call of the system can be made to fail here") { hasFilters },
        arguments: [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL])
    func withoutLocks(_ code: Int32) throws {
        home.folder.write("refuse.py", Array(Self.refusal.utf8))
        home.song("a.wav", 1)
        home.song("b.wav", 2)
        let feed = try SongServer.shared().address("/feed?id=\(SongServer.newName())&title=feed")
        let song = SongServer.path("/songs/c.wav?frames=8000")
        for (index, words) in [
            "add a.wav", "get -q '\(song)'", "library subscribe '\(feed)'", "library backup backup",
            "config set speed 80%",
            "library check", "rm @1", "play b.wav --output null --clock virtual",
        ].enumerated() {
            let log = "\(index).log"
            let run = home.shell(
                "python3 refuse.py \(code) \"$1\" \(words)",
                with: ["WOODSHED_LOG": "session:warning", "WOODSHED_LOG_FILE": home.folder[log]])
            #expect(run.status == 0, "\(words): \(run.error)")
            let notes = String(decoding: home.folder.read(log), as: UTF8.self).split(separator: "\n")
            let isLocking = index < 5
            #expect(
                notes.count { $0.contains("has no locks") } == (isLocking ? 1 : min(1, notes.count)),
                "\(words): \(notes)")
        }
        #expect(home.titles().count == 1 && home.parts.isEmpty)
    }

    @Test(
        "a damaged store is repaired and kept as a copy where files cannot have second names",
        .enabled("no call of the system can be made to fail here") { hasFilters }, arguments: [EPERM, EOPNOTSUPP])
    func withoutLinks(_ code: Int32) {
        home.add("one")
        home.folder.write("refuse.py", Array(Self.refusal.utf8))
        let damaged = Array("This is no store at all.".utf8)
        home.folder.write("data/woodshed/practice.db", damaged)
        let run = home.shell("REFUSED=link python3 refuse.py \(code) \"$1\" list")
        #expect(run.status == 0 && run.error.contains("practice.db.damaged"), "\(run.error)")
        #expect(Array(home.folder.read("data/woodshed/practice.db.damaged")) == damaged)
        #expect(home.run("library", "check", "--fix").status == 0 && home.titles().count == 1)
    }

    @Test(
        "a second get of an address without locks names the fetching program, and the first completes",
        .enabled("no call of the system can be made to fail here") { hasFilters })
    func twoFetchesWithoutLocks() throws {
        home.folder.write("refuse.py", Array(Self.refusal.utf8))
        let (server, name) = (try SongServer.shared(), SongServer.newName())
        let address = server.address("/songs/a.wav?frames=40000&hold=40000&gate=\(name)&id=\(name)")
        let get = "python3 refuse.py \(ENOLCK) \"$1\" get -q '\(address)'"
        let first = home.shell("exec " + get) { _ in
            #expect(eventually { home.json("get", "--list").first?.number("bytes").map { $0 >= 40_000 } ?? false })
            let second = home.shell(get)
            #expect(second.status == 75 && second.error.contains("is fetching it already"), "\(second.error)")
            #expect(home.json("get", "--list").first?.text("state") == "waiting")
            server.release(name)
        }
        #expect(first.status == 0 && home.titles() == ["a"] && home.parts.isEmpty, "\(first.error) \(home.parts)")
        #expect(server.isAskedOnce(name))
    }

    @Test(
        "recordings are removed and the trash is emptied on a full disk, and the reserve is renewed",
        .enabled("no small disk can be made here") { hasDisks })
    func removingOnFullDisk() {
        _ = unsafe mkdir(home.folder["data"], 0o755)
        for number in 1...3 { home.song("\(number).wav", number, frames: 200_000) }
        let run = home.shell(
            """
            unshare -m sh -c '
            mount -t tmpfs -o size=32m none "$2/data" || exit 99
            "$1" add 1.wav 2.wav 3.wav; echo "add $?" >&2
            cat /dev/zero > "$2/data/full"
            "$1" edit @1 --tag x; echo "edit $?" >&2
            "$1" rm @1-2; echo "rm $?" >&2
            cat /dev/zero > "$2/data/fuller"
            "$1" rm --empty --yes; echo "empty $?" >&2
            "$1" list --json
            rm "$2/data/full" "$2/data/fuller"
            "$1" edit @1 --tag x; echo "edited $?" >&2
            stat -c "reserve %b %B %n" "$2"/data/woodshed/*.reserve >&2' sh "$1" "$2"
            """)
        #expect(run.error.contains("add 0") && run.error.contains("edit 74"), "\(run.error)")
        #expect(
            run.error.contains("rm 0") && run.error.contains("empty 0") && run.error.contains("edited 0"),
            "\(run.error)")
        #expect(run.error.contains("reserve 2048 512"), "\(run.error)")
        #expect(run.json.count == 1)
    }

    @Test(
        "a download is cancelled on a full disk, and without a reserve the cache gives way",
        .enabled("no small disk can be made here") { hasDisks }, arguments: [32, 12])
    func cancellingOnFullDisk(megabytes: Int) {
        _ = unsafe mkdir(home.folder["data"], 0o755)
        home.song("1.wav", 1, frames: 200_000)
        // On the smaller disk no space is reserved.
        let run = home.shell(
            """
            unshare -m sh -c '
            mount -t tmpfs -o size=\(megabytes)m none "$2/data" || exit 99
            export XDG_CACHE_HOME="$2/data/cache"
            "$1" add 1.wav; echo "add $?" >&2
            "$1" get --later http://127.0.0.1:9/a.mp3; echo "later $?" >&2
            mkdir -p "$2/data/cache/woodshed"
            head -c 2000000 /dev/zero > "$2/data/cache/woodshed/old"
            ls "$2"/data/woodshed/*.reserve >&2
            cat /dev/zero > "$2/data/full"
            "$1" edit @1 --tag x; echo "edit $?" >&2
            "$1" get --cancel 1 --discard; echo "cancel $?" >&2
            "$1" get --list --json
            test -e "$2/data/cache/woodshed/old"; echo "kept $?" >&2' sh "$1" "$2"
            """)
        #expect(run.error.contains("add 0") && run.error.contains("later 0"), "\(run.error)")
        #expect(run.error.contains("edit 74") && run.error.contains("cancel 0"), "\(run.error)")
        #expect(run.error.contains("kept \(megabytes == 32 ? 0 : 1)") && run.json.isEmpty, "\(run.error)")
    }

    @Test("a store of a newer version is left unchanged with 65; a damaged store is kept and replaced")
    func stores() {
        home.add("one")
        #expect(
            Command.tool(
                "sqlite3",
                [home.folder["data/woodshed/practice.db"], "PRAGMA user_version=99; PRAGMA wal_checkpoint(TRUNCATE);"]))
        let before = home.folder.read("data/woodshed/practice.db")
        for words in [
            ["list"], ["add", "new.wav"], ["recent"], ["playlist"], ["get", "--list"], ["storage"], ["rm", "@1"],
        ] {
            home.song("new.wav", 3)
            let run = home.run(words)
            #expect(run.status == 65 && run.error.contains("newer version"), "\(words): \(run.status) \(run.error)")
        }
        #expect(home.folder.read("data/woodshed/practice.db") == before && home.files.count == 1)
        home.folder.write("data/woodshed/practice.db", Array("This is no store at all.".utf8))
        let list = home.run("list")
        #expect(
            list.status == 0 && list.errorLines.count >= 2 && list.error.contains("practice.db.damaged"),
            "\(list.error)")
        #expect(home.folder.names(in: "data/woodshed").contains("practice.db.damaged"))
        // The files are still there, and the command finds them.
        #expect(
            home.run("library", "check").text.contains("orphan") && home.run("library", "check", "--fix").status == 0)
        #expect(home.titles().count == 1)
    }

    @Test("an empty library whose folder has recordings names the command that brings them back", arguments: [0, 1])
    func lostStore(byteCount: Int) {
        home.add("one")
        home.folder.write("data/woodshed/practice.db", [UInt8](repeating: 0, count: byteCount))
        for words in [["list"], ["recent"]] {
            let run = home.run(words)
            #expect(run.status == 0 && run.error.contains("woodshed library check --fix"), "\(run.error)")
        }
        #expect(home.run("library", "check", "--fix").status == 0 && home.titles().count == 1)
        home.run("rm", "@1")
        #expect(home.run("list").error.contains("next: woodshed add FILE"))
    }

    @Test(
        "a recording added with the clock set back is still the newest",
        .enabled("no time namespace or faketime is here") { Command.tool("faketime", ["2001-01-01", "true"]) },
        .disabled(if: Sanitizers.watchThreads, "faketime puts functions of its own before those of the sanitizer"))
    func clock() {
        home.add("one")
        home.song("b.wav", 7)
        let run = home.shell("faketime '2001-01-01' \"$1\" add b.wav")
        #expect(run.status == 0 && home.titles().count == 2, "\(run.error)")
        #expect(
            home.run("list").status == 0 && home.run("rm", "@1").status == 0 && home.run("rm", "--undo").status == 0)
    }

    @Test("many programs at once add the same recordings, and each recording is there once")
    func together() {
        for number in 0..<6 { home.song("s\(number).wav", number + 1) }
        let run = home.shell(
            "for i in 1 2 3 4 5 6; do \"$1\" add -q s*.wav & done; for i in 1 2 3 4 5 6; do wait -n || exit 1; done"
                .replacing("wait -n", with: "wait"))
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        #expect(home.titles("--sort", "title") == (0..<6).map { "s\($0)" } && home.files.count == 6)
        #expect(home.parts.isEmpty && home.run("library", "check").status == 0)
    }

    @Test("a folder of many recordings is added by one command, and a second add changes nothing")
    func bulk() {
        let count = cases(2000, few: 200)
        _ = unsafe mkdir(home.folder["many"], 0o755)
        for number in 0..<count { home.song("many/s\(number).wav", number, frames: 800) }
        let added = home.run("add", "--link", "many")
        #expect(added.status == 0 && added.errorLines.first == "\(count) added", "\(added.error)")
        let again = home.run("add", "--link", "many")
        #expect(again.status == 0 && again.error.contains("\(count) already there"), "\(again.error)")
        #expect(home.titles().count == count)
    }

    @Test("Ctrl-C while a folder is added keeps the recordings added so far")
    func interrupted() {
        let count = cases(3000, few: 600)
        _ = unsafe mkdir(home.folder["many"], 0o755)
        for number in 0..<count { home.song("many/s\(number).wav", number, frames: 400) }
        let run = home.run("add", "--json", "many") { running in
            #expect(running.wait(for: "library.added"))
            running.send(SIGINT)
        }
        #expect(run.status == 130 || run.status == 0, "\(run.status)")
        #expect(home.titles().count == home.files.count && home.run("add", "many").status == 0)
        #expect(home.titles().count == count && home.run("library", "check").status == 0)
    }
}
