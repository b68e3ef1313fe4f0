import AudioFiles
import Foundation
import SoundFileSupport

@testable import Takes

/// Marks as another program would read them: by walking through the chunks of the file.
enum TakeFileMarks {
    /// A file that another program would not read. An error, not an issue of the test: a disk that lies may leave such
    /// a file.
    struct WrongFile: Error, CustomStringConvertible { let description: String }

    private static func check(_ isRight: Bool, _ fault: @autoclosure () -> String) throws {
        if !isRight { throw WrongFile(description: fault()) }
    }

    /// - Throws: `WrongFile` for a file with wrong lengths or unknown parts.
    /// - Parameter mayHaveTail: whether bytes beyond the header's count may follow, as a failing disk may leave behind.
    static func read(_ path: String, mayHaveTail: Bool = false) throws -> [TakeMark] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let head = try bytes(file, at: 0, 4)
        return head == Array("caff".utf8) ? try caf(file, mayHaveTail) : try wave(file, mayHaveTail)
    }

    private static func bytes(_ file: FileHandle, at offset: UInt64, _ count: Int) throws -> [UInt8] {
        try file.seek(toOffset: offset)
        let found = [UInt8](try file.read(upToCount: count) ?? Data())
        try check(found.count == count, "\(found.count) of \(count) bytes at \(offset)")
        return found
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func wave(_ file: FileHandle, _ mayHaveTail: Bool) throws -> [TakeMark] {
        func little(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 { number(bytes.reversed()) }
        var place: UInt64 = 12
        var dataBytes: UInt64?
        var frames: [UInt64: Int64] = [:]
        var names: [UInt64: String] = [:]
        let riff = try bytes(file, at: 0, 36)
        let isLong = riff.starts(with: Array("RF64".utf8))
        let end = 8 + (isLong ? little(riff[20..<28]) : little(riff[4..<8]))
        let fileEnd = try file.seekToEnd()
        try check(end == fileEnd || mayHaveTail && end < fileEnd, "the header counts \(end) of \(fileEnd) bytes")
        if isLong { dataBytes = little(riff[28..<36]) }
        while place + 8 <= end {
            let head = try bytes(file, at: place, 8)
            var size = little(head[4..<8])
            let name = text(head[0..<4])
            if name == "data", let dataBytes { size = dataBytes }
            try check(size <= end - place - 8, "the chunk '\(name)' has \(size) bytes at \(place) of \(end)")
            let content = name == "data" ? [] : try bytes(file, at: place + 8, Int(size))
            if name == "cue " {
                try check(
                    content.count >= 4 && content.count == 4 + 24 * Int(little(content[0..<4])),
                    "a wrong number of cues")
                for cue in stride(from: 4, to: content.count, by: 24) {
                    try check(text(content[cue + 8..<cue + 12]) == "data", "a cue outside of the samples")
                    frames[little(content[cue..<cue + 4])] = Int64(little(content[cue + 20..<cue + 24]))
                }
            }
            if name == "LIST" {
                try check(content.count >= 4 && text(content[0..<4]) == "adtl", "a list of another kind")
                var label = 4
                while label < content.count {
                    try check(label + 8 <= content.count, "a label without a length")
                    let size = Int(little(content[label + 4..<label + 8]))
                    try check(text(content[label..<label + 4]) == "labl", "a part that is no label")
                    try check(size >= 4 && label + 8 + size <= content.count, "a label of \(size) bytes")
                    names[little(content[label + 8..<label + 12])] = text(content[(label + 12)..<(label + 8 + size)])
                    label += 8 + size + size % 2
                }
            }
            place += 8 + size + size % 2
        }
        try check(place == end, "the chunks end at \(place) of \(end)")
        return try marks(frames, names)
    }

    private static func marks(_ frames: [UInt64: Int64], _ names: [UInt64: String]) throws -> [TakeMark] {
        try frames.sorted { $0.key < $1.key }.map { number, frame in
            guard let name = names[number] else { throw WrongFile(description: "a mark without a name") }
            return TakeMark(name: name, frame: frame)
        }
    }

    private static func caf(_ file: FileHandle, _ mayHaveTail: Bool) throws -> [TakeMark] {
        var place: UInt64 = 8
        let end = try file.seekToEnd()
        var frames: [UInt64: Int64] = [:]
        var names: [UInt64: String] = [:]
        while place + 12 <= end {
            let head = try bytes(file, at: place, 12)
            let (name, size) = (text(head[0..<4]), number(head[4..<12]))
            // Bytes cut off or left behind the samples by a failing disk are not a chunk.
            if mayHaveTail, name != "data", size > end - place - 12 || !["desc", "mark", "strg"].contains(name) {
                break
            }
            try check(size <= end - place - 12, "the chunk '\(name)' has \(size) bytes at \(place) of \(end)")
            let content = name == "data" ? [] : try bytes(file, at: place + 12, Int(size))
            if name == "mark" {
                try check(
                    content.count >= 8 && content.count == 8 + 28 * Int(number(content[4..<8])),
                    "a wrong number of marks")
                for mark in stride(from: 8, to: content.count, by: 28) {
                    let frame = Double(bitPattern: number(content[mark + 4..<mark + 12]))
                    frames[number(content[mark + 12..<mark + 16])] = Int64(frame)
                }
            }
            if name == "strg" {
                try check(content.count >= 4, "a list of texts without a number")
                let count = Int(number(content[0..<4]))
                try check(4 + 12 * count <= content.count, "\(count) texts in \(content.count) bytes")
                for entry in 0..<count {
                    let offset = Int(clamping: number(content[4 + entry * 12 + 4..<4 + entry * 12 + 12]))
                    try check((0...content.count - 4 - count * 12).contains(offset), "a text at \(offset)")
                    names[number(content[4 + entry * 12..<4 + entry * 12 + 4])] = text(
                        content[(4 + count * 12 + offset)...])
                }
            }
            place += 12 + size
        }
        try check(place == end || mayHaveTail && place <= end, "the chunks end at \(place) of \(end)")
        return try marks(frames, names)
    }
}
