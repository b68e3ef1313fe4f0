// The cache finds kept waveforms after any move of the recording, and keeps to the limit of size.
import AudioFiles
import DSP
import Files
import Foundation
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Waveforms

@Suite("The cache of waveforms")
struct WaveformCacheTests {
    @Test("the cache finds a waveform once it was stored, and none before")
    func finds() throws {
        var bench = try CacheBench("WaveformCacheTests.finds")
        let (path, sound) = try bench.recording("a.wav")
        let first = bench.cache().lookup(path: path, tones: true)
        #expect(first.waveform == nil && first.remarks.isEmpty && !isThere(bench.folder), "looking makes nothing")
        let waveform = sound.waveform()
        #expect(bench.cache().store(waveform, of: first) == .stored)
        let second = bench.cache().lookup(path: path, tones: true)
        #expect(second.waveform == waveform && second.remarks.isEmpty)
        #expect(bench.names(".waveform").count == 1 && bench.names(".source").count == 1 && bench.names.count == 2)
    }

    @Test("the cache finds the waveform of a copied, moved or touched recording by its content")
    func copies() throws {
        var bench = try CacheBench("WaveformCacheTests.copies")
        let (path, waveform, _) = try bench.kept("a.wav")
        let copy = bench.scratch.file("copy.wav")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(bench.cache().lookup(path: copy, tones: true).waveform == waveform)
        #expect(bench.names(".source").count == 2)
        try FileManager.default.moveItem(atPath: path, toPath: bench.scratch.file("moved.wav"))
        #expect(bench.cache().lookup(path: bench.scratch.file("moved.wav"), tones: true).waveform == waveform)
        try bench.setAge(copy, seconds: 1000)
        #expect(bench.cache().lookup(path: copy, tones: true).waveform == waveform)
        // Where everything but the waveforms is lost.
        try bench.forgetSources()
        #expect(bench.cache().lookup(path: copy, tones: true).waveform == waveform)
        #expect(bench.names(".waveform").count == 1)
    }

    @Test("the cache does not read a recording again whose content it remembers")
    func remembered() throws {
        var bench = try CacheBench("WaveformCacheTests.remembered")
        let (first, _, _) = try bench.kept("a.wav")
        let (second, waveform, _) = try bench.kept("b.wav")
        // With a memory wrong on purpose, the result shows that the cache asks the memory, and not the recording.
        let state = try #require(unsafe FileState(first))
        let names = CacheNames(folder: bench.folder, byteCount: state.byteCount)
        #expect(SourceEntry(state).write(try ContentKey(ofFileAt: second), in: names) == nil)
        #expect(bench.cache().lookup(path: first, tones: true).waveform == waveform)
    }

    @Test("the cache serves a request without tones by a waveform with tones, but not the reverse")
    func tones() throws {
        var bench = try CacheBench("WaveformCacheTests.tones")
        let (path, sound) = try bench.recording("a.wav")
        let (plain, coloured) = (sound.waveform(tones: false), sound.waveform(tones: true))
        func found(_ tones: Bool) -> Waveform? { bench.cache().lookup(path: path, tones: tones).waveform }
        func store(_ waveform: Waveform) throws {
            let lookup = bench.cache().lookup(path: path, tones: true)
            #expect(bench.cache().store(waveform, of: lookup) == .stored)
        }
        try store(plain)
        #expect(found(false) == plain && found(true) == nil)
        try store(coloured)
        #expect(found(false) == plain && found(true) == coloured && bench.names(".waveform").count == 2)
        let entry = try #require(bench.names(".waveform").first { !$0.contains("tones") })
        try FileManager.default.removeItem(atPath: bench.folder + "/" + entry)
        #expect(found(false) == coloured && found(true) == coloured)
    }

    @Test("the cache recognises a changed recording, even with the same length and time")
    func changes() throws {
        var bench = try CacheBench("WaveformCacheTests.changes")
        let (path, _, _) = try bench.kept("a.wav")
        let before = try #require(unsafe FileState(path))
        // Written in place: the same number, length and, afterwards, time.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data([0x55, 0xAA, 0x55]))
        try handle.close()
        try setTime(of: path, to: before.modified)
        let after = try #require(unsafe FileState(path))
        #expect(after.modified == before.modified && after.inode == before.inode && after.byteCount == before.byteCount)
        let lookup = bench.cache().lookup(path: path, tones: true)
        #expect(lookup.waveform == nil && lookup.source != nil && lookup.remarks.isEmpty)
    }

    @Test("the cache remembers no recording changed moments ago, but finds its waveform by its content")
    func racy() throws {
        var bench = try CacheBench("WaveformCacheTests.racy")
        let (path, sound) = try bench.recording("a.wav")
        // A cache with the moment of the change as the time, however slow the machine.
        let moment = try #require(unsafe FileState(path)).changed
        let cache = WaveformCache(folder: bench.folder) { moment }
        let lookup = cache.lookup(path: path, tones: false)
        #expect(
            lookup.source?.isStable == false && lookup.source?.key != nil,
            "what may change unseen is read before it is decoded")
        let waveform = sound.waveform(tones: false)
        #expect(cache.store(waveform, of: lookup) == .stored && bench.names(".source").isEmpty)
        #expect(cache.lookup(path: path, tones: false).waveform == waveform && bench.names(".source").isEmpty)
        // Later the cache remembers the recording.
        #expect(bench.cache().lookup(path: path, tones: false).waveform == waveform)
        #expect(bench.names(".source").count == 1)
    }

    @Test("the cache compares the content of files that may have changed between lookup and storing")
    func unseen() throws {
        var bench = try CacheBench("WaveformCacheTests.unseen")
        let (path, sound) = try bench.recording("a.wav")
        let (other, _) = try bench.recording("b.wav")
        let state = try #require(unsafe FileState(path))
        // As if the file had held something else at the lookup, within the same step of the clock.
        func lookup(_ key: ContentKey) -> WaveformCache.Lookup {
            let source = WaveformCache.Source(path: path, state: state, isStable: false, key: key)
            return WaveformCache.Lookup(waveform: nil, source: source, remarks: [])
        }
        let waveform = sound.waveform(tones: false)
        guard case .notStored = bench.cache().store(waveform, of: lookup(try ContentKey(ofFileAt: other))) else {
            Issue.record("it was kept under another content")
            return
        }
        #expect(bench.names.isEmpty)
        #expect(bench.cache().store(waveform, of: lookup(try ContentKey(ofFileAt: path))) == .stored)
        #expect(bench.cache().lookup(path: path, tones: false).waveform == waveform)
    }

    @Test("the cache stores no waveform of a recording that changed while it was decoded")
    func changedMeanwhile() throws {
        var bench = try CacheBench("WaveformCacheTests.changedMeanwhile")
        func isKept(_ change: (String) throws -> Void) throws -> Bool {
            let (path, sound) = try bench.recording("a.wav")
            let lookup = bench.cache().lookup(path: path, tones: false)
            try change(path)
            return bench.cache().store(sound.waveform(tones: false), of: lookup) == .stored
        }
        #expect(try isKept { _ in })
        #expect(
            try !isKept { path in
                let handle = try #require(FileHandle(forWritingAtPath: path))
                try handle.seekToEnd()
                try handle.write(contentsOf: Data([1]))
                try handle.close()
            })
        #expect(try !isKept { try FileManager.default.removeItem(atPath: $0) })
        #expect(
            try !isKept { path in
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                try FileManager.default.removeItem(atPath: path)
            })
        // The same content under a new number, put in the old place: indistinguishable from a temporary replacement by
        // another file.
        #expect(
            try !isKept { path in
                try FileManager.default.copyItem(atPath: path, toPath: path + "2")
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.moveItem(atPath: path + "2", toPath: path)
            })
    }

    @Test("the cache stores no waveform of a pipe or a device")
    func noFile() throws {
        var bench = try CacheBench("WaveformCacheTests.noFile")
        let waveform = try bench.recording("a.wav").sound.waveform()
        let pipe = bench.scratch.file("pipe")
        try makePipe(at: pipe)
        for path in ["", "a\0b", bench.scratch.file("missing"), bench.scratch.path, pipe, "/dev/null"] {
            let lookup = bench.cache().lookup(path: path, tones: true)
            #expect(lookup.waveform == nil && lookup.source == nil && !lookup.remarks.isEmpty)
            let kept = bench.cache().store(waveform, of: lookup)
            #expect(kept == .notStored(lookup.remarks[0]) && !isThere(bench.folder))
        }
        #expect(throws: AudioFileError.self) { try ContentKey(ofFileAt: bench.scratch.file("missing")) }
        #expect(throws: AudioFileError.self) { try ContentKey(ofFileAt: pipe) }
    }

    @Test("the cache of waveforms can be read by its user only")
    func rights() throws {
        var bench = try CacheBench("WaveformCacheTests.rights")
        let (_, _, entry) = try bench.kept("a.wav")
        func mode(_ path: String) throws -> Int {
            try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        for path in [bench.folder, bench.scratch.file("cache")] { #expect(try mode(path) == 0o700) }
        for path in [entry, bench.folder + "/" + bench.names(".source")[0]] { #expect(try mode(path) == 0o600) }
    }

    @Test("the cache of waveforms is in the folder that the XDG rules name")
    func place() {
        let home = ProcessInfo.processInfo.environment
        let root =
            home["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home["HOME"].map { $0 + "/.cache" }
        #expect(WaveformCache().folder == root.map { $0 + "/woodshed/waveforms" })
        #expect(WaveformCache().byteLimit == 512 << 20)
    }

    // MARK: - Size

    @Test("the cache removes the waveforms unused for longest, and never the one just stored")
    func eviction() throws {
        var bench = try CacheBench("WaveformCacheTests.eviction")
        let kept = try (0..<4).map { try bench.kept("\($0).wav", frameCount: 2000, tones: false) }
        try bench.forgetSources()
        for (index, recording) in kept.enumerated() { try bench.setAge(recording.entry, seconds: 1000 - index) }
        // Using the oldest entry makes the entry the newest.
        #expect(bench.cache().lookup(path: kept[0].path, tones: false).waveform != nil)
        try bench.forgetSources()
        // Five waveforms and a memory take six blocks; there is room for four.
        let (path, sound) = try bench.recording("new.wav", frameCount: 2000)
        let cache = bench.cache(byteLimit: 4 * 4096)
        let lookup = cache.lookup(path: path, tones: false)
        #expect(cache.store(sound.waveform(tones: false), of: lookup) == .stored)
        #expect(kept.map { isThere($0.entry) } == [true, false, false, true])
        #expect(bench.names.count == 4 && cache.lookup(path: path, tones: false).waveform != nil)
        // Even where there is room for nothing else.
        for name in bench.names { try bench.setAge(bench.folder + "/" + name, seconds: 1) }
        let (last, other) = try bench.recording("last.wav", frameCount: 2000)
        let small = bench.cache(byteLimit: 4096)
        let lastLookup = small.lookup(path: last, tones: false)
        #expect(small.store(other.waveform(tones: false), of: lastLookup) == .stored)
        #expect(bench.names.count == 2 && small.lookup(path: last, tones: false).waveform != nil)
    }

    @Test("the cache does not store a waveform larger than its size limit")
    func tooLarge() throws {
        var bench = try CacheBench("WaveformCacheTests.tooLarge")
        let (path, sound) = try bench.recording("a.wav")
        let cache = bench.cache(byteLimit: 100)
        let lookup = cache.lookup(path: path, tones: false)
        guard case .notStored(let reason) = cache.store(sound.waveform(), of: lookup) else {
            Issue.record("it was kept")
            return
        }
        #expect(reason.contains("larger") && bench.names.isEmpty)
    }

    @Test("the cache refuses and removes a waveform's file larger than its size limit, without reading the file")
    func tooLargeFile() throws {
        var bench = try CacheBench("WaveformCacheTests.tooLargeFile")
        let (path, waveform, entry) = try bench.kept("a.wav", tones: false)
        let size = Int64(try bytes(of: entry).count)
        #expect(bench.cache(byteLimit: size).lookup(path: path, tones: false).waveform == waveform)
        // A reading would refuse the file for its first byte.
        try write([0] + bytes(of: entry).dropFirst(), to: entry)
        let lookup = bench.cache(byteLimit: size - 1).lookup(path: path, tones: false)
        #expect(lookup.waveform == nil && lookup.source != nil && !isThere(entry))
        #expect(lookup.remarks.count == 1 && lookup.remarks[0].contains("larger"), "\(lookup.remarks)")
    }

    @Test("the cache removes unfinished files of killed programs, and no files of other names")
    func leftovers() throws {
        var bench = try CacheBench("WaveformCacheTests.leftovers")
        _ = try bench.kept("a.wav")
        let (old, young, foreign) = (
            bench.folder + "/x.1-2.part", bench.folder + "/y.1-3.part", bench.folder + "/notes"
        )
        for path in [old, young, foreign] { try write([1, 2, 3], to: path) }
        try bench.setAge(old, seconds: 4000)
        try bench.setAge(foreign, seconds: 100_000)
        WaveformFolder(bench.folder).removeOldest(until: 0, but: [])
        #expect(!isThere(old) && isThere(young) && isThere(foreign) && bench.names.count == 2)
    }

    @Test("the cache adds up the sizes of files of any length, such as sparse files of 2^63 bytes")
    func hugeFiles() {
        let most = WaveformFolder.occupiedBytes(.max)
        #expect(most == 1 << 40 && WaveformFolder.occupiedBytes(1 << 62) == most)
        #expect(WaveformFolder.occupiedBytes(0) == 0 && WaveformFolder.occupiedBytes(4097) == 8192)
    }

    @Test("a file that is cut off or written after it was opened has no key", arguments: [true, false])
    func changedWhileRead(isCut: Bool) throws {
        var bench = try CacheBench("WaveformCacheTests.changedWhileRead")
        let (path, _) = try bench.recording("a.wav")
        // So that the writing below gives the file another time.
        try bench.setAge(path, seconds: 1000)
        let source = try OpenSource(path)
        if isCut {
            let status = unsafe truncate(path, 100)
            #expect(status == 0)
        } else {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.write(contentsOf: Data([1]))
            try file.close()
        }
        var code: Int32?
        do throws(FileFault) { _ = try source.contentKey() } catch { code = error.code }
        #expect(code == ESTALE)
    }

    // MARK: - At once

    @Test("the cache gives the right waveform or none while several programs read, store and evict")
    func together() throws {
        var bench = try CacheBench("WaveformCacheTests.together")
        let recordings = try (0..<3).map { index in
            let (path, sound) = try bench.recording("\(index).wav", frameCount: 800)
            return (path, sound.waveform(tones: false))
        }
        let cache = bench.cache(byteLimit: 3 * 4096)
        let wrong = Mutex(0)
        let found = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for turn in 0..<cases(60, few: 20) {
                // Each recording twice in a row: three in turn in a cache for fewer would all be gone at the next use,
                // if the workers happen to work in sequence.
                let (path, waveform) = recordings[(turn / 2 + worker) % 3]
                let lookup = cache.lookup(path: path, tones: false)
                if let other = lookup.waveform {
                    found.withLock { $0 += 1 }
                    if other != waveform { wrong.withLock { $0 += 1 } }
                } else if cache.store(waveform, of: lookup) != .stored {
                    wrong.withLock { $0 += 1 }
                }
                // Another worker wrote half of the entries read.
                if !lookup.remarks.isEmpty { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0 && found.withLock { $0 } > 0)
        #expect(bench.names(".part").isEmpty)
    }

    @Test("the waveform of only a part of a recording is not stored")
    func partial() throws {
        var bench = try CacheBench("WaveformCacheTests.partial")
        let (path, sound) = try bench.recording("a.wav")
        let lookup = bench.cache().lookup(path: path, tones: true)
        let part = AudioFileInfo(
            path: path, container: "adts", codec: "aac", sampleRate: 44_100, channelCount: 2, frameCount: 22_050,
            shortfall: "the file is broken")
        guard case .notStored(let reason) = bench.cache().store(sound.waveform(), of: lookup, madeOf: part) else {
            Issue.record("a waveform of a part was kept")
            return
        }
        #expect(reason.contains("the file is broken") && bench.names.isEmpty)
    }

    @Test("the waveform of a recording whose name is not UTF-8 is found again")
    func names() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 3000))
        guard let path = try scratch.linkOfBytes(to: "a.wav") else { return }
        let cache = WaveformCache(folder: scratch.file("cache"))
        let waveform = try WaveformMaker(path: path).make()
        let lookup = cache.lookup(path: path, tones: true)
        #expect(cache.store(waveform, of: lookup) == .stored)
        #expect(cache.lookup(path: path, tones: true).waveform == waveform)
        #expect(try ContentKey(ofFileAt: path) == ContentKey(ofFileAt: scratch.file("a.wav")))
    }
}
