import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Files
@testable import Takes

/// A take on a disk whose power goes.
private final class PowerBench {
    /// What was promised at one moment.
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
    private var identity: FileIdentity?

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

    /// Records, and synchronises now and then, as the recorder's thread does; then finishes the take or leaves it.
    func record(using random: inout SeededGenerator) throws {
        let take = try TakeFile(
            path: path, format: format, registry: UnfinishedTakes(folder: folder, calls: disk), calls: disk)
        identity = FileIdentity(path: path)
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
        let receipt = try take.finishLeavingReceipt()
        promise(Promise(frameCount: sound[0].count, markCount: marks.count, isFinished: true))
        receipt?.settle()
        disk.look()
    }

    // MARK: Judging

    /// Runs the recovery; what was lost, or nil.
    func loss(_ image: CrashImage) throws -> String? {
        let promise = image.told.last.map { promises[$0] }
        try moveEntries()
        let found = try UnfinishedTakes(folder: folder).find()
        if let found = found.first {
            let count = try found.recover()
            guard count <= sound[0].count else { return "\(count) frames of \(sound[0].count)" }
            guard count >= promise?.frameCount ?? 0 else {
                return "\(count) frames of \(promise?.frameCount ?? 0) that were safe"
            }
            return try difference(frames: Int(count), markCount: promise?.markCount ?? 0)
        }
        guard let promise else { return nil }
        guard promise.isFinished else { return "a take that nobody finds" }
        return try difference(frames: sound[0].count, markCount: marks.count)
    }

    /// Compares the file with what was recorded.
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

    /// A disk that was written again gives its files other numbers, and the system has been started again.
    private func moveEntries() throws {
        guard let identity, let new = FileIdentity(path: path) else { return }
        for name in (try? Folder.names(in: folder)) ?? [] {
            let entry = URL(fileURLWithPath: folder + "/" + name)
            // Parts of it may be anything, and not text.
            var text = String(decoding: try Data(contentsOf: entry), as: UTF8.self)
            text = text.replacing(
                "\"inode\":\(identity.inode),\"birth\":\(identity.birth)",
                with: "\"inode\":\(new.inode),\"birth\":\(new.birth)")
            if let boot = text.firstRange(of: "\"boot\":\"") {
                let digit = text[boot.upperBound] == "0" ? "1" : "0"
                text.replaceSubrange(boot.upperBound...boot.upperBound, with: digit)
            }
            try Data(text.utf8).write(to: entry)
        }
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
            report.add(try bench.disk.crashes(80, using: &random) { image in try bench.loss(image) })
            round += 1
        }
        return report
    }

    @Test("of a take whose power goes at any moment, everything that was synchronised is there, and no other sound")
    func takes() throws {
        var random = SeededGenerator(printedFor: "takes and power")
        let report = try judge(environmentCount("WOODSHED_CRASHES", short: cases(800, few: 160)), using: &random)
        print("takes: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test(
        "a disk that only pretends to synchronise is noticed",
        arguments: [CrashDisk.Lie.synchronise, .synchroniseFolder])
    func lies(lie: CrashDisk.Lie) throws {
        var random = SeededGenerator(printedFor: "takes and \(lie)")
        let report = try judge(320, lie: lie, using: &random)
        #expect(report.lossCount > 0, "\(random): \(report)")
    }
}
