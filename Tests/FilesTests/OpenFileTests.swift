import Foundation
import TestSupport
import Testing

@testable import Files

/// A disk that takes a part of each write only, and is full from a given byte on.
private struct SlowDisk: FileCalls {
    var largestWrite = 3
    var room = Int64.max
    var knowsUnnamed = true
    private let system = SystemFileCalls()

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        if offset >= room { return -Int(ENOSPC) }
        let count = min(bytes.count, largestWrite, Int(room - offset))
        return unsafe system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }
    func createUnnamed(in folder: String) -> Int { knowsUnnamed ? system.createUnnamed(in: folder) : -Int(EOPNOTSUPP) }
    func create(_ path: String) -> Int { system.create(path) }
    func name(_ descriptor: Int32, _ path: String) -> Int { system.name(descriptor, path) }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int { system.setLength(descriptor, byteCount) }
    func synchroniseData(_ descriptor: Int32) -> Int { system.synchroniseData(descriptor) }
    func synchronise(_ descriptor: Int32) -> Int { system.synchronise(descriptor) }
    func synchroniseFolder(_ folder: String) -> Int { system.synchroniseFolder(folder) }
    func remove(_ path: String) -> Int { system.remove(path) }
    func rename(_ path: String, to other: String) -> Int { system.rename(path, to: other) }
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }
}

private enum WritingKind: WritingFailureKind {
    case permissionDenied, isDirectory, diskFull, limitExceeded, closedPipe, cannotCreate, io
}

@Suite("Open files")
final class OpenFileTests {
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "woodshed-open-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func make(_ name: String, _ text: String) -> String {
        _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data(text.utf8))
        return "\(folder)/\(name)"
    }

    private func text(of descriptor: Int32, at offset: Int64? = nil, count: Int = 100) throws -> String {
        String(decoding: try FileBytes.bytes(of: descriptor, at: offset, count: count), as: UTF8.self)
    }

    @Test("a regular file is read from any offset, and from where the last read ended")
    func reading() throws {
        let file = try unsafe RegularFile(make("a", "0123456789"))
        #expect(file.byteCount == 10)
        #expect(try text(of: file.descriptor, at: 7) == "789")
        #expect(try text(of: file.descriptor, count: 4) == "0123" && text(of: file.descriptor) == "456789")
        #expect(try text(of: file.descriptor).isEmpty && text(of: file.descriptor, at: 10).isEmpty)
    }

    @Test("a reopened file is the same file whatever has its name, with an offset of its own")
    func reopening() throws {
        let path = make("a", "old")
        let file = try unsafe RegularFile(path)
        #expect(try text(of: file.descriptor) == "old")
        _ = make("b", "new")
        #expect(unsafe rename(folder + "/b", path) == 0)
        let other = try RegularFile(reopening: file)
        #expect(try text(of: other.descriptor) == "old")
    }

    @Test("a file that is not regular is refused at once, each kind with its reason")
    func refusals() throws {
        #expect(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
        let file = make("file", "x")
        #expect(unsafe symlink(file, folder + "/link") == 0)
        for (name, follows, code) in [
            ("pipe", true, ENODEV), ("", true, EISDIR), ("none", true, ENOENT), ("file/x", true, ENOTDIR),
            ("link", false, ELOOP), ("link", true, 0), ("file", false, 0),
        ] {
            let fault = FileFault.thrown { () throws(FileFault) in
                _ = try unsafe RegularFile("\(folder)/\(name)", followsLinks: follows)
            }
            #expect(fault == (code == 0 ? nil : FileFault(code: code)), "\(name)")
        }
    }

    @Test("reading an unreadable descriptor reports an error")
    func unreadable() {
        let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect(throws: FileFault(code: EISDIR)) { try FileBytes.bytes(of: descriptor, count: 1) }
    }

    @Test("all bytes are written by as many calls as needed, and an error has the number written")
    func writing() throws {
        let descriptor = try UnnamedFile.open(in: folder)
        defer { close(descriptor) }
        try FileBytes.write(Array("0123456789".utf8), at: 0, of: descriptor, calls: SlowDisk())
        #expect(try text(of: descriptor, at: 0) == "0123456789")
        #expect(throws: FileFault(code: ENOSPC, doneBytes: 5)) {
            try FileBytes.write(Array("abcdefgh".utf8), at: 2, of: descriptor, calls: SlowDisk(room: 7))
        }
        #expect(try text(of: descriptor, at: 0) == "01abcde789")
        #expect(throws: FileFault(code: EIO)) {
            try FileBytes.write([1], at: 0, of: descriptor, calls: SlowDisk(largestWrite: 0))
        }
    }

    @Test("a new file gets its name with its beginning, replaces no file, and leaves none on failure")
    func beginning() throws {
        for knowsUnnamed in [true, false] {
            let path = "\(folder)/new-\(knowsUnnamed)"
            let full = SlowDisk(room: 4, knowsUnnamed: knowsUnnamed)
            #expect(throws: FileFault(code: ENOSPC, doneBytes: 4)) {
                _ = try NewFile.create(path, beginningWith: Array("header".utf8), calls: full)
            }
            #expect(FileIdentity(path: path) == nil)
            let calls = SlowDisk(knowsUnnamed: knowsUnnamed)
            let descriptor = try NewFile.create(path, beginningWith: Array("header".utf8), calls: calls)
            defer { close(descriptor) }
            #expect(FileIdentity(path: path)?.isSame(as: FileIdentity(descriptor: descriptor)) == true)
            #expect(try text(of: descriptor, at: 0) == "header")
            #expect(throws: FileFault(code: EEXIST, isCreating: true)) {
                _ = try NewFile.create(path, beginningWith: [], calls: calls)
            }
        }
    }

    @Test("a folder lists its names, whatever they are, and a path that is no folder gives the cause")
    func names() throws {
        let names = ["a", ".hidden", "ä ö", String(repeating: "n", count: 255)]
        for name in names { _ = make(name, "") }
        #expect(try Folder.names(in: folder).sorted() == names.sorted())
        #expect(throws: FileFault(code: ENOENT)) { try Folder.names(in: folder + "/none") }
        #expect(throws: FileFault(code: ENOTDIR)) { try Folder.names(in: folder + "/a") }
    }

    @Test("the message for a failed write has the file's name, the cause and a remedy")
    func words() {
        let expected: [(Int32, Bool, WritingKind)] = [
            (EACCES, true, .permissionDenied), (EPERM, false, .permissionDenied), (EROFS, true, .permissionDenied),
            (EISDIR, true, .isDirectory), (ENOSPC, false, .diskFull), (EDQUOT, true, .diskFull),
            (EFBIG, false, .limitExceeded), (EPIPE, false, .closedPipe), (ENOENT, true, .cannotCreate),
            (EIO, false, .io), (EMFILE, true, .io), (ENFILE, false, .io),
        ]
        for (code, isCreating, kind) in expected {
            let failure = WritingFailure<WritingKind>("song.wav", FileFault(code: code, isCreating: isCreating))
            #expect(failure.kind == kind, "\(code)")
            #expect(failure.message.hasPrefix("song.wav: ") && failure.remedy.hasSuffix("."), "\(code)")
        }
        let failure = WritingFailure<WritingKind>("no/song.wav", FileFault(code: ENOENT, isCreating: true))
        #expect(failure.message == "no/song.wav: cannot be created (No such file or directory)")
        let limited = WritingFailure<WritingKind>("song.wav", FileFault(code: EMFILE, isCreating: true))
        #expect(limited.message == "song.wav: the process may open no more files")
        #expect(limited.remedy == "Close some files, or raise the limit (ulimit -n).")
    }
}
