import AudioFiles
import SoundFileSupport
import Testing

@Suite("Sections from marks")
struct FileSectionTests {
    private func sections(_ marks: [FileMark], frameCount: Int64 = 100) -> [FileSection] {
        FileMarks(marks, frameCount: frameCount).sections
    }

    private func names(_ marks: [FileMark]) -> [String] { FileMarks(marks, frameCount: 100).marks.map(\.name) }

    @Test("sections reach from mark to mark and to the end, and none precedes the first mark")
    func places() {
        let made = sections([
            FileMark(name: "b", frame: 40), FileMark(name: "a", frame: 10), FileMark(name: "", frame: 90),
        ])
        #expect(made.map(\.frames) == [10..<40, 40..<90, 90..<100] && made.map(\.name) == ["a", "b", ""])
        #expect(sections([]).isEmpty)
        #expect(sections([FileMark(name: "all", frame: 0)]).map(\.frames) == [0..<100])
    }

    @Test("marks with lengths become sections of their own among the sections between marks")
    func stretches() {
        let made = sections([
            FileMark(name: "solo", frame: 20, endFrame: 60), FileMark(name: "a", frame: 10),
            FileMark(name: "b", frame: 20), FileMark(name: "bar", frame: 20, endFrame: 24),
        ])
        #expect(made.map(\.name) == ["a", "b", "solo", "bar"])
        #expect(made.map(\.frames) == [10..<20, 20..<100, 20..<60, 20..<24])
    }

    @Test("sections from marks are never empty, and end at the end of the recording")
    func ends() {
        let marks = [
            FileMark(name: "last", frame: 99), FileMark(name: "end", frame: 100), FileMark(name: "beyond", frame: 101),
            FileMark(name: "before", frame: -1), FileMark(name: "long", frame: 90, endFrame: .max),
            FileMark(name: "over", frame: 100, endFrame: 200),
        ]
        #expect(sections(marks).map(\.name) == ["long", "last"])
        #expect(sections(marks).map(\.frames) == [90..<100, 99..<100])
        #expect(names(marks) == ["long", "last", "end"])
        #expect(sections(marks, frameCount: 0).isEmpty && sections(marks, frameCount: -5).isEmpty)
        #expect(FileMark(name: "", frame: 5, endFrame: 5).endFrame == nil)
    }

    @Test("a section from repeated marks has the first name of its place or range")
    func duplicates() {
        let marks = [
            FileMark(name: "", frame: 5), FileMark(name: "first", frame: 5), FileMark(name: "second", frame: 5),
            FileMark(name: "", frame: 5, endFrame: 9), FileMark(name: "stretch", frame: 5, endFrame: 9),
        ]
        #expect(names(marks) == ["first", "stretch"])
        #expect(sections(marks).map(\.name) == ["first", "stretch"])
    }

    @Test("the number of sections from marks is limited, and names are cut at whole characters")
    func bounds() {
        let many = (0..<5000).map { FileMark(name: "", frame: Int64($0)) }
        #expect(FileMarks(many, frameCount: 10_000).sections.count == FileMarks.countLimit)
        for (name, kept) in [
            (String(repeating: "a", count: 5000), 4096), ("a" + String(repeating: "é", count: 2048), 4095),
            (String(repeating: "🎵", count: 1024), 4096), ("ab" + String(repeating: "🎵", count: 1024), 4094),
        ] {
            let cut = names([FileMark(name: name, frame: 1)])
            #expect(cut.count == 1 && cut[0].utf8.count == kept && name.hasPrefix(cut[0]))
        }
    }
}
