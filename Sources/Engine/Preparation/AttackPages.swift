// The attacks of each part of a recording, readable on the render thread at any moment. If a page is not
// published, its attacks are not known yet; the sound continues without them.
internal import Realtime
internal import Stretching

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

/// One player's access to the attacks of its clip, in the epoch of its `ClipReader`: only between that reader's `beginBlock()` and
/// `endBlock()`.
///
/// Under the virtual clock it waits for pages that are not ready, so that the sound does not depend on the worker's speed. A wait,
/// here or for a page of the clip, invalidates every list that was returned before. Use it from one thread at a time; it is valid until it is
/// released, while the analysis that made it exists.
/// back, while the analysis that made it lives.
@safe
struct AttackReader: BitwiseCopyable, @unchecked Sendable {
    let pages: AttackWindows
    let lists: PublishedReader
    /// Identifies the reader within its analysis.
    let identifier: Int

    /// The attacks from one page before `frame` to one page after; nil if they are not known yet.
    ///
    /// Real-time safe: yes, wait-free, except with a reader that waits.
    func list(around frame: Int64) -> AttackList? {
        unsafe lists.address(at: pages.page(of: frame))?.assumingMemoryBound(to: AttackList.self).pointee
    }
}
