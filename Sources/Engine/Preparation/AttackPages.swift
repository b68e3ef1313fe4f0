// The attacks of each part of a recording, readable on the render thread at any moment. The attacks of an unpublished
// page are not known yet; the sound continues without attacks.
internal import Realtime
internal import Stretching

/// Division of a recording into pages, each with a list of the attacks in and around the page.
struct AttackWindows: BitwiseCopyable, Sendable {
    /// Clip frames of one page.
    let pageFrames: Int64
    let pageCount: Int

    init(frameCount: Int64, pageFrames: Int64) {
        self.pageFrames = pageFrames
        pageCount = Int((max(1, frameCount) - 1) / pageFrames) + 1
    }

    /// Returns the page that holds a frame; frames outside the recording belong to the nearest page.
    func page(of frame: Int64) -> Int {
        let index = frame < 0 ? 0 : frame / pageFrames
        return index < Int64(pageCount) ? Int(index) : pageCount - 1
    }
}

/// A page of a recording, for voices whose stretchers split the source into a number of bands: attacks are made for
/// these bands.
struct AttackPage: Hashable, Sendable {
    /// Index of the page in the table of attacks: attacks of one band follow those of three.
    let index: Int

    init(index: Int) { self.index = index }

    init(_ number: Int, _ bands: StretchBands) { index = 2 * number + (bands == .three ? 0 : 1) }

    var number: Int { index / 2 }
    /// The bands of the attacks: one or three.
    var bands: StretchBands { index % 2 == 0 ? .three : .one }
    /// The page with the pages before and after it, which may lie outside the recording.
    var neighbourhood: [AttackPage] { [AttackPage(index: index - 2), self, AttackPage(index: index + 2)] }
}

/// A player's access to the attacks of its clip, in the epoch of the player's `ClipReader`: only between `beginBlock()`
/// and `endBlock()` of this reader.
///
/// Under the virtual clock the reader waits for missing pages, so that the sound does not depend on the worker's speed.
/// A wait, here or for a page of the clip, invalidates every earlier list. Threads: one at a time. Valid until the
/// release of the reader, while the analysis exists.
@safe
struct AttackReader: BitwiseCopyable, @unchecked Sendable {
    let pages: AttackWindows
    let lists: PublishedReader
    /// Identifies the reader within its analysis.
    let identifier: Int

    /// Returns the attacks from one page before `frame` to one page after, for stretchers with these bands; nil if the
    /// page is not published yet.
    ///
    /// Real-time safe: yes, wait-free, except with a reader that waits.
    func list(around frame: Int64, for bands: StretchBands) -> AttackList? {
        unsafe lists.address(at: AttackPage(pages.page(of: frame), bands).index)?.assumingMemoryBound(
            to: AttackList.self
        ).pointee
    }
}
