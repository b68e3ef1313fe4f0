// A disk after a loss of power, and the judge's report about many such disks.
internal import Files
internal import Foundation
internal import Glibc

/// The files possibly on a disk after a loss of power.
package struct CrashImage {
    let folders: [String]
    let names: [String: Int]
    let contents: [Int: [UInt8]]
    /// The earlier confirmations to the program, in order.
    package let told: [Int]
    let kind: CrashKind

    /// Puts the files into a folder, which had others.
    func write(to root: String) throws {
        for name in try Folder.names(in: root) { try FileManager.default.removeItem(atPath: "\(root)/\(name)") }
        for folder in folders {
            try FileManager.default.createDirectory(atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
        }
        var written: [Int: String] = [:]
        for (name, file) in names.sorted(by: { $0.key < $1.key }) {
            let path = "\(root)/\(name)"
            if let first = written[file] {
                try FileCopy.link(first, to: path)
            } else {
                let descriptor = SystemFileCalls().create(path)
                if descriptor < 0 { throw FileFault(code: Int32(-descriptor), isCreating: true) }
                defer { close(Int32(descriptor)) }
                try FileBytes.write(contents[file] ?? [], at: 0, of: Int32(descriptor))
                written[file] = path
            }
        }
    }
}

/// The findings of a judge in the disks after many losses of power.
package struct CrashReport: CustomStringConvertible {
    /// The number of judged disks.
    package private(set) var count = 0
    /// At how many moments the power went.
    package private(set) var moments = 0
    /// The first of the losses, in words.
    package private(set) var losses: [String] = []
    /// The number of losses.
    package private(set) var lossCount = 0

    package init() {}

    package mutating func add(_ other: CrashReport) {
        (count, moments) = (count + other.count, moments + other.moments)
        for loss in other.losses { note(loss) }
        lossCount += other.lossCount - other.losses.count
    }

    /// Judges disks until a disk has a loss, which shows that the judge notices losses; a few disks may have none by
    /// chance.
    ///
    /// - Parameter judge: judges some disks with a reason for a loss.
    package static func untilLoss(_ judge: () throws -> CrashReport) rethrows -> CrashReport {
        var report = CrashReport()
        for _ in 0..<20 where report.lossCount == 0 { report.add(try judge()) }
        return report
    }

    fileprivate mutating func begin(isFirst: Bool) {
        count += 1
        if isFirst { moments += 1 }
    }

    fileprivate mutating func note(_ loss: String) {
        lossCount += 1
        if losses.count < 10 { losses.append(loss) }
    }

    package var description: String {
        "\(count) disks after a loss of power at \(moments) moments, \(lossCount) with a loss"
            + losses.map { "\n  " + $0 }.joined()
    }
}

extension CrashDisk {
    /// Simulates a loss of power at every moment, in the disk's folder, and judges the remaining files.
    ///
    /// Call this function when nothing done on the disk is open any more.
    /// - Parameters:
    ///   - count: the minimum number of judged disks.
    ///   - judge: runs the recovery, and returns the loss; nil if there is none. An error is a loss, too.
    package func crashes(
        _ count: Int, using random: inout SeededGenerator, judge: (CrashImage) throws -> String?
    ) throws -> CrashReport {
        let (steps, earlySteps) = history
        var (report, state) = (CrashReport(), CrashState())
        for step in steps[..<earlySteps] { state.take(step) }
        let kinds = CrashKind.allCases + [CrashKind](repeating: .anything, count: 5)
        let moments = steps.count - earlySteps + 1
        for moment in 0..<moments {
            if moment > 0 { state.take(steps[earlySteps + moment - 1]) }
            for number in 0..<((moment + 1) * count / moments - moment * count / moments) {
                let image = state.image(kinds.randomElement(using: &random) ?? .anything, using: &random)
                try image.write(to: root)
                report.begin(isFirst: number == 0)
                let loss: String?
                do { loss = try judge(image) } catch { loss = "\(error)" }
                if let loss { report.note("after step \(moment) of \(moments - 1), \(image.kind) left: \(loss)") }
            }
        }
        return report
    }
}
