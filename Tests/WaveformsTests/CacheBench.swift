// A cache in a separate folder, with recordings beside the folder, for the tests of the cache.
import AudioFiles
import DSP
import Files
import Foundation
import SoundFileSupport
import SoundMeasures
import TestSupport
import Testing

@testable import Waveforms

/// Files in place of recordings, and a cache of the recordings' waveforms.
struct CacheBench {
    let scratch: Scratch
    /// Where the cache is to be.
    let folder: String
    private var random: SeededGenerator

    init(_ test: String) throws {
        scratch = try Scratch()
        folder = scratch.file("cache/waveforms")
        random = SeededGenerator(printedFor: test)
    }

    /// A cache with a clock an hour ahead: to this cache, no file has changed for an hour.
    func cache(byteLimit: Int64 = WaveformCache.defaultByteLimit) -> WaveformCache {
        WaveformCache(folder: folder, byteLimit: byteLimit) {
            let now = FileState.Moment.now
            return FileState.Moment(seconds: now.seconds + 3600, nanoseconds: now.nanoseconds)
        }
    }

    /// A recording of noise; recordings of equal lengths differ.
    mutating func recording(_ name: String, frameCount: Int = 600) throws -> (path: String, sound: ShortSound) {
        let sound = ShortSound.lively(channelCount: 2, frameCount: frameCount, random: &random)
        return (try scratch.write(name, sound.bytes), sound)
    }

    /// A recording with a kept waveform, the waveform, and the name of the waveform's file.
    mutating func kept(
        _ name: String, frameCount: Int = 600, tones: Bool = true
    ) throws -> (path: String, waveform: Waveform, entry: String) {
        let (path, sound) = try recording(name, frameCount: frameCount)
        let waveform = sound.waveform(tones: tones)
        let before = Set(names)
        let lookup = cache().lookup(path: path, tones: tones)
        #expect(cache().store(waveform, of: lookup) == .stored)
        let made = names.filter { !before.contains($0) && $0.hasSuffix(".waveform") }
        return (path, waveform, folder + "/" + (try #require(made.first)))
    }

    /// The files of the cache.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    func names(_ suffix: String) -> [String] { names.filter { $0.hasSuffix(suffix) } }

    /// Forgets the content of the recordings; then the cache finds entries by content alone.
    func forgetSources() throws {
        for name in names(".source") { try FileManager.default.removeItem(atPath: folder + "/" + name) }
    }

    /// Sets when a file was last used, in s before now.
    func setAge(_ path: String, seconds: Int) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -Double(seconds))], ofItemAtPath: path)
    }
}

func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

func isThere(_ path: String) -> Bool {
    // Without following links: a link without a target exists.
    (try? FileManager.default.attributesOfItem(atPath: path)) != nil
}

func makePipe(at path: String) throws {
    if unsafe mkfifo(path, 0o600) != 0 { throw CocoaError(.fileWriteUnknown) }
}

func makeLink(at path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
}

/// Sets a file's time of last writing; the system's time of the last change cannot be set.
func setTime(of path: String, to moment: FileState.Moment) throws {
    let time = timespec(tv_sec: Int(moment.seconds), tv_nsec: Int(moment.nanoseconds))
    let times = [time, time]
    if unsafe utimensat(AT_FDCWD, path, times, 0) != 0 { throw CocoaError(.fileWriteUnknown) }
}
