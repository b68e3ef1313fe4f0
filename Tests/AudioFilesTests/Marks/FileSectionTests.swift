import AudioFiles
import SoundFileSupport
import Testing

@Suite("Sections of marks")
struct FileSectionTests {
    private func sections(_ marks: [FileMark], frameCount: Int64 = 100) -> [FileSection] {
        FileMarks(marks, frameCount: frameCount).sections
    }

    private func names(_ marks: [FileMark]) -> [String] { FileMarks(marks, frameCount: 100).marks.map(\.name) }

    @Test("reach from mark to mark and to the end; what lies in front of the first mark belongs to none")
    func places() {
        let made = sections([
            FileMark(name: "b", frame: 40), FileMark(name: "a", frame: 10), FileMark(name: "", frame: 90),
        ])
        #expect(made.map(\.frames) == [10..<40, 40..<90, 90..<100] && made.map(\.name) == ["a", "b", ""])
        #expect(sections([]).isEmpty)
        #expect(sections([FileMark(name: "all", frame: 0)]).map(\.frames) == [0..<100])
    }

    @Test("of stretches stand for themselves, among those between places")
    func stretches() {
        let made = sections([
            FileMark(name: "solo", frame: 20, endFrame: 60), FileMark(name: "a", frame: 10),
            FileMark(name: "b", frame: 20), FileMark(name: "bar", frame: 20, endFrame: 24),
        ])
        #expect(made.map(\.name) == ["a", "b", "solo", "bar"])
        #expect(made.map(\.frames) == [10..<20, 20..<100, 20..<60, 20..<24])
    }

    @Test("are never empty: a mark at the end makes none, and what lies beyond is left out or cut off")
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

    @Test("have the first name that is told of a place or stretch")
    func duplicates() {
        let marks = [
            FileMark(name: "", frame: 5), FileMark(name: "first", frame: 5), FileMark(name: "second", frame: 5),
            FileMark(name: "", frame: 5, endFrame: 9), FileMark(name: "stretch", frame: 5, endFrame: 9),
        ]
        #expect(names(marks) == ["first", "stretch"])
        #expect(sections(marks).map(\.name) == ["first", "stretch"])
    }

    @Test("are bounded in number, and their names in length, at whole characters")
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
