import Foundation
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Files with other sound than when added")
struct ReplacedFileTests {
    @Test("a file with other sound is not in a bundle, and a repair does not return it")
    func replaced() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        let linked = try here.library.add(fileAt: here.wave("a.wav", seed: 1), .link).item
        let whole = try here.library.add(fileAt: here.wave("b.wav", seed: 2)).item
        let take = try here.store.addTake(
            inFileAt: here.wave("take.wav", seed: 9, frames: 300),
            .init(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 300), model: nil, of: nil)
        let path = here.scratch.file("all.tar")
        let first = try here.library.writeBundle(to: path)
        #expect(first.recordings == 2 && first.takes == 1 && first.changed.isEmpty && first.changedTakes.isEmpty)
        // Another recording under the name, with another length and with the same length.
        for frames in [500, 400] {
            _ = try here.wave("a.wav", seed: 3, frames: frames)
            let contents = try here.library.writeBundle(to: path)
            #expect(contents.changed.map(\.key) == [linked.key] && contents.recordings == 1 && contents.missing.isEmpty)
        }
        _ = try here.wave("take.wav", seed: 8, frames: 300)
        let contents = try here.library.writeBundle(to: path)
        #expect(contents.changedTakes == [take.path] && contents.takes == 0, "\(contents)")
        let summary = try there.library.importFile(at: path)
        #expect(summary.recordings == 1 && summary.refused.isEmpty && summary.problem == nil, "\(summary)")
        for frames in [500, 400] {
            _ = try here.wave("a.wav", seed: 3, frames: frames)
            let report = try here.library.check()
            #expect(report.changed.map(\.key) == [linked.key], "\(frames)")
            #expect(try here.library.repair(report).isEmpty && here.library.check() == report)
        }
        // The same sound, written again.
        _ = try here.wave("a.wav", seed: 1)
        #expect(try here.library.check().isClean)
        #expect(try here.library.items().map(\.key).contains(whole.key))
    }
}
