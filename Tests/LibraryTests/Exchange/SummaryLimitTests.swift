// Summaries that are reported after each piece of work: their length does not grow with the work.
import Testing

@testable import Library

@Suite("The summaries of imports and repairs")
struct SummaryLimitTests {
    @Test("an import names the first 100 refused files, and tells of further files in one sentence")
    func refused() {
        var summary = ImportSummary()
        for number in 1...100 { summary.refuse("file \(number)") }
        #expect(summary.refused == (1...100).map { "file \($0)" })
        for number in 101...10_000 { summary.refuse("file \(number)") }
        #expect(summary.refused.count == 101 && summary.refused.last == "more files were not imported")
    }

    @Test("a merge names the first 20 recordings of another sound, and counts all of them")
    func otherSound() {
        let titles = (1...50).map { "\($0)" }
        var (whole, pieces) = (MergeSummary(), MergeSummary())
        whole.skipSections(of: titles)
        for first in stride(from: 0, to: 50, by: 7) {
            var piece = MergeSummary()
            piece.skipSections(of: Array(titles[first..<min(first + 7, 50)]))
            pieces += piece
        }
        #expect(whole == pieces && whole.otherSound == Array(titles[..<20]) && whole.otherSounds == 30)
        #expect(whole.isEmpty)
    }

    @Test("a repair names the first 1000 differing fields, and counts the others")
    func conflicts() {
        let all = (1...1600).map { SalvageConflict(thing: "\($0)", field: "title", kept: "a", passedOver: "b") }
        var summary = SalvageSummary()
        for first in stride(from: 0, to: 1600, by: 400) { summary.add(Array(all[first..<first + 400])) }
        #expect(summary.conflicts == Array(all[..<1000]) && summary.otherConflicts == 600 && summary.isEmpty)
    }
}
