import CALSA
import Glibc
import Testing
import VirtualCardSupport

/// Plays a pattern in a loop in one direction and records the pattern in the other, from a single thread.
@safe
struct Duplex {
    let player: Stream
    let recorder: Stream
    /// A lap of the pattern, interleaved.
    let pattern: [UInt8]
    private(set) var framesPlayed = 0
    private(set) var framesRecorded = 0
    /// Frames different from the frames played earlier by the delay.
    private(set) var mismatches = 0

    /// The pattern's length must be a multiple of both periods.
    init(_ player: Stream, _ recorder: Stream, pattern: [UInt8]) {
        self.player = player
        self.recorder = recorder
        self.pattern = pattern
    }

    private var lapFrames: Int { pattern.count / player.bytesPerFrame }

    /// Fills the player and starts both directions at the same moment of a virtual clock.
    mutating func start() throws {
        while player.avail() >= player.periodFrames { try feed() }
        try #require(player.start() == 0 && recorder.start() == 0)
    }

    private mutating func feed() throws {
        let first = framesPlayed % lapFrames * player.bytesPerFrame
        let moved = player.write(Array(pattern[first..<first + player.periodFrames * player.bytesPerFrame]))
        try #require(moved == player.periodFrames)
        framesPlayed += moved
    }

    /// Records more frames, each of which must be the frame played `delay` frames earlier.
    mutating func run(frames: Int, delay: Int) throws {
        let end = framesRecorded + frames
        while framesRecorded < end {
            try #require(recorder.wait() == 1)
            let bytes = try recorder.read(recorder.periodFrames)
            let count = bytes.count / recorder.bytesPerFrame
            check(bytes, at: framesRecorded - delay)
            framesRecorded += count
            while player.avail() >= player.periodFrames { try feed() }
        }
    }

    private mutating func check(_ bytes: [UInt8], at frame: Int) {
        let width = recorder.bytesPerFrame
        let count = bytes.count / width
        let silent = min(max(0, -frame), count)
        if silent > 0 { mismatches += bytes.prefix(silent * width).allSatisfy { $0 == 0 } ? 0 : silent }
        var index = silent
        while index < count {
            let place = (frame + index) % lapFrames
            let piece = min(count - index, lapFrames - place)
            let isEqual = unsafe bytes.withUnsafeBytes { got in
                unsafe pattern.withUnsafeBytes { want in
                    guard let got = got.baseAddress, let want = want.baseAddress else { return false }
                    return unsafe memcmp(got + index * width, want + place * width, piece * width) == 0
                }
            }
            if !isEqual { mismatches += piece }
            index += piece
        }
    }
}
