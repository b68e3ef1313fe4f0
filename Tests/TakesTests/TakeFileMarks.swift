import AudioFiles
import Foundation
import SoundFileSupport
import Testing

@testable import Takes

/// Marks as another program would read them: by walking through the chunks of the file.
enum TakeFileMarks {
    ///
    /// - Parameter mayHaveTail: whether bytes beyond the header's count may follow, as a failing disk may leave behind.
    static func read(_ path: String, mayHaveTail: Bool = false) throws -> [TakeMark] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let head = [UInt8](try #require(try file.read(upToCount: 4)))
        return head == Array("caff".utf8) ? try caf(file, mayHaveTail) : try wave(file, mayHaveTail)
    }

    private static func bytes(_ file: FileHandle, at offset: UInt64, _ count: Int) throws -> [UInt8] {
        try file.seek(toOffset: offset)
        return [UInt8](try file.read(upToCount: count) ?? Data())
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
        #expect(end == fileEnd || mayHaveTail && end < fileEnd, "the header counts \(end) of \(fileEnd) bytes")
        if isLong { dataBytes = little(riff[28..<36]) }
        while place + 8 <= end {
            let head = try bytes(file, at: place, 8)
            var size = little(head[4..<8])
            let name = text(head[0..<4])
            if name == "data", let dataBytes { size = dataBytes }
            let content = name == "data" ? [] : try bytes(file, at: place + 8, Int(size))
            if name == "cue " {
                try #require(content.count == 4 + 24 * Int(little(content[0..<4])))
                for cue in stride(from: 4, to: content.count, by: 24) {
                    #expect(text(content[cue + 8..<cue + 12]) == "data")
                    frames[little(content[cue..<cue + 4])] = Int64(little(content[cue + 20..<cue + 24]))
                }
            }
            if name == "LIST" {
                #expect(text(content[0..<4]) == "adtl")
                var label = 4
                while label < content.count {
                    let size = Int(little(content[label + 4..<label + 8]))
                    #expect(text(content[label..<label + 4]) == "labl")
                    names[little(content[label + 8..<label + 12])] = text(content[(label + 12)..<(label + 8 + size)])
                    label += 8 + size + size % 2
                }
            }
            place += 8 + size + size % 2
        }
        #expect(place == end)
        return try frames.keys.sorted().map { TakeMark(name: try #require(names[$0]), frame: frames[$0] ?? -1) }
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
            if mayHaveTail, name != "data", place + 12 + size > end || !["desc", "mark", "strg"].contains(name) {
                break
            }
            let content = name == "data" ? [] : try bytes(file, at: place + 12, Int(size))
            if name == "mark" {
                try #require(content.count == 8 + 28 * Int(number(content[4..<8])))
                for mark in stride(from: 8, to: content.count, by: 28) {
                    let frame = Double(bitPattern: number(content[mark + 4..<mark + 12]))
                    frames[number(content[mark + 12..<mark + 16])] = Int64(frame)
                }
            }
            if name == "strg" {
                let count = Int(number(content[0..<4]))
                for entry in 0..<count {
                    let offset = Int(number(content[4 + entry * 12 + 4..<4 + entry * 12 + 12]))
                    names[number(content[4 + entry * 12..<4 + entry * 12 + 4])] = text(
                        content[(4 + count * 12 + offset)...])
                }
            }
            place += 12 + size
        }
        #expect(place == end || mayHaveTail && place <= end)
        return try frames.keys.sorted().map { TakeMark(name: try #require(names[$0]), frame: frames[$0] ?? -1) }
    }
}
