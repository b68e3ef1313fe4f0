import AudioFiles
import Foundation
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Takes

@Suite("Takes on disks that fail")
struct TakeFaultTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private static let blockFrames = 61

    /// Records 4000 frames with silence and marks; an error in any step ends the recording, as in a recorder.
    private func record(_ path: String, _ format: TakeFormat, _ calls: FailingCalls) throws -> (
        take: TakeFile, problem: AudioFileError?, atEnd: AudioFileError?
    ) {
        let take = try TakeFile(path: path, format: format, calls: calls)
        var problem: AudioFileError?
        var atEnd: AudioFileError?
        do {
            for round in 0..<12 {
                let start = round * Self.blockFrames
                if round == 5 {
                    try take.writeSilence(frameCount: Int64(Self.blockFrames))
                } else {
                    try take.append(
                        numbered(start..<start + Self.blockFrames, channelCount: format.channelCount), blockFrames: 100)
                }
                if round % 4 == 0 { try take.addMark("mark \(round)", atFrame: Int64(start)) }
                try take.checkpoint()
                if round % 5 == 0 { try take.synchronise() }
            }
        } catch let error as AudioFileError {
            problem = error
        }
        do { try take.finish() } catch { atEnd = error }
        return (take, problem, atEnd)
    }

    /// The content of the recording above.
    private func expected(_ frameCount: Int, channelCount: Int) -> [[Float]] {
        numbered(0..<frameCount, channelCount: channelCount).map { channel in
            channel.indices.map { 5 * Self.blockFrames..<6 * Self.blockFrames ~= $0 ? 0 : channel[$0] }
        }
    }

    private static let formats: [TakeFormat] = [
        TakeFormat(container: .wav, samples: .int24, sampleRate: 48_000, channelCount: 1),
        TakeFormat(container: .caf, samples: .int24, sampleRate: 48_000, channelCount: 1),
        TakeFormat(container: .wav, samples: .int16, sampleRate: 44_100, channelCount: 2),
    ]

    @Test(
        "between any two system calls a take opens in every program, with its length and samples",
        arguments: formats[..<2])
    func everyInstant(format: TakeFormat) throws {
        let path = scratch.file("take")
        let copies = Mutex<[String]>([])
        let calls = FailingCalls(
            after: { number in
                guard FileManager.default.fileExists(atPath: path) else { return }
                let copy = path + "-\(number)"
                try? FileManager.default.copyItem(atPath: path, toPath: copy)
                copies.withLock { $0.append(copy) }
            },
            { _ in .done })
        let run = try record(path, format, calls)
        #expect(run.problem == nil && run.atEnd == nil && run.take.frameCount == Int64(12 * Self.blockFrames))
        let paths = copies.withLock { $0 }
        var last = 0
        let lengths = try paths.map { path in
            let samples = try decode(path)
            let length = samples.first?.count ?? 0
            #expect(length >= last && (length == 0 || samples == expected(length, channelCount: format.channelCount)))
            last = length
            return Int64(length)
        }
        #expect(last == 12 * Self.blockFrames && Set(lengths).count >= 12)
        if format.container == .wav {
            #expect(try lengthsByOthers(paths) == [lengths, lengths])
        }
        // ffmpeg counts to the file's end where the header states no frames, so this concerns the first frames.
        for (path, length) in zip(paths, lengths).prefix(2) { #expect(try framesByFFmpeg(path) == length) }
        #expect(try TakeFileMarks.read(path).map(\.frame) == [0, 4 * 61, 8 * 61])
    }

    @Test(
        "whatever system call fails, the take is whole, and the error gives the cause and the kept part",
        arguments: cases([ENOSPC, EIO, EROFS, EDQUOT, EFBIG], few: [ENOSPC, EIO]))
    func everyCall(code: Int32) throws {
        let kinds: [Int32: AudioFileError.Kind] = [
            ENOSPC: .diskFull, EDQUOT: .diskFull, EIO: .io, EROFS: .permissionDenied, EFBIG: .limitExceeded,
        ]
        for format in code == ENOSPC ? cases(Self.formats, few: [Self.formats[0]]) : [Self.formats[0]] {
            let whole = FailingCalls { _ in .done }
            _ = try record(scratch.file("whole"), format, whole)
            // The first two calls put the header of an unnamed file on the disk: a test of its own.
            for failing in 2..<whole.callCount {
                for isForGood in [false, true] {
                    let path = scratch.file("\(format.container)-\(format.channelCount)-\(failing)-\(isForGood)")
                    let calls = FailingCalls { number in
                        number == failing || isForGood && number > failing ? .fails(code) : .done
                    }
                    try check(try record(path, format, calls), kind: kinds[code])
                    try FileManager.default.removeItem(atPath: path)
                }
            }
            try FileManager.default.removeItem(atPath: scratch.file("whole"))
        }
    }

    @Test("a short write followed by a failure keeps the complete frames that were written")
    func cutWrites() throws {
        for format in cases(Self.formats, few: [Self.formats[0]]) {
            let whole = FailingCalls { _ in .done }
            _ = try record(scratch.file("whole"), format, whole)
            try FileManager.default.removeItem(atPath: scratch.file("whole"))
            for cut in [0, 1, 2, 5, 100] {
                for failing in 2..<whole.callCount - 1 {
                    let path = scratch.file("cut")
                    let calls = FailingCalls { number in
                        number == failing ? .isCut(to: cut) : number == failing + 1 ? .fails(ENOSPC) : .done
                    }
                    try check(try record(path, format, calls), kind: .diskFull)
                    try FileManager.default.removeItem(atPath: path)
                }
            }
        }
    }

    /// A failed take has its stated content, for Woodshed and, where possible, for its error.
    private func check(
        _ run: (take: TakeFile, problem: AudioFileError?, atEnd: AudioFileError?), kind: AudioFileError.Kind?
    ) throws {
        let (take, path) = (run.take, run.take.path)
        let error = try #require(run.problem ?? run.atEnd, "a call failed and nothing was said: \(path)")
        #expect(error.kind == kind && error.path == path && error.remedy.contains("The file holds"))
        let samples = try decode(path)
        let count = samples.first?.count ?? 0
        #expect(Int64(count) == take.frameCount, "\(path)")
        #expect(count == 0 || samples == expected(count, channelCount: take.channelCount), "\(path)")
        #expect(
            try TakeFileMarks.read(path, mayHaveTail: true).allSatisfy {
                $0.name == "mark \($0.frame / Int64(Self.blockFrames))"
            })
    }

    @Test("a disk that fills up at any byte leaves every frame that fits, with an even number of bytes")
    func fullDisk() throws {
        let format = Self.formats[0]
        let header = Int64(format.headerBytes)
        // The first page of memory has the header and 1338 of the frames.
        for kept in Array(0..<10) + Array(4200..<4216) {
            let calls = FullDisk(room: header + Int64(kept))
            let take = try TakeFile(path: scratch.file("take"), format: format, calls: calls)
            var problem: AudioFileError?
            do {
                for (start, end) in [(0, 100), (100, 1341), (1341, 1500), (1500, 2000)] {
                    try take.append(numbered(start..<end, channelCount: 1))
                    if end != 1341 { try take.checkpoint() }
                }
            } catch let error as AudioFileError { problem = error }
            try take.finish()
            // An odd number of frames needs a byte more.
            let frames = kept % 6 == 3 ? kept / 3 - 1 : kept / 3
            #expect(problem?.kind == .diskFull && take.frameCount == Int64(frames), "\(kept) bytes")
            #expect(try decode(take.path) == (frames == 0 ? [] : numbered(0..<frames, channelCount: 1)))
            #expect(try Int64(scratch.size("take")) == format.fileEnd(Int64(frames)))
            #expect(try TakeFileMarks.read(take.path).isEmpty)
            try FileManager.default.removeItem(atPath: take.path)
        }
    }

    @Test("silence that finds no room is not counted, also if samples follow it", arguments: [false, true])
    func silenceWithoutRoom(hasSamples: Bool) throws {
        for format in Self.formats {
            let channelCount = format.channelCount
            let calls = FullDisk(room: format.fileEnd(1001), holdsHoles: false)
            let take = try TakeFile(path: scratch.file("take"), format: format, calls: calls)
            try take.append(numbered(0..<1001, channelCount: channelCount))
            try take.checkpoint()
            try take.writeSilence(frameCount: 500)
            let error = #expect(throws: AudioFileError.self) {
                if hasSamples { try take.append(numbered(1501..<1600, channelCount: channelCount)) }
                try take.checkpoint()
            }
            #expect(error?.kind == .diskFull && take.frameCount == 1001)
            #expect(try Int64(scratch.size("take")) == format.fileEnd(1001))
            try take.finish()
            #expect(try decode(take.path) == numbered(0..<1001, channelCount: channelCount))
            try FileManager.default.removeItem(atPath: take.path)
        }
    }

    @Test("interrupted and partial writes are no failures")
    func interruptions() throws {
        let format = Self.formats[0]
        let calls = FailingCalls { number in number % 3 == 0 ? .fails(EINTR) : number % 3 == 1 ? .isCut(to: 7) : .done }
        let run = try record(scratch.file("take"), format, calls)
        #expect(run.problem == nil && run.atEnd == nil && calls.callCount > 60)
        #expect(try decode(run.take.path) == expected(12 * Self.blockFrames, channelCount: 1))
        #expect(try TakeFileMarks.read(run.take.path).count == 3)
    }

    @Test("a failed take accepts no more samples, repeats its error, and ends without a second failure")
    func afterwards() throws {
        let calls = FailingCalls { number in number == 5 ? .fails(ENOSPC) : .done }
        let take = try TakeFile(path: scratch.file("take"), format: Self.formats[0], calls: calls)
        let sound = numbered(0..<1000, channelCount: 1)
        let error = #expect(throws: AudioFileError.self) {
            for _ in 0..<5 {
                try take.append(sound)
                try take.checkpoint()
            }
        }
        let again = try #require(error)
        #expect(throws: again) { try take.append(sound) }
        #expect(throws: again) { try take.writeSilence(frameCount: 1) }
        #expect(throws: again) { try take.addMark("", atFrame: 0) }
        #expect(throws: again) { try take.checkpoint() }
        #expect(throws: again) { try take.synchronise() }
        try take.finish()
        try take.finish()
        #expect(try take.frameCount > 0 && decode(take.path)[0].count == Int(take.frameCount))
    }

    @Test("a take file that cannot be begun leaves no file, and gives the cause")
    func beginnings() throws {
        for failing in [0, 1] {
            let calls = FailingCalls { number in number < failing ? .done : .fails(ENOSPC) }
            let error = #expect(throws: AudioFileError.self) {
                try TakeFile(path: scratch.file("take"), format: Self.formats[0], calls: calls)
            }
            #expect(error?.kind == .diskFull && scratch.names.isEmpty)
        }
    }

    @Test("a take whose last samples find no room stays registered until it is listed")
    func registeredUntilListed() throws {
        let folder = scratch.file("takes")
        let format = Self.formats[0]
        let take = try TakeFile(
            path: scratch.file("take"), format: format, registry: UnfinishedTakes(folder: folder),
            calls: FullDisk(room: Int64(format.headerBytes) + 300))
        try take.append(numbered(0..<200, channelCount: 1))
        let (receipt, problem) = take.finishLeavingReceipt()
        #expect(problem?.kind == .diskFull && take.frameCount == 100)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        receipt?.settle()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
}
