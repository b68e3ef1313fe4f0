// Lists and searches a store of 10,000 recordings with 100,000 sections, beside SQLite's own shell with the same query.
import BenchmarkRows
import Glibc
import WoodshedLibrary

let (recordingCount, sectionCount) = (10_000, 10)
let path = "store-benchmark.db"
let words = ["blue", "green", "train", "giant", "steps", "café", "naïve", "solo", "bridge", "verse", "coda", "intro"]

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    return try clock.measure(body) / .milliseconds(1)
}

/// A title of some words, the same in every run.
func title(_ number: Int) -> String {
    (0..<4).map { words[(number / (1 + $0 * 7) + $0) % words.count] }.joined(separator: " ") + " \(number)"
}

unsafe unlink(path)
let filling = try milliseconds {
    let store = try PracticeStore(.file(path))
    for number in 0..<recordingCount {
        let digits = String(number, radix: 16)
        guard let key = RecordingKey(String(repeating: "0", count: 32 - digits.count) + digits) else { continue }
        let recording = PracticeRecording(
            key: key, sampleRate: 44_100, frameCount: 10_000_000, title: title(number), path: "/music/\(number).flac")
        let drafts = (0..<sectionCount).map { index in
            SectionDraft(
                Int64(index) * 1000..<Int64(index + 1) * 1000, name: title(number * 31 + index),
                text: "\(title(number + index)) \(title(number * 7 + index))")
        }
        try store.apply(.add(drafts), to: recording)
    }
}
print("  filling: \(recordingCount) edits of \(sectionCount) sections, \(Int(filling)) ms")
record("Store", "an edit of 10 sections, kept on the disk", unit: "ms", .lower, [filling / Double(recordingCount)])

let columns = "id, key, title, path, seen, position, settings, section_count"
func matches(_ text: String) -> String {
    """
    SELECT \(columns) FROM recording WHERE id IN (SELECT rowid FROM recording_words WHERE recording_words MATCH '\(text)' \
    UNION SELECT recording FROM section WHERE row IN (SELECT rowid FROM section_words WHERE section_words MATCH '\(text)')) \
    ORDER BY seen DESC
    """
}
let questions: [(name: String, text: String?, query: String)] = [
    ("list", nil, "SELECT \(columns) FROM recording ORDER BY seen DESC"),
    ("search 'giant 99'", "giant 99", matches(#""giant"* AND "99"*"#)),
    ("search 'caf'", "caf", matches(#""caf"*"#)),
    ("search, nothing found", "xyzzy", matches(#""xyzzy"*"#)),
]
for (name, text, query) in questions {
    var (times, shellTimes, found) = ([Double](), [Double](), 0)
    let store = try PracticeStore(.file(path))
    for _ in 0..<11 {
        times.append(
            try milliseconds {
                found = try (text.map { try store.recordings(matching: $0) } ?? store.recordings()).count
            })
        shellTimes.append(
            milliseconds { _ = unsafe system("sqlite3 \(path) '\(query.replacing("'", with: #"'\''"#))' > /dev/null") })
    }
    let (median, shell) = (times.sorted()[5], shellTimes.sorted()[5])
    print("  \(name): \(found) recordings, \(median) ms; sqlite3 with its start \(shell) ms, ratio \(median / shell)")
    record("Store", name, unit: "ms", .lower, times)
    record("Store", "\(name), beside sqlite3", unit: "times", .lower, [median / shell])
}

try measureLibrary()
