import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct FileNameTests {
    @Test("a file name in UTF-8 is its own text")
    func plain() {
        for name in ["a.wav", "Übung 1.flac", "音.mp3", "🎸", "", "\u{10FEFF}"] {
            #expect(FileName.text(of: name.utf8) == name && FileName.bytes(of: name) == Array(name.utf8))
            #expect(FileName.isUTF8(name))
        }
    }

    @Test("a file name of any bytes comes back from its text, and no two names share a text")
    func anyBytes() {
        var generator = SeededGenerator(printedFor: #function)
        // Beginnings and parts of characters, and the characters that stand for bytes.
        let parts: [[UInt8]] = [
            [0x61], [0xE9], [0xFF], [0xC3], [0xA9], [0xE2, 0x82], [0xF4, 0x8F, 0xBF, 0xA9], [0xF4, 0x8F],
            [0xED, 0xA0, 0x80],
            [0xC0, 0xAF], [0x2F], [0xF4, 0x90, 0x80, 0x80],
        ]
        var names: [String: [UInt8]] = [:]
        for _ in 0..<3000 {
            let name = (0..<Int.random(in: 0...4, using: &generator)).flatMap { _ in
                parts.randomElement(using: &generator) ?? []
            }
            let text = FileName.text(of: name)
            #expect(FileName.bytes(of: text) == name, "\(generator)")
            #expect((names.updateValue(name, forKey: text) ?? name) == name, "\(generator)")
        }
    }

    @Test("an absolute name follows links of folders, and keeps a link in the last place")
    func absolute() throws {
        let scratch = try Scratch()
        let odd = scratch.path + "/" + FileName.text(of: [0x61, 0xE9])
        #expect(unsafe mkdir(FileName.systemName(odd), 0o700) == 0)
        #expect(unsafe symlink("../elsewhere.wav", FileName.systemName(odd + "/song.wav")) == 0)
        #expect(unsafe symlink(FileName.systemName(odd), scratch.path + "/link") == 0)
        let root = try #require(FileName.absolute(scratch.path))
        let name = "\(root)/\(FileName.text(of: [0x61, 0xE9]))/song.wav"
        for text in ["\(odd)/song.wav", "\(scratch.path)/link/song.wav", "\(scratch.path)/link/../link//./song.wav"] {
            #expect(FileName.absolute(text) == name)
        }
        #expect(FileName.absolute("song.wav").map { $0.hasPrefix("/") && $0.hasSuffix("/song.wav") } == true)
        #expect(FileName.absolute("/song.wav") == "/song.wav" && FileName.absolute("") == nil)
        #expect(FileName.absolute("\(scratch.path)/link/\u{301}a.wav") == "\(name.dropLast(8))\u{301}a.wav")
        #expect(FileName.absolute(scratch.path + "/nowhere/song.wav") == nil && FileName.absolute("a/") == nil)
    }

    @Test("a recording whose name is not UTF-8 is opened")
    func opening() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 3000))
        guard let path = try scratch.linkOfBytes(to: "a.wav") else { return }
        #expect(!FileName.isUTF8(path))
        #expect(try decode(path) == decode(scratch.file("a.wav")))
    }
}
