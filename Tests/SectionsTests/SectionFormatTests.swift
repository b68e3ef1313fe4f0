import Explanations
import TestSupport
import Testing

@testable import Sections

/// Files of sections from other programs, and for them.
@Suite("Section files")
struct SectionFormatTests {
    /// A hundred seconds at a rate of which a millisecond is no whole number of frames.
    private let recording = SectionList(sampleRate: 44_100, frameCount: 4_410_000)

    private func read(_ text: String, _ name: String, recordingName: String = "song.wav") throws -> ImportedSections {
        try SectionFormat.read(Array(text.utf8), fileName: name, for: recording, recordingName: recordingName)
    }

    /// Start and end in milliseconds, name and text.
    private func words(_ sections: ImportedSections) -> [String] {
        sections.drafts.map { draft in
            let times = [draft.frames.lowerBound, draft.frames.upperBound].map { ($0 * 1000 + 22_050) / 44_100 }
            return "\(times[0])-\(times[1]) \(draft.kind == .part ? "part " : "")\(draft.name)|\(draft.text)"
        }
    }

    @Test(
        "SubRip: any numbering, tags and blank lines are read, and the text becomes the section's")
    func subRip() throws {
        let text = """
            1
            00:00:01,000 --> 00:00:02,500
            <i>Hello</i> {\\an8}there
            second line

            7
            00:03.25 --> 0:04.5 X1:10 X2:20
            a < b & c
            8
            00:00:05,000 --> 00:00:06,000

            9
            oops --> 00:00:08,000
            lost
            10
            00:00:12,000 --> 00:00:11,000
            backwards

            11
            00:01:39,000 --> 00:02:30,000
            long
            12
            00:05:00,000 --> 00:06:00,000
            outside
            """
        let found = try read(text, "talk.srt")
        #expect(
            words(found) == [
                "1000-2500 |Hello there\nsecond line", "3250-4500 |a < b & c", "5000-6000 |", "99000-100000 |long",
            ])
        #expect(
            found.notes == [
                "1 section could not be read", "1 section ended before the beginning",
                "1 section lost the frames past the end of the recording",
                "1 section lay outside the recording",
            ])
    }

    @Test(
        "WebVTT: identifiers become names unless they are numbers, and notes and styles are left out"
    )
    func webVTT() throws {
        let text = """
            WEBVTT - a title

            NOTE
            nothing --> at all

            STYLE
            ::cue { color: red }

            1
            00:01.000 --> 00:02.000 align:start
            <v Anna>Fish &amp; chips &#169; <00:01.500><c.loud>now</c>

            Refrain
            00:00:03.000 --> 00:00:04.000
            la
            """
        #expect(words(try read(text, "talk.vtt")) == ["1000-2000 |Fish & chips © now", "3000-4000 Refrain|la"])
    }

    @Test("LRC: repeated times, word times and an offset are read, and an empty line ends a section")
    func lyrics() throws {
        let text = """
            [ti:Song]
            [offset:+500]
            [00:10.50][00:30.50]Refrain
            [00:20.50]<00:20.50>one <00:21.00>two
            [00:25.50]
            """
        #expect(
            words(try read(text, "song.lrc")) == [
                "10000-20000 part |Refrain", "20000-25000 part |one two", "30000-100000 part |Refrain",
            ])
    }

    @Test("Audacity labels, cue sheets, Reaper regions and mpv edit lists are read as sections")
    func others() throws {
        let labels = "1.000000\t2.500000\tIntro\n\\\t100.0\t200.0\n5.000000\t5.000000\tA\n9\t9\n"
        #expect(
            words(try read(labels, "labels.txt")) == ["1000-2500 Intro|", "5000-9000 part A|", "9000-100000 part |"])
        let cue = """
            TITLE "Album"
            FILE "other.wav" WAVE
              TRACK 01 AUDIO
                INDEX 01 00:09:00
            FILE "C:\\Music\\Song.flac" WAVE
              TRACK 02 AUDIO
                TITLE "First \\"part"
                INDEX 00 00:00:00
                INDEX 01 00:01:15
              TRACK 03 AUDIO
                INDEX 01 00:04:00
            """
        let sheet = try read(cue, "song.cue")
        #expect(words(sheet) == ["1200-4000 part First \\\"part|", "4000-100000 part |"])
        #expect(sheet.notes == ["only the tracks of 'C:\\Music\\Song.flac' were read"])
        let regions =
            "#,Name,Start,End,Length,Color\nR1,\"a, \"\"b\"\"\",0:01.500,0:02.000,0:00.500,\nM1,Solo,1:30.0,,,\n"
        #expect(words(try read(regions, "x.csv")) == ["1500-2000 a, \"b\"|", "90000-100000 part Solo|"])
        let list = "# mpv EDL v0\n%8%a,b;.wav,1.5,2,title=%3%x,y\nb.wav,length=1,start=4\n"
        #expect(words(try read(list, "x.edl")) == ["1500-3500 x,y|", "4000-5000 |"])
    }

    @Test("the content decides the format where the file name is missing or wrong")
    func formats() throws {
        #expect(SectionFormat(fileName: "a.b.SRT") == .srt && SectionFormat(fileName: "srt") == nil)
        #expect(try read("WEBVTT\n\n00:01.000 --> 00:02.000\nx", "talk.srt").format == .webVTT)
        #expect(try read("1\n00:00:01,000 --> 00:00:02,000\nx", "talk.txt").format == .srt)
        #expect(try read("[00:01.00]x", "song").format == .lrc)
        #expect(throws: SectionFormatError.self) { try read("no such thing", "notes.md") }
        #expect(throws: SectionFormatError.self) { try read("", "empty.srt") }
        #expect(throws: SectionFormatError.self) { try read("1\n00:10:00,000 --> 00:11:00,000\nx", "other.srt") }
    }

    @Test("UTF-8, UTF-16 with and without a mark, Latin-1 and Windows-1252 give the same words")
    func encodings() throws {
        let text = "1\r\n00:00:01,000 --> 00:00:02,000\r\nGrüße, Žena – “ça”\r\n"
        let wide = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let table: [Unicode.Scalar: UInt8] = ["Ž": 0x8E, "–": 0x96, "“": 0x93, "”": 0x94]
        let windows = text.unicodeScalars.map { table[$0] ?? UInt8($0.value) }
        for (bytes, note) in [
            (Array(text.utf8), nil), ([0xEF, 0xBB, 0xBF] + Array(text.utf8), nil),
            ([0xFF, 0xFE] + wide, "read as UTF-16"), ([0xFE, 0xFF] + big, "read as UTF-16"),
            (windows, "read as Windows-1252"),
        ] {
            let found = try SectionFormat.read(bytes, fileName: "a.srt", for: recording)
            #expect(found.drafts.first?.text == "Grüße, Žena – “ça”")
            #expect(found.notes == [note].compactMap { $0 })
        }
        let plain = "1\n00:00:01,000 --> 00:00:02,000\ngr\u{FC}n"
        let latin = plain.unicodeScalars.map { UInt8($0.value) }
        let found = try SectionFormat.read(latin, fileName: "a.srt", for: recording)
        #expect(found.drafts.first?.text == "grün" && found.notes == ["read as Latin-1"])
        let unmarked = plain.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(try SectionFormat.read(unmarked, fileName: "a.srt", for: recording).drafts.first?.text == "grün")
    }

    /// Lists as users make them.
    private func list(using random: inout SeededGenerator) throws -> SectionList {
        var list = SectionList(
            sampleRate: [8000, 44_100, 48_000, 192_000].randomElement(using: &random) ?? 8000, frameCount: 9_000_001)
        func words() -> String {
            let letters = Array("abc äß二,;\"'&<>=%|#.!\\{}[]")
            return String(
                (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in letters.randomElement(using: &random) }
            ).trimmed()
        }
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            let (left, right) = (
                Int64.random(in: 0..<9_000_000, using: &random), Int64.random(in: 1...300_000, using: &random)
            )
            if Bool.random(using: &random) {
                try list.apply(.mark(frame: left, name: words()))
            } else {
                let text = Bool.random(using: &random) ? words() + "\nb" : words()
                try list.apply(
                    .add([
                        SectionDraft(
                            left..<min(9_000_001, left + right), name: words(), text: text.trimmed(),
                            isHard: Bool.random(using: &random),
                            settings: Bool.random(using: &random) ? ["speed": "70%"] : [:])
                    ]))
            }
        }
        return list
    }

    @Test(
        "exported sections are imported again, whole by JSON and within its precision by each format"
    )
    func roundTrips() throws {
        var random = SeededGenerator(printedFor: "files of sections")
        for _ in 0..<cases(60, few: 15) {
            let list = try list(using: &random)
            for format in SectionFormat.allCases {
                let first = format.write(list, recordingName: "a, b%.wav")
                let found = try SectionFormat.read(
                    first.bytes, fileName: "x." + format.rawValue, for: list, recordingName: "a, b%.wav")
                var again = SectionList(sampleRate: list.sampleRate, frameCount: list.frameCount)
                try again.apply(.add(found.drafts))
                let name = "\(format): \(String(decoding: first.bytes, as: UTF8.self))"
                switch format {
                case .json:
                    #expect(first.notes.isEmpty && found.notes.isEmpty)
                    #expect(again.sections.map { details($0) } == list.sections.map { details($0) }, "\(name)")
                case .labels, .reaper, .edl:
                    #expect(again.sections.map(\.frames) == list.sections.map(\.frames), "\(name)")
                case .srt, .webVTT:
                    #expect(again.sections.count == list.sections.count, "\(name)")
                case .lrc, .cue:
                    #expect(!again.sections.isEmpty, "\(name)")
                }
                // The grain is lost once, and no more.
                if format != .lrc, format != .cue {
                    #expect(
                        times(format.write(again, recordingName: "a, b%.wav").bytes, format)
                            == times(first.bytes, format),
                        "\(name)")
                }
            }
        }
    }

    @Test("an arrow in the text of a section is no time when its subtitles are read again")
    func arrows() throws {
        var list = SectionList(sampleRate: 8000, frameCount: 80_000)
        try list.apply(.add([SectionDraft(0..<8000, name: "a", text: "see --> there\n1 ---> 2")]))
        let written = SectionFormat.srt.write(list, recordingName: "a.wav")
        let found = try SectionFormat.read(written.bytes, fileName: "x.srt", for: list, recordingName: "a.wav")
        #expect(found.drafts.map(\.text) == ["see → there\n1 -→ 2"])
        #expect(written.notes.contains { $0.contains("-->") })
    }

    private func details(_ section: SavedSection) -> [String] {
        [
            "\(section.kind)", "\(section.frames)", section.name, section.text, "\(section.isHard)",
            "\(section.settings)",
        ]
    }

    /// The lines with times, sorted: sections that begin in the same millisecond may change places.
    private func times(_ bytes: [UInt8], _ format: SectionFormat) -> [String] {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        return format == .srt || format == .webVTT ? lines.filter { $0.contains(" --> ") }.sorted() : lines
    }

    @Test("damaged files of every format are read as far as possible, and give valid sections")
    func damaged() throws {
        var random = SeededGenerator(printedFor: "damaged files of sections")
        for _ in 0..<environmentCount("WOODSHED_FUZZ_FORMATS", short: cases(600, few: 150)) {
            let format = SectionFormat.allCases.randomElement(using: &random) ?? .srt
            var bytes = format.write(try list(using: &random), recordingName: "a.wav").bytes
            for _ in 0..<Int.random(in: 1...12, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
                case 3: bytes.insert(contentsOf: [0xFF, 0xFE, 0, 0x0A], at: place)
                default: bytes.insert(contentsOf: Array("9999999999:99".utf8), at: place)
                }
            }
            let name = "x." + (SectionFormat.allCases.randomElement(using: &random) ?? .srt).rawValue
            guard let found = try? SectionFormat.read(bytes, fileName: name, for: recording) else { continue }
            var list = recording
            try list.apply(.add(found.drafts))
            #expect(!found.drafts.isEmpty && list.sections.allSatisfy { $0.frames.upperBound <= recording.frameCount })
        }
    }

    @Test("numbers beyond every recording are reported, and a rate of one frame per second is valid")
    func impossibleNumbers() throws {
        func sections(_ frames: String, rate: String) throws -> ImportedSections {
            try read(#"{"v":1,"sample_rate":\#(rate),"sections":[{\#(frames)}]}"#, "x.json")
        }
        let most = Int64.max
        for rate in ["1", "1000000"] {
            let far = try? sections(#""start_frame":\#(most - 1),"end_frame":\#(most)"#, rate: rate)
            #expect(far?.drafts.isEmpty ?? true)
        }
        let cut = try sections(#""start_frame":0,"end_frame":\#(most)"#, rate: "1")
        #expect(cut.drafts.map(\.frames) == [0..<recording.frameCount])
        #expect(try sections(#""start_frame":0,"end_frame":1"#, rate: "\(recording.sampleRate).0").drafts.count == 1)
        #expect(try sections(#""start_frame":0,"end_frame":1"#, rate: "\"x\"").drafts.map(\.frames) == [0..<1])
        let slow = try sections(#""start_frame":0,"end_frame":1"#, rate: "1")
        #expect(slow.drafts.map(\.frames) == [0..<min(Int64(recording.sampleRate), recording.frameCount)])
        for rate in ["0", "-1", "9223372036854775807", "1.5"] {
            #expect(throws: SectionFormatError.self, "\(rate)") {
                try sections(#""start_frame":0,"end_frame":1"#, rate: rate)
            }
        }
    }

    @Test("a file of a hundred thousand lines is read, up to the limit of sections in a list")
    func many() throws {
        var text = ""
        for line in 0..<110_000 { text += "\(line / 2000).\(1000 + line % 2000)\t\(line / 2000 + 1).5\tx\(line)\n" }
        let found = try read(text, "x.txt")
        #expect(found.drafts.count == SectionLimits.sectionCount)
        #expect(found.notes == ["10000 sections exceeded the number that a recording can have"])
        #expect(throws: SectionFormatError.self) {
            try SectionFormat.read(
                [UInt8](repeating: 65, count: SectionFormat.mostBytes + 1), fileName: "x.txt", for: recording)
        }
    }
}
