// Texts for a signal handler.
import Glibc
import TestSupport
import Testing

@testable import Terminal

@Suite("Texts for a signal handler")
struct PreparedTextTests {
    private let folder = TestFolder()

    /// Writes a text to a file; returns the contents of the file.
    private func written(_ text: borrowing PreparedText) -> String {
        let file = unsafe open(folder["text"], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(file) }
        text.write(to: StandardStream(descriptor: file))
        return String(decoding: folder.read("text"), as: UTF8.self)
    }

    @Test("a text is written once, whole and in order, also after a part of it was written or replaced")
    func order() {
        let text = PreparedText()
        var seen = [written(text)]
        for number in 1...3 { text.add("\(number)\n") }
        text.add("")
        for _ in 0..<2 { seen.append(written(text)) }
        text.add("4\n")
        text.add("5\n")
        seen.append(written(text))
        text.add("6\n")
        text.replace(by: "seven\n")
        text.add("8\n")
        seen.append(written(text))
        text.add("9\n")
        text.replace(by: "")
        seen.append(written(text))
        #expect(seen == ["", "1\n2\n3\n", "", "4\n5\n", "seven\n8\n", ""])
    }

    /// The processor's time of this thread, in seconds.
    private func processorTime() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    @Test("a piece costs the same, however long the text is already")
    func cost() {
        let text = PreparedText()
        let line = String(repeating: "x", count: 99) + "\n"
        let begin = processorTime()
        for _ in 0..<50_000 { text.add(line) }
        // Copies of all earlier lines would be 125 GB.
        #expect(processorTime() - begin < 5)
        let count = written(text).utf8.count
        #expect(count == 5_000_000)
    }
}
