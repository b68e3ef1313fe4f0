import Foundation
import TestSupport
import Testing

@testable import Drawing

@Suite("Pictures and losses of power")
struct PicturePowerTests {
    @Test("a picture's file is whole, absent or the older one after a loss of power")
    func pictures() throws {
        var random = SeededGenerator(printedFor: "pictures and power")
        var report = CrashReport()
        let count = environmentCount("WOODSHED_CRASHES", short: cases(600, few: 300))
        while report.count < count {
            let folder = NSTemporaryDirectory() + "woodshed-power-\(UInt64.random(in: 0...UInt64.max))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let disk = CrashDisk(folder)
            var pictures: [[UInt8]?] = [nil]
            for number in 1...2 {
                let bytes = (0..<Int.random(in: 1...30_000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                pictures.append(bytes)
                try PictureFile.write(bytes, to: disk.root + "/picture.png", calls: disk)
                disk.tell(number)
            }
            report.add(
                try disk.crashes(60, using: &random) { image in
                    let found = FileManager.default.contents(atPath: disk.root + "/picture.png").map(Array.init)
                    guard let index = pictures.lastIndex(of: found) else { return "half a picture" }
                    return index >= image.told.last ?? 0 ? nil : "picture \(index) instead of \(image.told)"
                })
        }
        print("pictures: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }
}
