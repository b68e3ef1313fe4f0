// Entries rejected by the cache, and places where the cache cannot be written.
import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Files
@testable import Waveforms

@Suite("A damaged cache of waveforms")
struct CacheDamageTests {
    /// Possible faults of a kept waveform: the file's content instead of `bytes`; `other` is another recording's.
    private func damages(
        _ bytes: [UInt8], other: [UInt8], random: inout SeededGenerator
    ) -> [(String, [UInt8])] {
        var damages: [(String, [UInt8])] = [
            ("empty", []), ("zeros", [UInt8](repeating: 0, count: bytes.count)), ("longer", bytes + [0]),
            ("of another recording", other), ("text", Array("waveform".utf8)),
            ("zeros at its end", bytes.prefix(100) + [UInt8](repeating: 0, count: bytes.count - 100)),
        ]
        for version: UInt8 in [0, 2, 200] {
            var changed = bytes
            changed[8] = version
            damages.append(("of version \(version)", sealed(changed)))
        }
        var keyless = bytes
        keyless.replaceSubrange(56..<72, with: [UInt8](repeating: 0, count: 16))
        damages.append(("of no known recording", sealed(keyless)))
        for _ in 0..<8 {
            let length = Int.random(in: 0..<bytes.count, using: &random)
            damages.append(("\(length) bytes of \(bytes.count)", Array(bytes.prefix(length))))
            var changed = bytes
            let bit = Int.random(in: 0..<8 * bytes.count, using: &random)
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            damages.append(("with bit \(bit) turned", changed))
        }
        return damages
    }

    @Test("a damaged or foreign waveform in the cache is removed, and a new one is stored")
    func entries() throws {
        var bench = try CacheBench("CacheDamageTests.entries")
        var random = SeededGenerator(printedFor: "CacheDamageTests.entries")
        let (path, waveform, entry) = try bench.kept("a.wav")
        let (_, _, other) = try bench.kept("b.wav")
        let whole = try bytes(of: entry)
        for (name, damaged) in damages(whole, other: try bytes(of: other), random: &random) {
            try write(damaged, to: entry)
            let lookup = bench.cache().lookup(path: path, tones: true)
            #expect(lookup.waveform == nil && !lookup.remarks.isEmpty, "\(name)")
            #expect(!isThere(entry), "\(name)")
            #expect(bench.cache().store(waveform, of: lookup) == .stored)
            #expect(try bytes(of: entry) == whole)
            #expect(bench.cache().lookup(path: path, tones: true).waveform == waveform, "\(name)")
        }
    }

    @Test("a waveform without tones is refused under the name of one with tones")
    func kinds() throws {
        var bench = try CacheBench("CacheDamageTests.kinds")
        let (path, waveform, entry) = try bench.kept("a.wav", tones: false)
        let coloured = entry.replacingOccurrences(of: ".waveform", with: "+tones.waveform")
        try FileManager.default.moveItem(atPath: entry, toPath: coloured)
        #expect(bench.cache().lookup(path: path, tones: true).waveform == nil && !isThere(coloured))
        let lookup = bench.cache().lookup(path: path, tones: true)
        #expect(bench.cache().store(waveform, of: lookup) == .stored && isThere(entry))
    }

    @Test("the cache waits for no pipe, follows no link, and leaves a folder in a waveform's place")
    func oddEntries() throws {
        var bench = try CacheBench("CacheDamageTests.oddEntries")
        let (path, waveform, entry) = try bench.kept("a.wav")
        let (_, _, other) = try bench.kept("b.wav")
        let aside = bench.scratch.file("aside")
        try FileManager.default.copyItem(atPath: entry, toPath: aside)
        let places: [(String, () throws -> Void)] = [
            ("pipe", { try makePipe(at: entry) }),
            ("link to nowhere", { try makeLink(at: entry, to: "/nowhere/at/all") }),
            ("link to a whole one", { try makeLink(at: entry, to: aside) }),
            ("link to another", { try makeLink(at: entry, to: other) }),
        ]
        for (name, place) in places {
            try FileManager.default.removeItem(atPath: entry)
            try place()
            let lookup = bench.cache().lookup(path: path, tones: true)
            #expect(lookup.waveform == nil && !lookup.remarks.isEmpty && !isThere(entry), "\(name)")
            #expect(bench.cache().store(waveform, of: lookup) == .stored, "\(name)")
        }
        #expect(try bytes(of: aside) == bytes(of: entry))
        #expect(isThere(other))
        try FileManager.default.removeItem(atPath: entry)
        try FileManager.default.createDirectory(atPath: entry, withIntermediateDirectories: false)
        let lookup = bench.cache().lookup(path: path, tones: true)
        #expect(lookup.waveform == nil && lookup.remarks.first?.contains("cannot be removed") == true)
        guard case .notStored = bench.cache().store(waveform, of: lookup) else {
            Issue.record("a folder was replaced")
            return
        }
        #expect(bench.names(".part").isEmpty)
    }

    @Test("a source file of the cache that is cut, changed or foreign is ignored")
    func sources() throws {
        var bench = try CacheBench("CacheDamageTests.sources")
        var random = SeededGenerator(printedFor: "CacheDamageTests.sources")
        let (path, waveform, _) = try bench.kept("a.wav")
        let memory = bench.folder + "/" + bench.names(".source")[0]
        let whole = try bytes(of: memory)
        #expect(whole.count == 104)
        // Another recording's waveform, which a wrong memory would lead to.
        let (other, _, _) = try bench.kept("b.wav")
        let otherMemory = try #require(bench.names(".source").map { bench.folder + "/" + $0 }.first { $0 != memory })
        let foreign = try bytes(of: otherMemory)
        let spliced = Array(whole.prefix(72)) + foreign.suffix(32)
        var damaged = [[], foreign, spliced, whole + [0], [UInt8](repeating: 0, count: whole.count)]
        for length in 0..<whole.count { damaged.append(Array(whole.prefix(length))) }
        for place in whole.indices {
            var changed = whole
            changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            damaged.append(changed)
        }
        for bytes in damaged {
            try write(bytes, to: memory)
            #expect(bench.cache().lookup(path: path, tones: true).waveform == waveform)
            #expect(try WaveformsTests.bytes(of: memory) == whole, "it is written anew")
        }
        #expect(bench.cache().lookup(path: other, tones: true).waveform != waveform)
    }

    @Test("a cache folder that cannot be created or written causes no error")
    func noPlace() throws {
        var bench = try CacheBench("CacheDamageTests.noPlace")
        let (path, sound) = try bench.recording("a.wav")
        let waveform = sound.waveform(tones: false)
        let file = try bench.scratch.write("file", [1])
        let link = bench.scratch.file("link")
        try makeLink(at: link, to: bench.scratch.file("nowhere/at/all"))
        let folders = [
            nil, file, file + "/under/it", link, link + "/under/it", "/proc/woodshed", "", "a\0b",
            bench.scratch.file(String(repeating: "long", count: 100)),
        ]
        for folder in folders {
            let cache = WaveformCache(folder: folder)
            let lookup = cache.lookup(path: path, tones: false)
            #expect(lookup.waveform == nil)
            let readable = bench.cache().lookup(path: path, tones: false)
            guard case .notStored(let reason) = cache.store(waveform, of: readable) else {
                Issue.record("kept in \(folder ?? "no folder")")
                continue
            }
            #expect(!reason.isEmpty)
        }
        #expect(try bytes(of: file) == [1])
        #expect(!isThere(bench.scratch.file("nowhere")))
    }

    @Test("a failed write keeps the cache's older file, and leaves no partial file")
    func full() throws {
        var bench = try CacheBench("CacheDamageTests.full")
        let (path, waveform, entry) = try bench.kept("a.wav")
        let name = try #require(entry.split(separator: "/").last.map(String.init))
        func failHalfway() throws(FileFault) {
            try WaveformFolder(bench.folder).write(name) { (file) throws(FileFault) in
                var failure: FileFault?
                let half = [UInt8](repeating: 7, count: 100)
                unsafe half.withUnsafeBytes { run in
                    do throws(FileFault) { try unsafe file.append(run) } catch { failure = error }
                }
                throw failure ?? FileFault(code: ENOSPC)
            }
        }
        #expect(throws: FileFault(code: ENOSPC)) { try failHalfway() }
        #expect(bench.names(".part").isEmpty && bench.cache().lookup(path: path, tones: true).waveform == waveform)
    }
}
