// Where the attacks of each stretch of a recording are, readable on the render thread at any moment. A window that is not
// published means that its attacks are not known yet; the sound goes on without them.
internal import DSP
internal import Realtime

/// How a recording is divided into windows, each with a list of the attacks in and around it.
struct AttackWindows: BitwiseCopyable, Sendable {
    /// Clip frames of one window.
    let windowFrames: Int64
    let windowCount: Int

    init(frameCount: Int64, windowFrames: Int64) {
        self.windowFrames = windowFrames
        windowCount = Int((max(1, frameCount) - 1) / windowFrames) + 1
    }

    /// The window that holds a frame; frames outside the recording belong to the nearest.
    func window(of frame: Int64) -> Int {
        let index = frame < 0 ? 0 : frame / windowFrames
        return index < Int64(windowCount) ? Int(index) : windowCount - 1
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
    let windows: AttackWindows
    let lists: PublishedReader
    /// Names the reader within its analysis.
    let identifier: Int

    /// The attacks from one window before `frame` to one window after; nil while they are not known.
    ///
    /// Real-time safe: yes, wait-free, but for a reader that waits.
    func list(around frame: Int64) -> AttackList? {
        unsafe lists.address(at: windows.window(of: frame))?.assumingMemoryBound(to: AttackList.self).pointee
    }
}
