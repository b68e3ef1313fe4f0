// Replays the corpus: each input has found a fault, or reaches code not reached by any other input. The corpus of a
// reader is in Corpus/READER; scripts/soak/fuzz.sh --keep adds to the corpus.
import Files
import Glibc
import Testing

@Suite("Corpus of the fuzzed readers")
struct CorpusTests {
    private static let corpus = #filePath.replacing("CorpusTests.swift", with: "Corpus")

    @Test(
        "each corpus input is accepted or refused as its folder says, and none takes long", arguments: FuzzedReader.all)
    func replay(reader: FuzzedReader) throws {
        for verdict in ["accepted", "refused"] {
            let folder = "\(Self.corpus)/\(reader)/\(verdict)"
            let names = try Folder.names(in: folder).sorted()
            // A reader that accepts everything, or nothing, is called wrongly.
            #expect(!names.isEmpty, "\(folder) has no inputs")
            for name in names {
                let file = try unsafe RegularFile("\(folder)/\(name)")
                let bytes = try FileBytes.bytes(of: file.descriptor, count: Int(file.byteCount))
                let begin = Self.threadSeconds()
                do {
                    let isAccepted = try reader.accepts(bytes)
                    #expect(isAccepted == (verdict == "accepted"), "\(folder)/\(name)")
                } catch { Issue.record("\(folder)/\(name): \(error)") }
                // Of processor time; some inputs once took many seconds.
                #expect(Self.threadSeconds() - begin < 20, "\(folder)/\(name)")
            }
        }
    }

    private struct LongInput: Sendable, CustomStringConvertible {
        let description: String
        let text: String
    }

    /// Heads of the maximum length.
    private static let heads = [
        LongInput(description: "blanks behind a value", text: "x: a" + String(repeating: " ", count: 250_000)),
        LongInput(
            description: "blanks behind a checksum", text: "digest: a=b" + String(repeating: "\t", count: 250_000)),
        LongInput(
            description: "dots behind a name",
            text: "content-disposition: a;filename=b" + String(repeating: ".", count: 250_000)),
        LongInput(
            description: "flags in a name",
            text: "content-disposition: a;filename=" + String(repeating: "\u{1F1E6}", count: 60_000)),
    ]

    private static let subtitles = [
        LongInput(description: "overrides without an end", text: String(repeating: "{\\", count: 100_000)),
        LongInput(description: "tags without an end", text: String(repeating: "<a", count: 100_000)),
    ]

    // The limits are of processor time, which once grew with the square of the length.
    @Test("a long HTTP head takes time that grows only with its length", arguments: heads)
    private func longHead(input: LongInput) throws {
        let begin = Self.threadSeconds()
        #expect(try NetworkReaders.head(Array("HTTP/1.1 200 OK\r\n\(input.text)\r\n\r\n".utf8)))
        #expect(Self.threadSeconds() - begin < 20)
    }

    @Test("a long line of subtitles takes time that grows only with its length", arguments: subtitles)
    private func longSubtitle(input: LongInput) throws {
        let begin = Self.threadSeconds()
        #expect(try TextReaders.sections(Array("1\n00:00:01,000 --> 00:00:02,000\n\(input.text)\n".utf8)))
        #expect(Self.threadSeconds() - begin < 20)
    }

    @Test("each reader has a corpus, and each corpus has a reader")
    func folders() throws {
        #expect(try Folder.names(in: Self.corpus).sorted() == FuzzedReader.all.map(\.name).sorted())
    }

    private static func threadSeconds() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
