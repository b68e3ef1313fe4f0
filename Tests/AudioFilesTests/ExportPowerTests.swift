import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

@Suite("Exports and losses of power")
struct ExportPowerTests {
    /// Writes a file twice; the second file replaces the first.
    private func judge(
        _ format: Kind, _ count: Int, lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator
    ) throws -> CrashReport {
        let scratch = try Scratch()
        let disk = CrashDisk(scratch.path, lie: lie)
        let path = disk.root + "/export"
        var versions: [[UInt8]?] = [nil]
        for number in 1...2 {
            let frames = Int.random(in: 1...9000, using: &random)
            let output = try OutputFile(path: path, calls: disk)
            let writer: any SoundWriter
            switch format {
            case .wav:
                writer = try WaveWriter(sampleRate: 44_100, channelCount: 2, format: .float32, path: path) { output }
            case .encoded(let format):
                writer = try EncodedFileWriter(
                    output, format: format, samples: format == .flac ? .int16 : nil, sampleRate: 44_100, channelCount: 2
                )
            }
            let sound = music(frameCount: frames, seed: UInt64(number))
            for start in stride(from: 0, to: frames, by: 3000) {
                try write(sound.map { Array($0[start..<min(start + 3000, frames)]) }, to: writer)
                disk.look()
            }
            try writer.finish()
            versions.append(FileManager.default.contents(atPath: path).map(Array.init))
            disk.tell(number)
        }
        return try disk.crashes(count, using: &random) { image in
            let found = FileManager.default.contents(atPath: path).map(Array.init)
            guard let index = versions.lastIndex(of: found) else { return "half an export" }
            return index >= image.told.last ?? 0 ? nil : "export \(index) instead of \(image.told)"
        }
    }

    private enum Kind: CaseIterable {
        case wav
        case encoded(ExportFormat)
        static let allCases: [Kind] = [.wav, .encoded(.flac), .encoded(.ogg)]
    }

    @Test("after a loss of power an export is whole, absent or the older one, and a finished export stays")
    func exports() throws {
        var random = SeededGenerator(printedFor: "exports and power")
        var report = CrashReport()
        let count = environmentCount("WOODSHED_CRASHES", short: cases(240, few: 180))
        while report.count < count {
            for format in Kind.allCases { report.add(try judge(format, 60, using: &random)) }
        }
        print("exports: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
        let pretended = try CrashReport.untilLoss { try judge(.wav, 120, lie: .synchronise, using: &random) }
        #expect(pretended.lossCount > 0, "\(random): \(pretended)")
    }
}
