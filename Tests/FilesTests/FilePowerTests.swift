import Foundation
import TestSupport
import Testing

@testable import Files

/// The written versions of a file, in order; the first is no file.
private struct Versions {
    var contents: [[UInt8]?] = [nil]

    /// Describes the fault in the found file; nil for a version at least as new as the last acknowledged version.
    func loss(_ found: [UInt8]?, told: Int?) -> String? {
        guard let index = contents.lastIndex(of: found) else {
            return "a file of \(found?.count ?? 0) bytes that nobody wrote"
        }
        // The disk may have a version without an acknowledgement.
        return index >= told ?? 0 ? nil : "version \(index) instead of \(told ?? 0)"
    }
}

@Suite("Whole files and losses of power")
struct FilePowerTests {
    private static func text(using random: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: 1...20_000, using: &random)).map { _ in UInt8.random(in: 32...126, using: &random) }
    }

    /// Writes a file again and again; the unfinished file always has the same name, or always another.
    private func judge(
        _ count: Int, lie: CrashDisk.Lie? = nil, isDurable: Bool = true, using random: inout SeededGenerator
    ) throws -> CrashReport {
        var report = CrashReport()
        while report.count < count {
            let folder = NSTemporaryDirectory() + "woodshed-power-\(UInt64.random(in: 0...UInt64.max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let disk = CrashDisk(folder, lie: lie)
            var versions = Versions()
            let suffix = Bool.random(using: &random) ? ".new" : nil
            for number in 1...Int.random(in: 1...4, using: &random) {
                let file = try WholeFile(disk.root + "/notes", suffix: suffix, isDurable: isDurable, calls: disk)
                let content = Self.text(using: &random)
                let middle = content.count / 2
                try file.append(Array(content[..<middle]))
                disk.look()
                try file.append(Array(content[middle...]))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    // The program gives the new version up.
                    file.discard()
                    versions.contents.append(versions.contents.last ?? nil)
                } else {
                    // Before a power loss can happen: the disk may already have a version without an acknowledgement.
                    versions.contents.append(content)
                    try file.commit()
                }
                disk.tell(number)
            }
            report.add(
                try disk.crashes(60, using: &random) { image in
                    let found = FileManager.default.contents(atPath: disk.root + "/notes").map(Array.init)
                    return versions.loss(found, told: image.told.last)
                })
        }
        return report
    }

    @Test("after a loss of power a whole file is whole or as it was, and a committed file stays")
    func wholeFiles() throws {
        var random = SeededGenerator(printedFor: "whole files and power")
        let report = try judge(environmentCount("WOODSHED_CRASHES", short: cases(900, few: 600)), using: &random)
        print("whole files: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test("a new file that may replace none has one of its two names after a loss of power")
    func newFiles() throws {
        var random = SeededGenerator(printedFor: "new files and power")
        let folder = NSTemporaryDirectory() + "woodshed-power-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = CrashDisk(folder)
        let file = try WholeFile(disk.root + "/new", suffix: ".part", calls: disk)
        let content = Self.text(using: &random)
        try file.append(content)
        #expect(disk.synchronise(file.descriptor) == 0 && disk.synchroniseFolder(disk.root) == 0)
        disk.tell(0)
        try file.commit(replaces: false)
        disk.tell(1)
        let report = try disk.crashes(600, using: &random) { image in
            guard let told = image.told.last else { return nil }
            let found = ["new", "new.part"].map { FileManager.default.contents(atPath: "\(disk.root)/\($0)") }
            for bytes in found where bytes != nil && bytes != Data(content) { return "half a file" }
            if told == 1 { return found[0] == nil ? "no new file" : nil }
            return found[0] == nil && found[1] == nil ? "a file without a name" : nil
        }
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test("a disk that only pretends to synchronise is detected, and so is a program that does not ask")
    func lies() throws {
        var random = SeededGenerator(printedFor: "whole files and lies")
        for lie in [CrashDisk.Lie.synchronise, .synchroniseFolder] {
            let report = try CrashReport.untilLoss { try judge(240, lie: lie, using: &random) }
            #expect(report.lossCount > 0, "\(random), \(lie): \(report)")
        }
        let careless = try CrashReport.untilLoss { try judge(240, isDurable: false, using: &random) }
        #expect(careless.lossCount > 0, "\(random): \(careless)")
    }

    @Test("synchronised bytes survive exactly, and a name survives only after its folder is synchronised")
    func disk() throws {
        var random = SeededGenerator(printedFor: "a disk and its power")
        let folder = NSTemporaryDirectory() + "woodshed-power-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let disk = CrashDisk(folder)
        let path = disk.root + "/a"
        let file = Int32(disk.createUnnamed(in: disk.root))
        #expect(file >= 0 && disk.name(file, path) == 0)
        let (old, new) = ([UInt8](repeating: 1, count: 3000), [UInt8](repeating: 2, count: 5000))
        try FileBytes.write(old, at: 0, of: file, calls: disk)
        disk.tell(0)
        #expect(disk.synchroniseData(file) == 0 && disk.synchroniseFolder(disk.root) == 0)
        disk.tell(1)
        try FileBytes.write(new, at: 2000, of: file, calls: disk)
        disk.tell(2)
        #expect(disk.rename(path, to: disk.root + "/b") == 0 && disk.close(file) == 0)
        var (isMissing, isTorn, isRenamed, isThere) = (false, false, false, false)
        _ = try disk.crashes(2000, using: &random) { image in
            let names = try Folder.names(in: disk.root)
            let bytes = names.first.flatMap { FileManager.default.contents(atPath: "\(disk.root)/\($0)") }.map(
                Array.init)
            let told = image.told.last ?? -1
            if told < 1 {
                isMissing = isMissing || names.isEmpty
                return nil
            }
            #expect(names.count == 1, "a rename leaves one name")
            #expect(bytes?.prefix(1536) == old.prefix(1536), "no sector of these was written again")
            if told == 1, bytes == old { isThere = true }
            if let bytes, bytes != old, bytes != Array(old[..<2000]) + new { isTorn = true }
            isRenamed = isRenamed || names == ["b"]
            return nil
        }
        #expect(isMissing && isTorn && isRenamed && isThere, "\(random)")
    }
}
