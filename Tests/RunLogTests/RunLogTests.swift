// The log: words, lines, and a file that several processes write to.
import Glibc
import TestSupport
import Testing

@testable import RunLog

@Suite("Run log")
final class RunLogTests {
    private let folder = "/tmp/woodshed-log-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

    init() { unsafe mkdir(folder, 0o700) }

    deinit {
        for name in ["a.log", "b.log", "song.mp3", "c.log", "c.log.1", "d.log", "d.log.1"] {
            unsafe unlink(folder + "/" + name)
        }
        unsafe rmdir(folder)
    }

    private func text(_ path: String) -> String {
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    @Test("a log word without an area sets all areas, and a later word wins")
    func words() throws {
        let levels = try LogLevels(parsing: "info,sql:trace,net:off")
        #expect(levels[.audio] == .info && levels[.sql] == .trace && levels[.net] == .off)
        #expect(try LogLevels(parsing: "debug").text == "debug")
        #expect(try LogLevels(parsing: levels.text) == levels)
        #expect(LogLevels().isOff)
    }

    @Test(
        "an unknown log word is refused with the list of known words",
        arguments: ["loud", "sql:loud", "tv:info", "", "sql:", "a,,b"])
    func unknown(_ words: String) {
        #expect(throws: LogLevels.Fault.self) { try LogLevels(parsing: words) }
    }

    @Test("a log line has its time in UTC, level, area, process and a text without control characters")
    func line() throws {
        let file = try LogFile(folder + "/a.log") { $0.filter { $0 != "\n" } }
        let line = file.line(.sql, .trace, "one\ntwo", seconds: 1_772_366_400, milliseconds: 7, process: 42)
        #expect(line == "2026-03-01T12:00:00.007Z trace sql 42 onetwo\n")
    }

    @Test("a log file is the user's alone, and no other file is written to")
    func places() throws {
        var file = try LogFile(folder + "/b.log") { $0 }
        file.write(.audio, .info, "first")
        var status = stat()
        #expect(unsafe stat(folder + "/b.log", &status) == 0 && status.st_mode & 0o777 == 0o600)
        _ = try LogFile(folder + "/b.log") { $0 }
        let other = unsafe fopen(folder + "/song.mp3", "w")
        unsafe fputs("ID3 and more than that\n", other)
        unsafe fclose(other)
        #expect(throws: LogFile.Fault.self) { try LogFile(folder + "/song.mp3") { $0 } }
        #expect(throws: LogFile.Fault.self) { try LogFile(folder) { $0 } }
        #expect(text(folder + "/song.mp3") == "ID3 and more than that\n")
    }

    @Test("a full log file begins anew, and other programs that write to it follow")
    func rotation() throws {
        let path = folder + "/c.log"
        var one = try LogFile(path, limit: 400) { $0 }
        var two = try LogFile(path, limit: 400) { $0 }
        for number in 0..<12 {
            one.write(.audio, .info, "one \(number)")
            two.write(.audio, .info, "two \(number)")
        }
        let (now, before) = (text(path), text(path + ".1"))
        #expect(now.utf8.count <= 460 && before.utf8.count <= 460 && !before.isEmpty)
        #expect(now.contains("one 11") && now.contains("two 11"))
    }

    @Test("a full log file gives up its lock, even while a program being started has copies of all descriptors")
    func releasedLock() throws {
        let path = folder + "/d.log"
        var file = try LogFile(path, limit: 100) { $0 }
        file.write(.audio, .info, String(repeating: "x", count: 100))
        let copies = DescriptorCopies(ofPathsEndingIn: path)
        #expect(copies.count == 1)
        file.write(.audio, .info, "next")
        #expect(text(path).contains("next"))
        let former = unsafe open(path + ".1", O_RDWR | O_CLOEXEC)
        defer { close(former) }
        #expect(flock(former, LOCK_EX | LOCK_NB) == 0)
        withExtendedLifetime(copies) {}
    }
}
