import Files
import Foundation
import Practice
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Libraries and losses of power")
struct LibraryPowerTests {
    /// Adds recordings to a library, and puts some into the trash.
    private func judge(
        _ count: Int, lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator
    ) throws -> CrashReport {
        let (scratch, sources) = (try Scratch(), try Scratch())
        var contents: [String: [UInt8]] = [:]
        func source(_ name: String) throws -> String {
            let path = sources.file(name)
            try writeWave(path, music(frameCount: Int.random(in: 500...4000, using: &random), seed: random.next()))
            contents[name] = FileManager.default.contents(atPath: path).map(Array.init)
            return path
        }
        let data = FilePlace.resolved(scratch.path) ?? scratch.path
        func library(_ calls: any FileCalls) throws -> RecordingLibrary {
            try RecordingLibrary(PracticeStore(.file(data + "/practice.db")), folder: data + "/library", calls: calls)
        }
        // The folders exist beforehand.
        try library(SystemFileCalls()).add(fileAt: try source("0.wav"))
        let disk = CrashDisk(data, lie: lie)
        // The titles in the library and in its trash, after each change.
        var states: [(kept: Set<String>, trashed: Set<String>)] = [(["0"], [])]
        try disk.watchingDatabases {
            let library = try library(disk)
            for number in 1...4 {
                let path = try source("\(number).wav")
                var (kept, trashed) = states[states.count - 1]
                try library.add(fileAt: path, Bool.random(using: &random) ? .copy : .move)
                kept.insert("\(number)")
                states.append((kept, trashed))
                disk.tell(states.count - 1)
                if Bool.random(using: &random), let item = try library.items().first {
                    try library.remove([item.number])
                    kept.remove(item.words.title)
                    trashed.insert(item.words.title)
                    states.append((kept, trashed))
                    disk.tell(states.count - 1)
                }
            }
        }
        return try disk.crashes(count, using: &random) { image in
            let told = image.told.last ?? 0
            let library = try library(SystemFileCalls())
            _ = try library.check()
            let items = try library.items()
            let titles = Set(items.map(\.words.title))
            guard states[told...min(told + 1, states.count - 1)].contains(where: { $0.kept == titles }) else {
                return "\(titles.sorted()) after change \(told)"
            }
            for item in items {
                let found = FileManager.default.contents(atPath: item.path).map(Array.init)
                guard found == contents["\(item.words.title).wav"] else { return "\(item.words.title) is not whole" }
            }
            return nil
        }
    }

    @Test("after a loss of power a library has every added recording, whole")
    func libraries() throws {
        var random = SeededGenerator(printedFor: "libraries and power")
        let count = environmentCount("WOODSHED_CRASHES", short: cases(120, few: 60))
        var report = CrashReport()
        while report.count < count { report.add(try judge(min(count, 300), using: &random)) }
        print("libraries: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
        let pretended = try CrashReport.untilLoss { try judge(60, lie: .synchronise, using: &random) }
        #expect(pretended.lossCount > 0, "\(random): \(pretended)")
    }
}
