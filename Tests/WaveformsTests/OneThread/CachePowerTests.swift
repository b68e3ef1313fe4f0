import DSP
import Foundation
import SoundMeasures
import TestSupport
import Testing

@testable import Waveforms

@Suite("The cache of waveforms and losses of power")
struct CachePowerTests {
    /// The cache does not synchronise files, so any part of a file may be left.
    @Test("a waveform in the cache after a loss of power is whole or refused, and is made anew")
    func waveforms() throws {
        var random = SeededGenerator(printedFor: "waveforms and power")
        let count = environmentCount("WOODSHED_CRASHES", short: cases(240, few: 120))
        var (report, kept) = (CrashReport(), 0)
        while report.count < count {
            var bench = try CacheBench("a cache and power")
            try FileManager.default.createDirectory(atPath: bench.folder, withIntermediateDirectories: true)
            let disk = CrashDisk(bench.folder)
            var recordings: [(path: String, waveform: Waveform)] = []
            for name in ["a.wav", "b.wav", "c.wav"] {
                let frames = Int.random(in: 1...20_000, using: &random)
                let (path, waveform, _) = try bench.kept(name, frameCount: frames)
                recordings.append((path, waveform))
                disk.look()
            }
            report.add(
                try disk.crashes(60, using: &random) { _ in
                    let cache = bench.cache()
                    for (path, waveform) in recordings {
                        let lookup = cache.lookup(path: path, tones: true)
                        if lookup.waveform == waveform {
                            kept += 1
                            continue
                        }
                        if lookup.waveform != nil { return "another waveform" }
                        guard cache.store(waveform, of: lookup) == .stored,
                            cache.lookup(path: path, tones: true).waveform == waveform
                        else { return "a waveform that cannot be made anew" }
                    }
                    return nil
                })
        }
        print("waveforms: \(report); \(kept) were kept")
        #expect(report.losses.isEmpty && kept > 0 && kept < 3 * report.count, "\(random): \(report)")
    }
}
