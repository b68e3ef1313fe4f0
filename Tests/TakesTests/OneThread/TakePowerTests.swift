import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Files
@testable import Takes

/// A take on a disk with a loss of power.
private final class PowerBench {
    /// The promise at one moment.
    struct Promise {
        var frameCount = 0
        var markCount = 0
        var isFinished = false
    }

    let scratch: Scratch
    let disk: CrashDisk
    let format: TakeFormat
    private(set) var sound: [[Float]]
    private(set) var marks: [TakeMark] = []
    private(set) var promises: [Promise] = []
    /// Of the take's file on each disk.
    private var identities: [FileIdentity] = []

    init(_ format: TakeFormat, lie: CrashDisk.Lie? = nil) throws {
        (scratch, self.format) = (try Scratch(), format)
        sound = [[Float]](repeating: [], count: format.channelCount)
        try FileManager.default.createDirectory(atPath: scratch.file("disk/music"), withIntermediateDirectories: true)
        disk = CrashDisk(scratch.file("disk"), lie: lie)
    }

    private var path: String { disk.root + "/music/take" }
    private var folder: String { disk.root + "/state/woodshed/takes" }

    private func promise(_ promise: Promise) {
        promises.append(promise)
        disk.tell(promises.count - 1)
    }

    /// Records, and synchronises now and then, as the recorder's thread does; then finishes the take or leaves the take
    /// unfinished.
    func record(using random: inout SeededGenerator) throws {
        let take = try TakeFile(
            path: path, format: format, registry: UnfinishedTakes(folder: folder, calls: disk), calls: disk)
        if let identity = FileIdentity(path: path) { identities.append(identity) }
        for _ in 0..<Int.random(in: 2...7, using: &random) {
            let count = Int.random(in: 1...4000, using: &random)
            let first = sound[0].count
            if Int.random(in: 0..<4, using: &random) == 0 {
                try take.writeSilence(frameCount: Int64(count))
                for channel in sound.indices { sound[channel] += [Float](repeating: 0, count: count) }
            } else {
                let frames = numbered(first..<first + count, channelCount: format.channelCount)
                try take.append(frames)
                for channel in sound.indices { sound[channel] += frames[channel] }
            }
            if Bool.random(using: &random) {
                let mark = TakeMark(
                    name: "mark \(marks.count)", frame: Int64.random(in: 0...Int64(first), using: &random))
                try take.addMark(mark.name, atFrame: mark.frame)
                marks.append(mark)
            }
            if Bool.random(using: &random) { try take.checkpoint() }
            if Bool.random(using: &random) {
                try take.checkpoint()
                try take.synchronise()
                promise(Promise(frameCount: sound[0].count, markCount: marks.count))
            }
        }
        guard Int.random(in: 0..<3, using: &random) > 0 else { return }
        let (receipt, problem) = take.finishLeavingReceipt()
        if let problem { throw problem }
        promise(Promise(frameCount: sound[0].count, markCount: marks.count, isFinished: true))
        receipt?.settle()
        disk.look()
    }

    // MARK: Judging

    /// The promise in force when the power failed.
    func promise(at image: CrashImage) -> Promise? { image.told.last.map { promises[$0] } }

    /// Runs the recovery; returns the loss, or nil.
    func loss(_ promise: Promise?) throws -> String? {
        try moveEntries()
        if let found = try UnfinishedTakes(folder: folder).find().first {
            let count = try found.recover()
            guard count <= sound[0].count else { return "\(count) frames of \(sound[0].count)" }
            guard count >= promise?.frameCount ?? 0 else {
                return "\(count) frames of \(promise?.frameCount ?? 0) that were safe"
            }
            return try difference(frames: Int(count), markCount: promise?.markCount ?? 0)
        }
        guard let promise else { return try remains() }
        guard promise.isFinished else { return "a take that nobody finds" }
        return try difference(frames: promise.frameCount, markCount: promise.markCount)
    }

    /// For a take without a promise and without a find: an incomplete remainder, or nil.
    private func remains() throws -> String? {
        if FileIdentity(path: path) != nil, (try? decode(path)) == nil { return "a file that is no take" }
        let names = (try? Folder.names(in: folder)) ?? []
        return names.contains { $0.hasSuffix(TakeEntry.ending) } ? "an entry that nobody finds" : nil
    }

    /// Lets the power go again while the recovery runs.
    func lossInRecovery(_ promise: Promise?, using random: inout SeededGenerator) throws -> CrashReport {
        try moveEntries()
        guard let found = try UnfinishedTakes(folder: folder).find().first else { return CrashReport() }
        let before = promises.count
        defer { promises.removeLast(promises.count - before) }
        promises.append(promise ?? Promise())
        let again = CrashDisk(disk.root)
        again.tell(before)
        let (count, receipt) = try found.recoverLeavingReceipt(calls: again)
        promises.append(
            Promise(frameCount: Int(count), markCount: promise?.markCount ?? 0, isFinished: true))
        again.tell(before + 1)
        receipt.settle()
        again.look()
        return try again.crashes(20, using: &random) { image in try loss(self.promise(at: image) ?? promise) }
    }

    /// Returns the fault of a file whose header counts marks that are not in the file; nil otherwise. Without a
    /// recovery.
    func falseMarkCount() throws -> String? {
        guard FileIdentity(path: path) != nil else { return nil }
        let file = try unsafe RegularFile(path)
        let header = try FileBytes.bytes(of: file.descriptor, at: 0, count: format.headerBytes)
        // A loss of power may leave anything instead of a header.
        guard let counted = format.lengths(inHeader: header), counted.trailingBytes > 0,
            format.header(frameCount: counted.frameCount, trailingBytes: Int(counted.trailingBytes)) == header
        else { return nil }
        let expected = format.chunks(for: marks, frameCount: counted.frameCount)
        let found = try FileBytes.bytes(
            of: file.descriptor, at: format.fileEnd(counted.frameCount), count: Int(counted.trailingBytes))
        return found == expected ? nil : "the header counts \(counted.trailingBytes) bytes of marks, which are missing"
    }

    /// Compares the file with the recorded frames.
    private func difference(frames: Int, markCount: Int) throws -> String? {
        let found = try decode(path)
        if frames > 0 || !found.isEmpty {
            guard found.map(\.count) == sound.map({ _ in frames }) else { return "not \(frames) frames" }
            for channel in sound.indices where found[channel] != Array(sound[channel].prefix(frames)) {
                return "other sound than was recorded, in \(frames) frames"
            }
        }
        let expected = marks.prefix(markCount).filter { $0.frame <= frames }
        let read = try TakeFileMarks.read(path)
        for mark in expected where !read.contains(mark) { return "a mark is missing" }
        return read.allSatisfy { marks.contains($0) } ? nil : "a mark that was not set"
    }

    /// Files on a rewritten disk have other numbers, and the system has restarted.
    private func moveEntries() throws {
        guard let new = FileIdentity(path: path) else { return }
        for name in (try? Folder.names(in: folder)) ?? [] {
            let entry = URL(fileURLWithPath: folder + "/" + name)
            // Parts of the file may be anything, and not text.
            var text = String(decoding: try Data(contentsOf: entry), as: UTF8.self)
            for old in identities {
                text = text.replacing(
                    "\"inode\":\(old.inode),\"birth\":\(old.birth)",
                    with: "\"inode\":\(new.inode),\"birth\":\(new.birth)")
            }
            if let boot = TakeDescription.currentBoot { text = text.replacing(boot, with: "an earlier start") }
            try Data(text.utf8).write(to: entry)
        }
        identities.append(new)
    }
}

@Suite("Takes and losses of power")
struct TakePowerTests {
    private static let formats: [TakeFormat] = TakeContainer.allCases.flatMap { container in
        [WaveSampleFormat.int24, .float32].map { samples in
            TakeFormat(
                container: container, samples: samples, sampleRate: 48_000, channelCount: samples == .int24 ? 1 : 2)
        }
    }

    private func judge(
        _ count: Int, lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator
    ) throws -> CrashReport {
        var report = CrashReport()
        var round = 0
        while report.count < count {
            let bench = try PowerBench(Self.formats[round % Self.formats.count], lie: lie)
            try bench.record(using: &random)
            report.add(try bench.disk.crashes(80, using: &random) { image in try bench.loss(bench.promise(at: image)) })
            round += 1
        }
        return report
    }

    @Test("after a loss of power a take has everything that was synchronised, and no other sound")
    func takes() throws {
        var random = SeededGenerator(printedFor: "takes and power")
        let report = try judge(environmentCount("WOODSHED_CRASHES", short: cases(600, few: 480)), using: &random)
        print("takes: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test("a recovery that loses power can be repeated, and its results stay")
    func recoveries() throws {
        var random = SeededGenerator(printedFor: "recoveries and power")
        var (report, round) = (CrashReport(), 0)
        while report.count < environmentCount("WOODSHED_CRASHES", short: cases(300, few: 240)) {
            let bench = try PowerBench(Self.formats[round % Self.formats.count])
            try bench.record(using: &random)
            var inner = random
            _ = try bench.disk.crashes(10, using: &random) { image in
                report.add(try bench.lossInRecovery(bench.promise(at: image), using: &inner))
                return nil
            }
            round += 1
        }
        print("recoveries: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test("after a loss of power no header of a take counts marks that are not in the file")
    func countedMarks() throws {
        var random = SeededGenerator(printedFor: "counted marks and power")
        let formats = Self.formats.filter { $0.container == .wav }
        var (report, round) = (CrashReport(), 0)
        while report.count < cases(2400, few: 1200) {
            let bench = try PowerBench(formats[round % formats.count])
            try bench.record(using: &random)
            report.add(try bench.disk.crashes(200, using: &random) { _ in try bench.falseMarkCount() })
            round += 1
        }
        print("counted marks: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test("after a restart only frames and marks that were synchronised count, and after a kill all count")
    func restarts() throws {
        let format = TakeFormat(container: .wav, samples: .int24, sampleRate: 48_000, channelCount: 1)
        let mark = TakeMark(name: "mark", frame: 7)
        for isRestarted in [false, true] {
            let scratch = try Scratch()
            let registry = UnfinishedTakes(folder: scratch.file("takes"))
            let path = scratch.file("take")
            do {
                let take = try TakeFile(path: path, format: format, registry: registry, calls: SystemFileCalls())
                try take.append(numbered(0..<700, channelCount: 1))
                try take.addMark(mark.name, atFrame: mark.frame)
                try take.checkpoint()
                try take.synchronise()
                try take.append(numbered(700..<900, channelCount: 1))
                try take.checkpoint()
            }
            // The end had begun, and only the place of the marks is there.
            let chunks = format.chunks(for: [mark], frameCount: 900)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.write(contentsOf: format.header(frameCount: 900, trailingBytes: chunks.count))
            try file.seek(toOffset: UInt64(format.fileEnd(900)))
            try file.write(contentsOf: isRestarted ? [UInt8](repeating: 0, count: chunks.count) : chunks)
            let entry = scratch.file("takes") + "/" + (try #require(try Folder.names(in: scratch.file("takes")).first))
            if isRestarted, let boot = TakeDescription.currentBoot {
                let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: entry)), as: UTF8.self)
                #expect(text.contains("\"safe\":700"))
                try Data(text.replacing(boot, with: "an earlier start").utf8).write(to: URL(fileURLWithPath: entry))
            }
            let count = try #require(try registry.find().first).recover()
            #expect(count == (isRestarted ? 700 : 900))
            #expect(try decode(path) == numbered(0..<Int(count), channelCount: 1))
            #expect(try TakeFileMarks.read(path) == [mark] && registry.find().isEmpty)
        }
    }

    @Test(
        "a take lost by a disk that only pretends to synchronise is detected",
        arguments: [CrashDisk.Lie.synchronise, .synchroniseFolder])
    func lies(lie: CrashDisk.Lie) throws {
        var random = SeededGenerator(printedFor: "takes and \(lie)")
        let report = try CrashReport.untilLoss { try judge(320, lie: lie, using: &random) }
        #expect(report.lossCount > 0, "\(random): \(report)")
    }
}
