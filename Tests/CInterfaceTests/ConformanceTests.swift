import CConformance
import CInterface
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@Suite("The interface for C", .serialized)
struct ConformanceTests {
    @Test("does what its header says, with right and with hostile arguments")
    func conformance() throws {
        let scratch = try Scratch()
        let recording = scratch.file("song.wav")
        try writeWave(recording, music(frameCount: 4 * 44_100, channelCount: 2, seed: 5))
        let other = try scratch.write("words.txt", Array("no sound".utf8))
        let folder = scratch.file("takes")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A child of a process with the threads of other tests could wait for them; scripts/test-c.sh forks.
        #expect(unsafe conformance_failures(recording, other, folder, 0) == 0)
    }
}
