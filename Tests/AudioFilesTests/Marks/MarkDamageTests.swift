// Files with marks cut off, claiming too much, or nearly right: everything readable is read, and nothing takes long.
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles
@testable import Takes

/// Small files of every kind, each with its marks, in frames at 1000 Hz.
private struct Seeds {
    let files: [[UInt8]]

    init() {
        let takeMarks = [
            TakeMark(name: "one", frame: 5), TakeMark(name: "two", frame: 1250), TakeMark(name: "", frame: 9),
        ]
        let comments = MarkFiles.comments([
            "CHAPTER001=00:00:00.005", "CHAPTER001NAME=one", "a=b", "CHAPTER002=00:00:01.250", "CHAPTER002NAME=two",
        ])
        let opus = MarkFiles.ogg(
            [Array("OpusHead".utf8), Array("OpusTags".utf8) + comments, [0]], segmentsPerPage: 255)
        let tags = ([3, 4] as [UInt8]).flatMap { version in
            let chapters = [
                MarkFiles.chapter("a", 5, 1250, title: [3] + Array("one".utf8), version: version),
                MarkFiles.chapter("b", 1250, .max, title: [1, 0x74, 0, 0x77, 0, 0x6F, 0], version: version),
            ]
            return [0, 0x80].map { MarkFiles.tag(chapters, version: version, flags: $0) }
        }
        files =
            [
                MarkFiles.wave([MarkFiles.chunk("data", [1, 2]), MarkChunks.wave(takeMarks)]), MarkFiles.regions(),
                MarkFiles.regions(isBig: true), MarkFiles.longSizes, MarkFiles.aiff([(5, "one"), (1250, "two")]),
                Array("caff".utf8) + [0, 1, 0, 0] + MarkChunks.caf(takeMarks), MarkFiles.flac([(4, comments)]),
                MarkFiles.flac([(5, MarkFiles.cueSheet([5, 1250]))]), MarkFiles.vorbis(comments, segmentsPerPage: 1),
                MarkFiles.vorbis(comments, isMultiplexed: true), opus,
            ] + tags
    }
}

private func read(_ bytes: [UInt8], frameCount: Int64 = 100_000) -> FileMarks {
    FileMarks(ByteSource(bytes), sampleRate: 1000, frameCount: frameCount)
}

@Suite("Marks of damaged files")
struct MarkDamageTests {
    @Test("a truncated file has a part of its marks, each at its frame") func truncations() {
        for (index, file) in Seeds().files.enumerated() {
            let whole = read(file).marks
            #expect(whole.count >= (index == 3 ? 1 : 2), "file \(index)")
            var counts: Set<Int> = []
            for length in file.indices {
                let part = read(Array(file[..<length])).marks
                counts.insert(part.count)
                let isPart = part.allSatisfy { mark in
                    whole.contains {
                        $0.frame == mark.frame && $0.name.hasPrefix(mark.name)
                            && [nil, $0.endFrame].contains(mark.endFrame)
                    }
                }
                if !isPart { Issue.record("file \(index), \(length) bytes: \(part)") }
            }
            // All marks from some length on, none below another, and a part between the two for files with several
            // marks.
            #expect(counts.isSuperset(of: 0...whole.count), "file \(index): \(counts)")
        }
    }

    @Test("comments and chapters behind megabytes of pictures are found, in Ogg pages without end")
    func pictures() {
        let picture = "METADATA_BLOCK_PICTURE=" + String(repeating: "QUJD", count: 1_200_000)
        let chapters = ["CHAPTER001=00:00:00.005", "CHAPTER001NAME=one"]
        let comments = MarkFiles.comments([picture] + chapters)
        let expected = [FileMark(name: "one", frame: 5)]
        #expect(read(MarkFiles.vorbis(comments, segmentsPerPage: 255)).marks == expected)
        let block = Array(repeating: 0xFF as UInt8, count: 0xFF_FFFF)
        let flac = MarkFiles.flac([(0, [0]), (6, block), (4, MarkFiles.comments(chapters))])
        #expect(read(flac).marks == expected)
        for version in [3, 4] as [UInt8] {
            let frames = [
                MarkFiles.frame("APIC", Array(block[..<5_000_000]), version: version),
                MarkFiles.chapter("a", 5, 6, title: [3] + Array("one".utf8), version: version),
            ]
            #expect(
                read(MarkFiles.tag(frames, version: version)).marks == [FileMark(name: "one", frame: 5, endFrame: 6)])
        }
    }

    @Test("counts and sizes that exceed the file are not believed")
    func claims() {
        let cue = FileMark(name: "", frame: 4)
        #expect(read(MarkFiles.wave([MarkFiles.cues([(1, 4)], count: .max)])).marks == [cue])
        #expect(read(MarkFiles.wave([MarkFiles.cues([(1, 4)], count: 0)])).marks.isEmpty)
        // The data chunk of a stream has no size, and a damaged chunk reaches far beyond the file.
        for told in [.max, .max - 1, 1 << 31] as [UInt32] {
            let endless = MarkFiles.chunk("data", [1, 2], told: told)
            #expect(read(MarkFiles.wave([MarkFiles.cues([(1, 4)]), endless])).marks == [cue])
            #expect(read(MarkFiles.wave([endless, MarkFiles.cues([(1, 4)])])).marks.isEmpty)
        }
        #expect(read(MarkFiles.aiff([(4, "")], count: .max)).marks == [cue])
        let comments = MarkFiles.comments(["CHAPTER1=00:00:00.004"], count: .max)
        #expect(read(MarkFiles.flac([(4, comments)])).marks == [cue])
        #expect(read(MarkFiles.vorbis(comments)).marks == [cue])
        var caf = Array("caff".utf8) + [0, 1, 0, 0] + MarkChunks.caf([TakeMark(name: "a", frame: 4)])
        // The number of marks; then a place that is not a number, negative, and too large for any frame.
        caf.replaceSubrange(24..<28, with: [255, 255, 255, 255])
        #expect(read(caf).marks == [FileMark(name: "a", frame: 4)])
        for place in [Double.nan, .infinity, -1, 1e300] {
            var other = caf
            other.replaceSubrange(32..<40, with: littleBytes(place.bitPattern).reversed())
            #expect(read(other).marks.isEmpty)
        }
        // The number of names, which puts the first name beyond the end.
        caf.replaceSubrange(caf.count - 18..<caf.count - 14, with: [255, 255, 255, 255])
        #expect(read(caf).marks == [cue])
    }

    @Test("reading is bounded for files of nothing but marks, chunks, blocks, pages or frames")
    func bounds() {
        let limit = FileMarks.countLimit
        let frames = Array(0..<UInt32(2 * limit))
        let first = (0..<Int64(limit)).map { FileMark(name: "", frame: $0) }
        #expect(read(MarkFiles.wave([MarkFiles.cues(frames.map { ($0, $0) })])).marks == first)
        #expect(read(MarkFiles.aiff(frames.map { ($0, "") })).marks == first)
        #expect(
            read(
                Array("caff".utf8) + [0, 1, 0, 0] + MarkChunks.caf(frames.map { TakeMark(name: "", frame: Int64($0)) })
            )
            .marks == first)
        let chapters = frames.map { frame -> String in
            let milliseconds = String(1000 + frame % 1000).dropFirst()
            return "CHAPTER\(100_000 + frame)=00:00:\(frame / 1000).\(milliseconds)"
        }
        #expect(read(MarkFiles.flac([(4, MarkFiles.comments(chapters))])).marks == first)
        let stretches = frames.map { MarkFiles.chapter("", $0, 0, title: nil, version: 4) }
        #expect(read(MarkFiles.tag(stretches, version: 4)).marks == first)

        let lists = (1...20).map { MarkFiles.list([MarkFiles.label($0, [65])]) }
        let named = read(MarkFiles.wave([MarkFiles.cues((1...20).map { ($0, $0) })] + lists)).marks
        #expect(named.map(\.name) == Array(repeating: "A", count: 16) + ["", "", "", ""])
        let subtitles = Array(repeating: MarkFiles.frame("TIT3", [3], version: 4), count: 64).flatMap { $0 }
        let chapter = MarkFiles.chapter("a", 5, 6, title: nil, version: 4)
        let full = MarkFiles.frame(
            "CHAP", chapter.dropFirst(10) + subtitles + MarkFiles.frame("TIT2", [3, 65], version: 4), version: 4)
        #expect(read(MarkFiles.tag([full], version: 4)).marks == [FileMark(name: "", frame: 5, endFrame: 6)])

        let nothing = [UInt8](repeating: 0, count: 4 << 20)
        let behind = MarkFiles.cues([(1, 4)])
        for head in ["RIFF\0\0\0\0WAVE", "FORM\0\0\0\0AIFF", "caff\0\u{1}\0\0", "fLaC"] {
            #expect(read(Array(head.utf8) + nothing + behind).marks.isEmpty)
        }
        let page = Array("OggS".utf8) + Array(repeating: 0, count: 22) + [1, 255] + Array(repeating: 3, count: 255)
        let start = MarkFiles.vorbis([]).prefix(27 + 1 + 11)
        #expect(read(start + Array(repeating: page, count: 10_000).flatMap { $0 }).marks.isEmpty)
    }

    @Test("a file gives the same marks as its bytes in memory, and a truncated file gives its part")
    func files() throws {
        let scratch = try Scratch()
        for (index, file) in Seeds().files.enumerated() {
            for (name, bytes) in [("\(index)", file), ("\(index) half", Array(file[..<(file.count / 2)]))] {
                let path = try scratch.write(name, bytes)
                #expect(try FileMarks(path: path, sampleRate: 1000, frameCount: 100_000) == read(bytes))
            }
        }
    }
}

// Runs on one thread, so the thread sanitizer finds nothing here.
@Suite("Marks of slightly damaged files", .enabled(if: !Sanitizers.watchThreads))
struct MarkFuzzTests {
    /// The number of files; WOODSHED_FUZZ_MARKS=1000000 for a long run.
    private var fileCount: Int { environmentCount("WOODSHED_FUZZ_MARKS", short: cases(8000, few: 4000)) }

    @Test("marks of damaged files lie in order within the recording, and make non-empty sections")
    func random() {
        // The same files in each run, unless others are requested.
        let seed = environmentCount("WOODSHED_SEED", short: 1991)
        print("MarkFuzzTests.random: WOODSHED_SEED=\(seed)")
        var mutator = ByteMutator(random: SeededGenerator(seed: UInt64(seed.magnitude)))
        let seeds = Seeds().files
        var (found, missed) = (0, 0)
        for _ in 0..<fileCount {
            var bytes = seeds.randomElement(using: &mutator.random) ?? []
            let other = seeds.randomElement(using: &mutator.random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &mutator.random) { mutator.change(&bytes, with: other) }
            let frameCount = Int64.random(in: 0...3000, using: &mutator.random)
            let marks = read(bytes, frameCount: frameCount)
            if marks.marks.isEmpty { missed += 1 } else { found += 1 }
            if let fault = fault(of: marks, frameCount: frameCount) { Issue.record("\(bytes): \(fault)") }
        }
        // Otherwise the files are not nearly right, but far from it.
        #expect(found > fileCount / 3 && missed > fileCount / 20)
    }

    private func fault(of marks: FileMarks, frameCount: Int64) -> String? {
        let list = marks.marks
        if marks.frameCount != frameCount { return "another length" }
        if list.count > FileMarks.countLimit { return "too many" }
        for mark in list {
            if !(0...frameCount).contains(mark.frame)
                || mark.endFrame.map({ $0 <= mark.frame || $0 > frameCount }) == true
            {
                return "\(mark) lies beyond"
            }
            if mark.name.utf8.count > FileMarks.nameByteLimit || mark.name.utf8.contains(0) { return "a name is none" }
        }
        for (mark, next) in zip(list, list.dropFirst()) {
            if mark.frame > next.frame || mark.frame == next.frame && mark.endFrame == next.endFrame {
                return "\(mark) comes before \(next)"
            }
        }
        let sections = marks.sections
        let whole = 0..<max(1, frameCount)
        if sections.contains(where: { $0.frames.isEmpty || $0.frames.clamped(to: whole) != $0.frames }) {
            return "a section is empty or beyond: \(sections)"
        }
        let starts = sections.map(\.frames.lowerBound)
        return starts == starts.sorted() && sections.count <= list.count ? nil : "sections out of order"
    }
}
