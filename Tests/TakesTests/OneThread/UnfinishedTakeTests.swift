import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing
import UserState

@testable import Files
@testable import Takes

@Suite("Unfinished takes")
struct UnfinishedTakeTests {
    private let scratch: Scratch
    private let registry: UnfinishedTakes
    private let format = TakeFormat(container: .wav, samples: .int24, sampleRate: 48_000, channelCount: 1)

    init() throws {
        scratch = try Scratch()
        registry = UnfinishedTakes(folder: scratch.file("state/takes"))
    }

    private var entries: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: scratch.file("state/takes"))) ?? []
    }

    /// An unfinished take of 1001 frames, checkpointed at 700.
    private func abandon(_ name: String = "take", _ container: TakeContainer = .wav, marks: [TakeMark] = []) throws {
        let take = try TakeFile(
            path: scratch.file(name), container: container, format: .int24, sampleRate: 48_000, channelCount: 1,
            registry: registry)
        #expect(take.registryWarning == nil && entries.count == 1)
        for mark in marks { try take.addMark(mark.name, atFrame: mark.frame) }
        try take.append(numbered(0..<700, channelCount: 1))
        try take.checkpoint()
        #expect(try registry.find().isEmpty, "a running take is none that is unfinished")
    }

    /// Appends more frames to a file, and half a frame, as after a death between samples and header.
    private func addTail(_ name: String, _ frames: Range<Int>) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file(name)))
        let whole = try TakeFile(
            path: scratch.file("other"), container: .caf, format: .int24, sampleRate: 48_000, channelCount: 1)
        try whole.append(numbered(frames, channelCount: 1))
        try whole.finish()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.file("other")))
        try file.seek(toOffset: UInt64(try scratch.size(name)))
        try file.write(contentsOf: bytes.suffix(frames.count * 3) + [1])
        try FileManager.default.removeItem(atPath: scratch.file("other"))
    }

    @Test("an entry whose last line a full disk cut off before a kill keeps the lines added later")
    func cutLine() throws {
        try abandon()
        let path = scratch.file("state/takes/" + (try #require(entries.first)))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("{\"safe\":".utf8))
        try file.close()
        let entry = try #require(TakeEntry(holding: path))
        entry.synchronise(safeFrameCount: 900)
        #expect(entry.description()?.safeFrameCount == 900)
    }

    @Test(
        "a take whose program died is found, and recovered with its marks and all frames on the disk",
        arguments: TakeContainer.allCases)
    func recovery(container: TakeContainer) throws {
        let marks = [
            TakeMark(name: "second é\n\"", frame: 800), TakeMark(name: "", frame: 5),
            TakeMark(name: "behind all", frame: 1002),
        ]
        try abandon("take", container, marks: marks)
        try addTail("take", 700..<1001)
        let found = try #require(try registry.find().first)
        #expect(found.path.hasSuffix("/take") && found.marks == marks && found.frameCount == 1001)
        #expect(found.container == container && found.sampleFormat == .int24 && found.sampleRate == 48_000)
        #expect(abs(found.startTime - Int64(Date().timeIntervalSince1970)) < 100)
        #expect(try found.recover() == 1001)
        #expect(try decode(scratch.file("take")) == numbered(0..<1001, channelCount: 1))
        #expect(try run("soxi", "-s", scratch.file("take")) == "1001\n")
        #expect(try TakeFileMarks.read(scratch.file("take")) == [marks[1], marks[0]])
        #expect(try registry.find().isEmpty && entries.isEmpty)
        let again = #expect(throws: AudioFileError.self) { try found.recover() }
        #expect(again?.kind == .inUse)
    }

    @Test("a finished or discarded take is not found, and a take removed from the registry stays as it was")
    func endings() throws {
        for isKept in [true, false] {
            let take = try TakeFile(
                path: scratch.file("a"), container: .wav, format: .int16, sampleRate: 8000, channelCount: 1,
                registry: registry)
            try take.append(numbered(0..<10, channelCount: 1))
            try take.addMark("m", atFrame: 3)
            if isKept { try take.finish() } else { try take.discard() }
            #expect(entries.isEmpty)
            try? FileManager.default.removeItem(atPath: scratch.file("a"))
        }
        try abandon()
        let bytes = FileManager.default.contents(atPath: scratch.file("take"))
        try #require(try registry.find().first).forget()
        #expect(entries.isEmpty && FileManager.default.contents(atPath: scratch.file("take")) == bytes)
    }

    @Test(
        "moved, deleted or changed takes stay untouched, and leave the registry only on the user's request"
    )
    func gone() throws {
        let changes: [(String) throws -> Void] = [
            { try FileManager.default.removeItem(atPath: $0) },
            { try FileManager.default.moveItem(atPath: $0, toPath: $0 + "-elsewhere") },
            {
                try FileManager.default.removeItem(atPath: $0)
                try writeWave($0, numbered(0..<50, channelCount: 1))
            },
            { try Data([1, 2, 3]).write(to: URL(fileURLWithPath: $0)) },
            // Another take of the same kind, whose number may be the same again.
            {
                try FileManager.default.removeItem(atPath: $0)
                let take = try TakeFile(
                    path: $0, container: .wav, format: .int24, sampleRate: 48_000, channelCount: 1)
                try take.append(numbered(0..<10, channelCount: 1))
                try take.checkpoint()
            },
            // The same file, with another content.
            {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: $0))
                try file.write(contentsOf: Data("RIFF and something else".utf8))
            },
        ]
        for (number, change) in changes.enumerated() {
            try abandon("take\(number)")
            let found = try #require(try registry.find().first)
            try change(found.path)
            let bytes = FileManager.default.contents(atPath: found.path)
            if number == 5 { #expect(throws: AudioFileError.self) { try found.recover() } }
            #expect(try registry.find().isEmpty && entries.count == 1)
            #expect(FileManager.default.contents(atPath: found.path) == bytes)
            let lost = try registry.findUnreachable()
            try #require(lost.map(\.path) == [found.path])
            #expect(lost[0].reason.kind == (bytes == nil ? .notFound : .changed))
            try lost[0].forget()
            #expect(try registry.findUnreachable().isEmpty && entries.isEmpty)
        }
    }

    @Test("a take on a disconnected disk keeps its marks, and is recovered when the disk is back")
    func disconnected() throws {
        let disk = scratch.file("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let marks = [TakeMark(name: "solo", frame: 300)]
        try abandon("disk/take", marks: marks)
        // Without the disk, the folder in which it was mounted is empty; or the folder is gone as well.
        for isThere in [true, false] {
            try FileManager.default.moveItem(atPath: disk, toPath: scratch.file("elsewhere"))
            if isThere { try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true) }
            #expect(try registry.find().isEmpty && entries.count == 1)
            let lost = try registry.findUnreachable()
            #expect(lost.count == 1 && lost[0].marks == marks && lost[0].reason.kind == .notFound)
            if isThere { try FileManager.default.removeItem(atPath: disk) }
            try FileManager.default.moveItem(atPath: scratch.file("elsewhere"), toPath: disk)
        }
        #expect(try registry.findUnreachable().isEmpty)
        #expect(try #require(try registry.find().first).recover() == 700)
        #expect(try TakeFileMarks.read(disk + "/take") == marks && entries.isEmpty)
    }

    @Test("a take is recognised on a disk that gives its files other numbers at each mount")
    func otherNumbers() throws {
        try abandon()
        let entry = scratch.file("state/takes/" + (try #require(entries.first)))
        let text = String(decoding: try #require(FileManager.default.contents(atPath: entry)), as: UTF8.self)
        let identity = try #require(FileIdentity(path: scratch.file("take")))
        let other = text.replacing("\"inode\":\(identity.inode)", with: "\"inode\":\(identity.inode + 1)")
            .replacing("\"device\":\(identity.device)", with: "\"device\":\(identity.device + 1)")
        #expect(other != text)
        try Data(other.utf8).write(to: URL(fileURLWithPath: entry))
        #expect(try registry.find().count == (identity.birth == 0 ? 0 : 1))
        // FAT reports a time of birth, but the time moves with the time zone.
        func file(_ inode: UInt64, _ birth: Int64, _ numbersLast: Bool) -> FileIdentity {
            FileIdentity(device: 1, inode: inode, birth: birth, numbersLast: numbersLast)
        }
        #expect(file(7, 3600, false).mayBe(file(6, 1, false)) && file(7, 0, false).mayBe(file(6, 0, false)))
        #expect(!file(7, 3600, true).mayBe(file(6, 1, true)) && !file(7, 0, true).mayBe(file(6, 0, true)))
        #expect(file(7, 5, true).mayBe(file(6, 5, true)) && !file(7, 5, true).isSame(as: file(6, 5, true)))
    }

    @Test("a header that a power cut left longer than its samples, or without samples, is corrected")
    func powerCut() throws {
        for isEmpty in [false, true] {
            let name = "cut\(isEmpty)"
            try abandon(name)
            let size = try scratch.size(name)
            #expect(unsafe truncate(scratch.file(name), size - 1000) == 0)
            if isEmpty {
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file(name)))
                try file.write(contentsOf: Data(count: format.headerBytes))
            }
            let frames = Int(format.frameCount(fileBytes: Int64(size - 1000)))
            #expect(try #require(try registry.find().first).recover() == Int64(frames))
            #expect(try decode(scratch.file(name)) == numbered(0..<frames, channelCount: 1))
        }
    }

    @Test(
        "a program killed at any step of ending a take loses no mark, and no mark becomes sound",
        arguments: TakeContainer.allCases)
    func atTheEnd(container: TakeContainer) throws {
        let marks = (0..<300).map { TakeMark(name: "a mark of some length, number \($0)", frame: Int64($0)) }
        // A death is like a disk that takes nothing more, part of a write included, and an entry that stays. The first
        // two calls put the header on the disk.
        for (failing, cut) in [(4, 0), (5, 0), (5, 5), (5, 7001), (6, 0), (7, 0), (8, 0)] {
            let path = scratch.file("\(failing)-\(cut)")
            let calls = FailingCalls { number in
                number < failing ? .done : number == failing && cut > 0 ? .isCut(to: cut) : .fails(EIO)
            }
            do {
                let take = try TakeFile(
                    path: path,
                    format: TakeFormat(container: container, samples: .int24, sampleRate: 48_000, channelCount: 1),
                    registry: registry, calls: calls)
                for mark in marks { try take.addMark(mark.name, atFrame: mark.frame) }
                try take.append(numbered(0..<2000, channelCount: 1))
                try? take.finish()
            }
            let found = try registry.find()
            #expect(found.count <= 1)
            if let found = found.first { _ = try found.recover() }
            let count = try decode(path)[0].count
            #expect(try decode(path) == numbered(0..<count, channelCount: 1) && count >= 1000)
            #expect(try TakeFileMarks.read(path) == marks, "\(failing) \(cut)")
            #expect(entries.isEmpty)
        }
    }

    @Test("two simultaneous takes have an entry each, and a take continues without a writable registry")
    func several() throws {
        let first = try TakeFile(
            path: scratch.file("a"), container: .wav, format: .int16, sampleRate: 8000, channelCount: 1,
            registry: registry)
        let second = try TakeFile(
            path: scratch.file("b"), container: .caf, format: .int16, sampleRate: 8000, channelCount: 1,
            registry: registry)
        #expect(try entries.count == 2 && registry.find().isEmpty)
        try first.finish()
        #expect(entries.count == 1)
        try second.finish()
        for folder in [scratch.file("a/folder-below-a-file"), "/proc/no-such-folder"] {
            let take = try TakeFile(
                path: scratch.file("c"), container: .wav, format: .int16, sampleRate: 8000, channelCount: 1,
                registry: UnfinishedTakes(folder: folder))
            let warning = try #require(take.registryWarning)
            #expect(warning.message.contains(folder) && !warning.remedy.isEmpty)
            try take.append(numbered(0..<10, channelCount: 1))
            try take.addMark("m", atFrame: 3)
            try take.finish()
            #expect(try TakeFileMarks.read(scratch.file("c")) == [TakeMark(name: "m", frame: 3)])
            #expect(try UnfinishedTakes(folder: folder).find().isEmpty)
            try FileManager.default.removeItem(atPath: scratch.file("c"))
        }
    }

    @Test("a take of some months is found, and recovered with its marks from before and after the months")
    func manyLines() throws {
        let marks = [TakeMark(name: "first", frame: 5), TakeMark(name: "last", frame: 600)]
        try abandon(marks: [marks[0]])
        let path = scratch.file("state/takes/" + (try #require(entries.first)))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        // A line each second. Lines of other lengths than the pieces in which the entry is read.
        let hour = Data((0..<3600).map { "{\"safe\":\(900_000_000_000 + $0)}\n" }.joined().utf8)
        let hours = (64 << 20) / hour.count + 1
        for _ in 0..<hours { try file.write(contentsOf: hour) }
        try file.write(contentsOf: Data(TakeDescription.line(safeFrameCount: 700).utf8))
        // A line cut off by a full disk, and the last lines.
        try file.write(contentsOf: Data("{\"safe\":\n".utf8))
        try file.write(contentsOf: Data(TakeDescription.line(marks[1]).utf8))
        try file.write(contentsOf: Data("{\"safe\":9".utf8))
        try file.close()
        #expect(try registry.paths().map(fileName) == ["take"])
        #expect(TakeEntry(holding: path)?.description()?.safeFrameCount == 700)
        let found = try #require(try registry.find().first)
        #expect(found.marks == marks && found.frameCount == 700)
        #expect(try found.recover() == 700 && entries.isEmpty)
        #expect(try TakeFileMarks.read(scratch.file("take")) == marks)
    }

    @Test("the warning about a take without an entry names the folder to check, or the limit to raise")
    func warnings() {
        func warning(_ code: Int32) -> AudioFileError {
            .unregistered("takes", StateFile.Fault(code: code, action: "cannot be written"))
        }
        #expect(warning(EACCES).remedy.hasSuffix("Check the folder and its permissions."))
        #expect(warning(EMFILE).message.hasPrefix("takes: the process may open no more files"))
        #expect(warning(EMFILE).remedy.hasSuffix("Close some files, or raise the limit (ulimit -n)."))
    }

    @Test("truncated or newer entries are left alone, and a half-written entry is removed after some time")
    func damaged() throws {
        try abandon()
        let entry = scratch.file("state/takes/" + (try #require(entries.first)))
        let bytes = try #require(FileManager.default.contents(atPath: entry))
        // The last line without its end is not a mark.
        try (bytes + Data(#"{"mark":"half","fra"#.utf8)).write(to: URL(fileURLWithPath: entry))
        #expect(try registry.find().first?.marks == [])
        try Data(bytes.prefix(20)).write(to: URL(fileURLWithPath: entry))
        #expect(try registry.find().isEmpty && entries.count == 1)
        let later = String(decoding: bytes, as: UTF8.self).replacing("\"v\":1", with: "\"v\":2")
        try Data(later.utf8).write(to: URL(fileURLWithPath: entry))
        #expect(try registry.find().isEmpty && entries.count == 1)
        let new = entry + ".new"
        try Data().write(to: URL(fileURLWithPath: new))
        #expect(try registry.find().isEmpty && entries.count == 2)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -100)], ofItemAtPath: new)
        #expect(try registry.find().isEmpty && entries.count == 1)
    }
}
