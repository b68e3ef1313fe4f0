import Foundation
import TestSupport
import Testing

@testable import Files
@testable import Transfers

/// The part of a file on a disk with a loss of power.
private final class PartBench {
    /// The promise at a moment: bytes of a version, or the final name of the file.
    struct Promise {
        var version = 0
        var byteCount = 0
        var isNamed = false
    }

    let folder: TestFolder
    let disk: CrashDisk
    private let request: TransferRequest
    private let older: [UInt8]?
    private var contents: [Int: [UInt8]] = [:]
    private var promises: [Promise] = []

    init(lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator) throws {
        folder = try TestFolder()
        let replaces = Bool.random(using: &random)
        older = replaces && Bool.random(using: &random) ? [UInt8]("older".utf8) : nil
        if let older { try Data(older).write(to: URL(fileURLWithPath: folder.path("a.wav"))) }
        disk = CrashDisk(folder.root, lie: lie)
        request = TransferRequest(
            try WebAddress("http://example.org/a.wav"), to: disk.root + "/a.wav", replaces: replaces)
    }

    private func promise(_ promise: Promise) {
        promises.append(promise)
        disk.tell(promises.count - 1)
    }

    private func record(_ version: Int) -> PartRecord {
        var record = PartRecord(address: request.address.text)
        record.validators = Validators(tag: "\"\(version)\"", lastModified: nil, date: nil)
        return record
    }

    /// Fetches some versions of a file, in several runs, each of which may stop.
    func fetch(using random: inout SeededGenerator) throws {
        for version in 1...Int.random(in: 1...3, using: &random) {
            let whole = content(version, Int.random(in: 2000...60_000, using: &random))
            contents[version] = whole
            var isBegun = false
            for run in 0..<3 {
                let part = try PartFile(request, calls: disk)
                defer { part.close() }
                let beginning = try part.beginning(request)
                var done = 0
                if isBegun, case .goingOn(let count) = beginning {
                    done = Int(count)
                    try part.goOn(record(version), from: count)
                } else {
                    // Gives up the bytes of an earlier version.
                    promise(Promise(version: version))
                    try part.begin(record(version))
                    isBegun = true
                }
                let end = run == 2 ? whole.count : Int.random(in: done...whole.count, using: &random)
                while done < end {
                    let count = min(Int.random(in: 1...20_000, using: &random), end - done)
                    try unsafe whole[done..<done + count].withUnsafeBytes { try unsafe part.write($0, at: Int64(done)) }
                    done += count
                    if Bool.random(using: &random) {
                        try part.note(Int64(done))
                        promise(Promise(version: version, byteCount: done))
                    }
                }
                if run == 2, Bool.random(using: &random) {
                    try part.note(Int64(done), isComplete: true)
                    promise(Promise(version: version, byteCount: done))
                    _ = try part.name(nil, replaces: request.replaces)
                    promise(Promise(version: version, byteCount: done, isNamed: true))
                    part.tidy()
                    disk.look()
                    return
                }
            }
        }
    }

    /// Returns the loss, or nil without a loss.
    func loss(_ image: CrashImage) throws -> String? {
        let promise = image.told.last.map { promises[$0] } ?? Promise()
        let found = folder.bytes("a.wav")
        let version = contents.first { $0.value == found }?.key
        if promise.isNamed, version != promise.version { return "a named file is not there" }
        guard version != nil || found == older else { return "a file that nobody sent" }
        let opened = Result { () throws(TransferError) in
            let part = try PartFile(request, calls: SystemFileCalls())
            return (part: part, beginning: try part.beginning(request))
        }
        // A run does not fetch a file named by another run again.
        if case .failure(let error) = opened, error.kind == .alreadyExists { return version == nil ? "\(error)" : nil }
        let (part, beginning) = try opened.get()
        defer { part.close() }
        let tag = part.record.validators.tag.flatMap { parsed($0.dropFirst().dropLast(), as: Int.self) } ?? 0
        switch beginning {
        case .named: return version == nil ? "no file that has a name" : nil
        case .anew:
            return promise.byteCount == 0 || version != nil ? nil : "\(promise.byteCount) bytes are begun anew"
        case .complete:
            return folder.bytes("a.wav.part") == contents[tag] ? nil : "a whole part that is not the file"
        case .goingOn(let count):
            if tag == promise.version, count < promise.byteCount { return "\(count) of \(promise.byteCount) bytes" }
            let there = folder.bytes("a.wav.part")?.prefix(Int(count))
            return there == contents[tag]?.prefix(Int(count)) ? nil : "\(count) bytes that nobody sent"
        }
    }
}

@Suite("Parts and losses of power")
struct PartPowerTests {
    private func judge(
        _ count: Int, lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator
    ) throws -> CrashReport {
        var report = CrashReport()
        while report.count < count {
            let bench = try PartBench(lie: lie, using: &random)
            try bench.fetch(using: &random)
            report.add(try bench.disk.crashes(100, using: &random) { image in try bench.loss(image) })
        }
        return report
    }

    @Test
    func `after a loss of power the counted bytes of a part are the file's, and a named file is whole`() throws {
        var random = SeededGenerator(printedFor: "parts and power")
        let report = try judge(environmentCount("WOODSHED_CRASHES", short: cases(600, few: 300)), using: &random)
        print("parts: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test(arguments: [CrashDisk.Lie.synchronise, .synchroniseFolder])
    func `a part lost by a disk that only pretends to synchronise is detected`(lie: CrashDisk.Lie) throws {
        var random = SeededGenerator(printedFor: "parts and \(lie)")
        let report = try CrashReport.untilLoss { try judge(400, lie: lie, using: &random) }
        #expect(report.lossCount > 0, "\(random): \(report)")
    }
}
