import CALSA
import TestSupport
import Testing
import VirtualCardSupport

/// A format and an access, by the numbers of ALSA so that tests can list them.
struct Way: Sendable, CustomTestStringConvertible {
    let access: snd_pcm_access_t
    let format: snd_pcm_format_t

    static let accesses = [
        SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_MMAP_NONINTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED,
        SND_PCM_ACCESS_RW_NONINTERLEAVED,
    ]
    /// Up to DSD, which alsa-lib counts as unsigned integers.
    static let formats = (0..<SND_PCM_FORMAT_DSD_U8.rawValue).map { snd_pcm_format_t($0) }.filter {
        snd_pcm_format_linear($0) == 1 || snd_pcm_format_float($0) == 1
    }
    static let all = accesses.flatMap { access in formats.map { Way(access: access, format: $0) } }

    var testDescription: String {
        unsafe "\(String(cString: snd_pcm_access_name(access))) \(String(cString: snd_pcm_format_name(format)))"
    }
}

/// Samples filling every bit of a format, in the format's byte order and place within the word.
func samples(_ format: snd_pcm_format_t, count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let physical = Int(snd_pcm_format_physical_width(format))
    let width = Int(snd_pcm_format_width(format))
    var bytes: [UInt8] = []
    for _ in 0..<count {
        var word = generator.next()
        if snd_pcm_format_float(format) == 1 {
            let value = Double.random(in: -2...2, using: &generator)
            word = physical == 64 ? value.bitPattern : UInt64(Float(value).bitPattern)
        } else {
            word &= (1 << width) - 1
            // A wider word is sign-extended, as alsa-lib's converters leave it.
            if snd_pcm_format_signed(format) == 1, word >> (width - 1) == 1 { word |= ~0 << width }
        }
        let ordered = (0..<physical / 8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        bytes += snd_pcm_format_big_endian(format) == 1 ? ordered.reversed() : ordered
    }
    return bytes
}

@Suite("The cable")
struct LoopbackTests {
    @Test("played sound is recorded bit for bit, in every linear format, access and byte order", arguments: Way.all)
    func exact(way: Way) throws {
        var generator = SeededGenerator(seed: 1)
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.loopbackDelayFrames = 37
        options.channels = 1...3
        let rig = try VirtualCardRig(options)
        var setup = Stream.Setup()
        setup.access = way.access
        setup.format = way.format
        setup.channelCount = 3
        setup.periodFrames = 60
        let player = try Stream(rig.name, .playback, setup)
        let recorder = try Stream(rig.name, .capture, setup)
        let sound = samples(way.format, count: 3 * 1000, &generator)
        let recorded = try loop(sound, player, recorder, frames: 1037)
        let silence = silentBytes(way.format, count: 3 * 37)
        #expect(recorded == silence + sound)
        #expect(rig.truth(.playback).framesTransferred >= 1000)
        #expect(rig.truth(.playback).xruns == 0 && rig.truth(.capture).xruns == 0)
    }

    @Test(
        "sixty-four channels are sixty-four cables",
        arguments: [SND_PCM_ACCESS_MMAP_NONINTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED])
    func manyChannels(access: snd_pcm_access_t) throws {
        var generator = SeededGenerator(seed: 4)
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.channels = 64...64
        let rig = try VirtualCardRig(options)
        var setup = Stream.Setup()
        setup.access = access
        setup.channelCount = 64
        let sound = samples(setup.format, count: 64 * 1000, &generator)
        let recorded = try loop(
            sound, Stream(rig.name, .playback, setup), Stream(rig.name, .capture, setup), frames: 1000)
        #expect(recorded == sound)
    }

    private func silentBytes(_ format: snd_pcm_format_t, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * Int(snd_pcm_format_physical_width(format)) / 8)
        unsafe bytes.withUnsafeMutableBytes {
            _ = unsafe snd_pcm_format_set_silence(format, $0.baseAddress, UInt32(count))
        }
        return bytes
    }

    /// Plays `sound`, then silence, and records so many frames from the moment of the start.
    private func loop(_ sound: [UInt8], _ player: Stream, _ recorder: Stream, frames: Int) throws -> [UInt8] {
        var left = sound[...]
        func feed() -> Int {
            let space = min(max(0, player.avail()), player.periodFrames) * player.bytesPerFrame
            let piece = Array(left.prefix(space))
            guard !piece.isEmpty else { return player.write([UInt8](repeating: 0, count: space)) }
            let moved = player.write(piece)
            if moved > 0 { left = left.dropFirst(moved * player.bytesPerFrame) }
            return moved
        }
        while player.avail() > 0 { try #require(feed() > 0) }
        try #require(player.start() == 0 && recorder.start() == 0)
        var recorded: [UInt8] = []
        while recorded.count < frames * recorder.bytesPerFrame {
            try #require(recorder.wait() == 1)
            recorded += try recorder.read(recorder.periodFrames)
            while player.avail() >= player.periodFrames { try #require(feed() > 0) }
        }
        return Array(recorded.prefix(frames * recorder.bytesPerFrame))
    }
}
