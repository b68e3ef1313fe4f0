import AudioFiles
import Foundation
import Realtime
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Clips

/// Computes each sample from the frame number. A test can hold decoding up; the decoder counts decoded frames.
private final class CountingDecoder: AudioDecoder {
    let info: AudioFileInfo
    let isHeld = Atomic<Bool>(false)
    let decodedFrames = Atomic<Int>(0)
    /// The number of next reads that fail.
    let failures = Atomic<Int>(0)

    init(frameCount: Int64, channelCount: Int = 1) {
        info = AudioFileInfo(
            path: "counting", container: "test", codec: "test", sampleRate: 44_100, channelCount: channelCount,
            frameCount: frameCount)
    }

    static func sample(_ frame: Int64) -> Float { Float(frame % 99_991 + 1) }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        // A test that fails meanwhile ends.
        standStill { !isHeld.load(ordering: .acquiring) }
        if failures.load(ordering: .relaxed) > 0 {
            failures.subtract(1, ordering: .relaxed)
            throw .reading(info.path, errno: EIO)
        }
        decodedFrames.add(frames.count, ordering: .relaxed)
        for channel in 0..<info.channelCount {
            for i in 0..<frames.count {
                unsafe output[channel * stride + i] = Self.sample(frames.lowerBound + Int64(i))
            }
        }
    }
}

/// The reports of a test's reading threads; relaxed, so the report itself does not order the tested accesses.
private final class Tally: Sendable {
    let isOver = Atomic<Bool>(false)
    let found = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
}

@Suite struct PageTests {
    private let pageFrames: Int64 = 16_384

    @Test("random reads within the smallest budget find every frame, within the limit of pages")
    func smallBudget() throws {
        let clip = try Clip(CountingDecoder(frameCount: 100 * pageFrames), sampleRate: nil, memoryBudget: 0)
        var generator = SeededGenerator(printedFor: #function)
        for _ in 0..<100 {
            let start = Int64.random(in: -1000..<clip.frameCount, using: &generator)
            let piece = try read(clip, start..<start + 700)[0]
            let expected = (start..<start + 700).map {
                $0 < 0 || $0 >= clip.frameCount ? 0 : CountingDecoder.sample($0)
            }
            #expect(piece == expected, "\(generator)")
        }
        let reader = clip.makeReader()
        defer { clip.release(reader) }
        // Pages that are still being loaded replace others, and a count that takes a while sees both.
        #expect(eventually { (0..<100).count { reader.isLoaded(from: Int64($0) * pageFrames, count: 1) } <= 16 })
    }

    @Test("a missing page is silence and is counted, and the reader does not wait for it")
    func missing() throws {
        let decoder = CountingDecoder(frameCount: 40 * pageFrames)
        decoder.isHeld.store(true, ordering: .releasing)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 1 << 22)
        let reader = clip.makeReader()
        var samples = [Float](repeating: 9, count: 100)
        reader.beginBlock()
        #expect(unsafe reader.read(channel: 0, from: -40, count: 100, into: &samples) == 60)
        reader.endBlock()
        #expect(samples == [Float](repeating: 0, count: 100))
        #expect(!reader.isLoaded(from: 0, count: 1) && reader.isLoaded(from: -5, count: 5))
        decoder.isHeld.store(false, ordering: .releasing)
        try clip.waitUntilLoaded([0..<100])
        #expect(reader.isLoaded(from: 0, count: 100))
        clip.release(reader)
    }

    @Test("pages that a render thread publishes are loaded: current, next and at its jump")
    func hints() throws {
        let clip = try Clip(CountingDecoder(frameCount: 1000 * pageFrames), sampleRate: nil, memoryBudget: 1 << 24)
        let reader = clip.makeReader()
        defer { clip.release(reader) }
        reader.publishDemand(current: 500 * pageFrames, next: 900 * pageFrames)
        #expect(eventually { reader.isLoaded(from: 500 * pageFrames, count: 4 * Int(pageFrames)) })
        #expect(eventually { reader.isLoaded(from: 900 * pageFrames, count: 1) })
        clip.request(ClipDemand([700 * pageFrames..<702 * pageFrames]), for: reader)
        #expect(eventually { reader.isLoaded(from: 700 * pageFrames, count: 2 * Int(pageFrames)) })
    }

    @Test("the pages before the position are loaded for a reader that moves back")
    func hintsBackwards() throws {
        let clip = try Clip(CountingDecoder(frameCount: 1000 * pageFrames), sampleRate: nil, memoryBudget: 1 << 24)
        let reader = clip.makeReader()
        defer { clip.release(reader) }
        reader.publishDemand(current: 501 * pageFrames - 1, next: 901 * pageFrames - 1, movesBack: true)
        #expect(eventually { reader.isLoaded(from: 497 * pageFrames, count: 4 * Int(pageFrames)) })
        #expect(eventually { reader.isLoaded(from: 899 * pageFrames, count: 2 * Int(pageFrames)) })
    }

    @Test("pages that one reader requested stay when another reader requests others")
    func requestsOfTwo() throws {
        let clip = try Clip(CountingDecoder(frameCount: 1000 * pageFrames), sampleRate: nil, memoryBudget: 0)
        let readers = [clip.makeReader(), clip.makeReader()]
        defer { for reader in readers { clip.release(reader) } }
        let places = [700 * pageFrames, 300 * pageFrames]
        func areLoaded() -> Bool {
            places.allSatisfy { readers[0].isLoaded(from: $0, count: 2 * Int(pageFrames)) }
        }
        for (reader, place) in zip(readers, places) {
            clip.request(ClipDemand([place..<place + 2 * pageFrames]), for: reader)
        }
        #expect(eventually(areLoaded))
        // Others come and go: more than there is room for.
        for page in 0..<40 { try clip.waitUntilLoaded([Int64(page) * pageFrames..<Int64(page) * pageFrames + 1]) }
        #expect(eventually(areLoaded))
    }

    @Test("a read that fails for a moment is tried again, and not reported")
    func failsForAMoment() throws {
        let decoder = CountingDecoder(frameCount: 40 * pageFrames)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 0)
        try clip.waitUntilLoaded([0..<1])
        decoder.failures.store(2, ordering: .relaxed)
        let piece = try read(clip, 30 * pageFrames..<30 * pageFrames + 100)[0]
        #expect(piece == (0..<100).map { CountingDecoder.sample(30 * pageFrames + $0) })
        #expect(decoder.failures.load(ordering: .relaxed) == 0 && clip.failure == nil)
    }

    @Test("a read that keeps failing is reported, and is tried again as long as a reader wants it")
    func failsForLonger() throws {
        let decoder = CountingDecoder(frameCount: 40 * pageFrames)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 0)
        let reader = clip.makeReader()
        defer { clip.release(reader) }
        try clip.waitUntilLoaded([0..<1])
        decoder.failures.store(.max, ordering: .relaxed)
        let error = #expect(throws: AudioFileError.self) {
            try clip.waitUntilLoaded([30 * pageFrames..<30 * pageFrames + 1])
        }
        #expect(error?.kind == .io && clip.failure == error)
        decoder.failures.store(0, ordering: .relaxed)
        clip.request(ClipDemand([30 * pageFrames..<31 * pageFrames]), for: reader)
        #expect(eventually { reader.isLoaded(from: 30 * pageFrames, count: 1) && clip.failure == nil })
        #expect(throws: Never.self) { try clip.waitUntilLoaded([30 * pageFrames..<30 * pageFrames + 1]) }
    }

    @Test("reading through a clip decodes every page once")
    func decodesOnce() throws {
        let decoder = CountingDecoder(frameCount: 60 * pageFrames)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 1 << 22)
        var position: Int64 = 0
        while position < clip.frameCount {
            try clip.waitUntilLoaded([position..<position + 512])
            position += 512
        }
        #expect(decoder.decodedFrames.load(ordering: .relaxed) == Int(clip.frameCount))
    }

    @Test("a page stays while a reader is inside its block, and is reused after the reader has left")
    func epochs() throws {
        let geometry = PageGeometry(channelCount: 1, frameCount: 100 * pageFrames)
        let store = try #require(PublishedStore(count: geometry.pageCount))
        let pool = PagePool(geometry, store: store, memoryBudget: 0)
        let epoch = ReadEpoch()
        _ = store.addReader(epoch)
        for page in 0..<pool.capacity {
            guard let buffer = unsafe pool.takeBuffer(at: 1) else {
                Issue.record("no buffer for page \(page)")
                return
            }
            unsafe pool.publish(page, buffer, at: 1)
        }
        #expect(unsafe pool.takeBuffer(at: 1) == nil, "all are wanted now")
        pool.touch(Array(1..<pool.capacity), at: 2)
        epoch.reader.enter()
        #expect(unsafe pool.takeBuffer(at: 3) == nil)
        #expect(!store.table.isPublished(0), "the page longest unwanted is hidden first")
        epoch.reader.leave()
        let freed = unsafe pool.takeBuffer(at: 3)
        #expect(unsafe freed != nil)
        if let freed = unsafe freed { unsafe pool.giveBack(freed) }
    }

    @Test("readers that read while pages come and go get the right samples or silence")
    func concurrentReaders() throws {
        // Forty pages and room for sixteen: most reads meet a page about to be evicted.
        let clip = try Clip(CountingDecoder(frameCount: 40 * pageFrames), sampleRate: nil, memoryBudget: 0)
        let tally = Tally()
        let count = Int(pageFrames)
        let threads = (0..<2).map { index in
            let reader = clip.makeReader()
            let thread = Thread {
                var generator = SeededGenerator(seed: UInt64(index))
                var samples = [Float](repeating: 0, count: count)
                while !tally.isOver.load(ordering: .relaxed) {
                    // Whole pages, so a reuse falls into the reading; and no hint, which would keep the page.
                    let start = Int64.random(in: 0..<40, using: &generator) * Int64(count)
                    reader.beginBlock()
                    if unsafe reader.read(channel: 0, from: start, count: count, into: &samples) == 0 {
                        tally.found.add(1, ordering: .relaxed)
                    }
                    reader.endBlock()
                    for i in stride(from: 0, to: count, by: 251)
                    where samples[i] != 0 && samples[i] != CountingDecoder.sample(start + Int64(i)) {
                        tally.wrong.add(1, ordering: .relaxed)
                    }
                }
            }
            thread.start()
            return thread
        }
        var generator = SeededGenerator(printedFor: #function)
        // On a busy machine the threads come late: go on until enough reads have met pages, then wait for the threads.
        for round in 0..<32_000 where round < 100 || tally.found.load(ordering: .relaxed) < 2000 {
            if round >= 20_000 { usleep(10_000) }
            let start = Int64.random(in: 0..<clip.frameCount, using: &generator)
            try clip.waitUntilLoaded([start..<start + 100])
        }
        #expect(tally.found.load(ordering: .relaxed) >= 2000)
        tally.isOver.store(true, ordering: .relaxed)
        #expect(eventually { threads.allSatisfy(\.isFinished) })
        #expect(tally.wrong.load(ordering: .relaxed) == 0)
    }

    @Test("a deleted file plays on, and a shortened file gives silence and a reason at its end")
    func changing() throws {
        let scratch = try Scratch()
        let channels = music(frameCount: 1_000_000, channelCount: 1)
        try writeWave(scratch.file("a.wav"), channels, format: .float32)
        try FileManager.default.copyItem(atPath: scratch.file("a.wav"), toPath: scratch.file("b.wav"))
        let vanishing = try Clip(path: scratch.file("a.wav"))
        try FileManager.default.removeItem(atPath: scratch.file("a.wav"))
        #expect(try read(vanishing, 999_000..<1_000_000)[0] == Array(channels[0][999_000...]))

        let shrinking = try Clip(path: scratch.file("b.wav"))
        #expect(unsafe truncate(scratch.file("b.wav"), 1_000_000) == 0)
        let error = #expect(throws: AudioFileError.self) { try shrinking.waitUntilLoaded([900_000..<900_100]) }
        #expect(error?.kind == .changed && shrinking.failure == error)
        let reader = shrinking.makeReader()
        defer { shrinking.release(reader) }
        var samples = [Float](repeating: 1, count: 10)
        reader.beginBlock()
        #expect(unsafe reader.read(channel: 0, from: 900_000, count: 10, into: &samples) == 10)
        reader.endBlock()
        #expect(samples == [Float](repeating: 0, count: 10))
        #expect(try read(shrinking, 0..<1000)[0] == Array(channels[0][..<1000]))
    }

    @Test("a block whose page becomes readable between two channels is read again, with the sound of both")
    func readableMeanwhile() throws {
        let decoder = CountingDecoder(frameCount: 40 * pageFrames, channelCount: 2)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 0)
        let reader = clip.makeReader(waitsForPages: true)
        defer { clip.release(reader) }
        try clip.waitUntilLoaded([0..<1])
        decoder.failures.store(.max, ordering: .relaxed)
        let frame = 30 * pageFrames
        reader.publishDemand(current: frame, next: -1)
        var samples = [[Float]](repeating: [Float](repeating: -1, count: 100), count: 2)
        var turns = 0
        try clip.readBlock(with: reader) {
            turns += 1
            var missing = 0
            for channel in 0..<2 {
                missing += unsafe reader.read(channel: channel, from: frame, count: 100, into: &samples[channel])
                guard turns == 1, channel == 0 else { continue }
                #expect(missing == 100)
                decoder.failures.store(0, ordering: .relaxed)
                let isReadable = eventually { clip.failure == nil }
                #expect(isReadable)
            }
            return missing
        }
        let expected = (0..<100).map { CountingDecoder.sample(frame + $0) }
        #expect(turns == 2 && samples == [expected, expected])
    }

    @Test("waiting for more pages than the budget holds is refused at once")
    func tooLongAWait() throws {
        let clip = try Clip(CountingDecoder(frameCount: 100 * pageFrames), sampleRate: nil, memoryBudget: 0)
        let error = #expect(throws: AudioFileError.self) { try clip.waitUntilLoaded([0..<clip.frameCount]) }
        #expect(error?.kind == .limitExceeded)
    }

    @Test("reading a block does not allocate", .enabled(if: HeapTraffic.isCounted))
    func noAllocation() throws {
        let clip = try Clip.inMemory(music(frameCount: 40_000), sampleRate: 44_100)
        let reader = clip.makeReader()
        defer { clip.release(reader) }
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 512)
        defer { unsafe samples.deallocate() }
        func block() {
            reader.publishDemand(current: 16_000, next: 0)
            reader.beginBlock()
            for channel in 0..<2 { _ = unsafe reader.read(channel: channel, from: 16_200, count: 512, into: samples) }
            reader.endBlock()
        }
        block()
        #expect(HeapTraffic.measure(block) == .none)
    }
}
