// Where the attacks of each part of a recording are, readable on the render thread at any moment. A page that is not
// published means that its attacks are not known yet; the sound goes on without them.
internal import DSP
internal import Realtime

/// How a recording is divided into pages, each with a list of the attacks in and around it.
struct AttackWindows: BitwiseCopyable, Sendable {
    /// Clip frames of one page.
    let pageFrames: Int64
    let pageCount: Int

    init(frameCount: Int64, pageFrames: Int64) {
        self.pageFrames = pageFrames
        pageCount = Int((max(1, frameCount) - 1) / pageFrames) + 1
    }

    /// The page that holds a frame; frames outside the recording belong to the nearest.
    func page(of frame: Int64) -> Int {
        let index = frame < 0 ? 0 : frame / pageFrames
        return index < Int64(pageCount) ? Int(index) : pageCount - 1
    }
}

/// One player's way to the attacks of its clip, in the epoch of its `ClipReader`: between that reader's `beginBlock()` and
/// `endBlock()` only.
///
/// Under the virtual clock it waits for what is not there yet, so that the sound does not depend on the worker's haste. A wait,
/// here or for a page, ends the life of every list that was returned before. One thread at a time; valid until it is given
/// back, while the analysis that made it lives.
@safe
struct AttackReader: BitwiseCopyable, @unchecked Sendable {
    let pages: AttackWindows
    let lists: PublishedReader
    /// Names the reader within its analysis.
    let identifier: Int

    /// The attacks from one page before `frame` to one page after; nil while they are not known.
    ///
    /// Real-time safe: yes, wait-free, but for a reader that waits.
    func list(around frame: Int64) -> AttackList? {
        unsafe lists.address(at: pages.page(of: frame))?.assumingMemoryBound(to: AttackList.self).pointee
    }
}
