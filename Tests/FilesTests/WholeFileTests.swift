import Foundation
import TestSupport
import Testing

@testable import Files

/// The system's calls, recorded by name. A chosen call fails with a code.
private final class Calls: FileCalls, @unchecked Sendable {
    let failing: String
    let code: Int32
    private(set) var made: [String] = []
    private let system = SystemFileCalls()

    init(failing: String = "", code: Int32 = EIO) { (self.failing, self.code) = (failing, code) }

    private func call(_ name: String, _ body: () -> Int) -> Int {
        made.append(name)
        return name == failing ? -Int(code) : body()
    }

    func createUnnamed(in folder: String) -> Int { call("createUnnamed") { system.createUnnamed(in: folder) } }
    func create(_ path: String) -> Int { call("create") { system.create(path) } }
    func name(_ descriptor: Int32, _ path: String) -> Int { call("name") { system.name(descriptor, path) } }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        call("write") { unsafe system.write(descriptor, bytes, at: offset) }
    }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        call("setLength") { system.setLength(descriptor, byteCount) }
    }
    func synchroniseData(_ descriptor: Int32) -> Int { call("synchroniseData") { system.synchroniseData(descriptor) } }
    func synchronise(_ descriptor: Int32) -> Int { call("synchronise") { system.synchronise(descriptor) } }
    func synchroniseFolder(_ folder: String) -> Int { call("synchroniseFolder") { system.synchroniseFolder(folder) } }
    func remove(_ path: String) -> Int { call("remove") { system.remove(path) } }
    func rename(_ path: String, to other: String) -> Int { call("rename") { system.rename(path, to: other) } }
    func close(_ descriptor: Int32) -> Int {
        let result = system.close(descriptor)
        return call("close") { result }
    }
    func freeBytes(_ descriptor: Int32) -> Int { call("freeBytes") { system.freeBytes(descriptor) } }
}

@Suite("Files that appear only when complete")
final class WholeFileTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "woodshed-whole-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] }

    private func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    private func write(_ text: String, to name: String, calls: any FileCalls = SystemFileCalls()) throws {
        let file = try WholeFile("\(folder)/\(name)", calls: calls)
        try file.append(Array(text.utf8))
        try file.commit()
    }

    @Test("a file is synchronised and closed before it gets its name, and the name is synchronised last")
    func order() throws {
        let calls = Calls()
        try write("new", to: "a", calls: calls)
        #expect(calls.made == ["synchronise", "close", "rename", "synchroniseFolder"] && text("a") == "new")
    }

    @Test("a file below a folder whose name is not UTF-8 is replaced")
    func foreignFolder() throws {
        let name = (Array("\(folder)/M".utf8) + [0xFC, 0]).map { CChar(bitPattern: $0) }
        #expect(unsafe mkdir(name, 0o700) == 0)
        #expect(unsafe symlink(name, folder + "/link") == 0)
        defer {
            unsafe unlink(folder + "/link/a")
            unsafe rmdir(name)
        }
        try write("old", to: "link/a")
        try write("new", to: "link/a")
        #expect(text("link/a") == "new")
        // A link to the file itself is not replaced.
        #expect(unsafe symlink(folder + "/link/a", folder + "/last") == 0)
        #expect(throws: FileFault.self) { try write("newest", to: "last") }
        #expect(text("link/a") == "new" && text("last") == "new")
    }

    @Test(
        "whatever call fails, the older file stays, no other file is left, and the cause is reported",
        arguments: ["synchronise", "close", "rename"])
    func failures(call: String) throws {
        try write("old", to: "a")
        let fault = #expect(throws: FileFault.self) {
            try write("new", to: "a", calls: Calls(failing: call, code: ENOSPC))
        }
        #expect(fault?.code == ENOSPC && text("a") == "old" && names == ["a"])
        // Neither a file system without synchronisation nor an unsynchronised folder name is a reason to fail.
        try write("newer", to: "a", calls: Calls(failing: "synchronise", code: EINVAL))
        try write("newest", to: "a", calls: Calls(failing: "synchroniseFolder"))
        #expect(text("a") == "newest" && names == ["a"])
    }

    @Test("a whole file may have the longest possible name, and lie in any folder")
    func longNames() throws {
        for length in [244, 255] {
            let name = String(repeating: "n", count: length)
            try write("first", to: name)
            try write("second", to: name)
            #expect(text(name) == "second")
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        let name = String(repeating: "é", count: 127)
        try write("accents", to: name)
        #expect(names.count == 1 && text(name) == "accents")
        let fault = #expect(throws: FileFault.self) { try write("too long", to: String(repeating: "n", count: 256)) }
        #expect(fault?.code == ENAMETOOLONG && names.count == 1)
        #expect(
            FilePlace.folder(of: "/a") == "/" && FilePlace.folder(of: "a") == "."
                && FilePlace.folder(of: "/a/b") == "/a")
        #expect(try !FilePlace("woodshed-no-such-name").temporaryPath().contains("/"))
        #expect(try FilePlace("/woodshed-no-such-name").temporaryPath().hasPrefix("/.woodshed-"))
        // In Swift, a combining mark at the beginning of a name and the slash before the mark form a single character.
        #expect(try FilePlace("nowhere/\u{301}a").temporaryPath().hasPrefix("nowhere/.woodshed-"))
        #expect(fileName("/a/\u{301}b") == "\u{301}b" && fileName("a/b/") == "b" && fileName("//") == "//")
    }

    @Test("a link stays a link, and a file keeps its permissions")
    func replacing() throws {
        try write("old", to: "target")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder + "/target")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "target")
        try write("new", to: "link")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/target")
        #expect(attributes[.posixPermissions] as? Int == 0o640 && text("target") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link") == "target")
        #expect(names == ["link", "target"])
    }

    @Test("a file that is not committed, and one that may replace none, leave the existing file")
    func unfinished() throws {
        try write("old", to: "a")
        do {
            let file = try WholeFile(folder + "/a")
            try file.append(Array("part".utf8))
            #expect(names.count == 2)
        }
        #expect(names == ["a"] && text("a") == "old")
        let file = try WholeFile(folder + "/a")
        let fault = #expect(throws: FileFault.self) { try file.commit(replaces: false) }
        #expect(fault?.code == EEXIST && names == ["a"] && text("a") == "old")
        let other = try WholeFile(folder + "/b")
        try other.commit(replaces: false)
        #expect(names == ["a", "b"])
    }

    @Test("a whole file at a folder, without a name or with a zero byte in its name is refused")
    func refusals() {
        for (path, code) in [(folder, EISDIR), (folder + "/no/", EISDIR), ("", ENOENT), ("a\0b", ENOENT)] {
            let fault = #expect(throws: FileFault.self) { try WholeFile(path) }
            #expect(fault == FileFault(code: code, isCreating: true))
        }
    }

    @Test("a file without a name is made even where the file system has no such files, and leaves none")
    func unnamed() throws {
        for calls in [
            Calls(), Calls(failing: "createUnnamed", code: EOPNOTSUPP), Calls(failing: "createUnnamed", code: EISDIR),
        ] {
            let descriptor = try UnnamedFile.open(in: folder, calls: calls)
            defer { close(descriptor) }
            #expect(unsafe Glibc.write(descriptor, "ab", 2) == 2 && names.isEmpty)
        }
        let fault = #expect(throws: FileFault.self) { _ = try UnnamedFile.open(in: folder + "/no") }
        #expect(fault?.code == ENOENT)
    }
}
