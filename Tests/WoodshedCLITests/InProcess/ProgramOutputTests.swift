// Machine-readable output whose reader does not read.
import Glibc
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Terminal
@testable import WoodshedCLI

@Suite("Output that is not read")
struct ProgramOutputTests {
    private let pipe = Pipe()

    /// Reads until everything is written.
    private func read(_ output: ProgramOutput) -> [String] {
        _ = fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let isWritten = output.wait(milliseconds: 10)
            let count = unsafe Glibc.read(pipe.readEnd, &buffer, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) } else if isWritten { break }
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func field(_ name: String, _ line: String) -> Int64? {
        JSONValue(reading: Array(line.utf8))?[name]?.integer(in: .counts)
    }

    @Test("waiting output is bounded, left-out lines are counted in place, and the last line is kept")
    func bounded() {
        let limit = 200_000
        let output = ProgramOutput(StandardStream(descriptor: pipe.writeEnd), limit: limit)
        let filler = String(repeating: "x", count: 90)
        var (count, told): (Int64, Int64) = (0, 0)
        func put(_ number: Int64) {
            for _ in 0..<number {
                output.put("{\"n\":\(count),\"x\":\"\(filler)\"}\n")
                count += 1
            }
            #expect(output.counts.waiting <= limit)
        }
        put(10_000)
        #expect(output.counts.lost > 5000)
        let first = read(output)
        #expect(output.counts.lost > 5000 && field("n", first[0]) == 0)
        put(10)
        output.put("{\"last\":1}\n", isLast: true)
        var next: Int64 = 0
        for line in first + read(output) {
            if let lines = field("lines", line) {
                #expect(line == #"{"v":1,"event":"output.lost","lines":\#(lines)}"#)
                (told, next) = (told + lines, next + lines)
            } else if let number = field("n", line) {
                #expect(number == next)
                next = number + 1
            } else {
                #expect(field("last", line) == 1)
            }
        }
        #expect(next == count && told > 5000)
        #expect(output.counts.lost == 0)
    }

    @Test("a last line finds room in full output, and the lines without room are counted")
    func last() {
        let output = ProgramOutput(StandardStream(descriptor: pipe.writeEnd), limit: 100_000)
        for _ in 0..<2000 { output.put(String(repeating: "y", count: 99) + "\n") }
        output.put("last\n", isLast: true)
        let lines = read(output)
        #expect(lines.last == "last")
        // The thread may have made room in between.
        let told = lines.compactMap { field("lines", $0) }
        #expect(!told.isEmpty)
        #expect(lines.count - 1 - told.count + Int(told.reduce(0, +)) == 2000)
    }

    @Test("a line longer than the room is written, and messages go on after a failed message")
    func longLine() throws {
        let output = ProgramOutput(StandardStream(descriptor: pipe.writeEnd), limit: 100_000)
        output.put(String(repeating: "z", count: 300_000) + "\n")
        #expect(output.counts.lost == 0)
        #expect(read(output).map(\.count) == [300_000])
        // Every write to a descriptor for reading fails.
        let messages = ProgramOutput(StandardStream(descriptor: pipe.readEnd), goesOn: true)
        for text in ["a\n", "b\n"] {
            messages.put(text)
            #expect(eventually { messages.wait(milliseconds: 10) })
        }
        #expect(messages.failure == nil && messages.counts.written == 4)
    }

    private final class Told: Sendable { let count = Atomic(0) }

    @Test("a reader that is gone is reported once, and no line waits for it")
    func gone() throws {
        signal(SIGPIPE, SIG_IGN)
        // A connection of this test alone, whose reading end is closed, also in programs started by other tests. A pipe
        // cannot be made so in a single call of Swift's Glibc.
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let output = ProgramOutput(StandardStream(descriptor: ends[1]))
        let told = Told()
        output.onFailure { told.count.add(1, ordering: .relaxed) }
        output.put("a\n")
        #expect(eventually { told.count.load(ordering: .relaxed) == 1 })
        #expect(output.failure == .closed && output.wait(milliseconds: 0))
        output.put("b\n")
        #expect(output.counts.waiting == 0)
    }
}
