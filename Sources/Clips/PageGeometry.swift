// The division of a clip into pages.
internal import AudioFiles

/// The sizes of a clip and its pages: a page has a power of two frames, channel after channel.
struct PageGeometry: BitwiseCopyable, Sendable, Equatable {
    let channelCount: Int
    let frameCount: Int64
    /// Frames per page are `1 << shift`.
    let shift: Int

    init(channelCount: Int, frameCount: Int64) {
        self.channelCount = channelCount
        self.frameCount = frameCount
        shift = RateReader.blockShift(channelCount: channelCount)
    }

    var pageFrames: Int { 1 << shift }
    var pageSamples: Int { channelCount << shift }
    var pageBytes: Int { pageSamples * MemoryLayout<Float>.stride }
    var pageCount: Int { Int((frameCount + Int64(pageFrames) - 1) >> Int64(shift)) }

    /// Returns the page with `frame`; for a frame outside the clip, the nearest page.
    func page(of frame: Int64) -> Int { Int(min(max(frame, 0), max(frameCount - 1, 0)) >> Int64(shift)) }

    /// Returns the pages with the part of `frames` within the clip.
    func pages(of frames: Range<Int64>) -> Range<Int> {
        let (lower, upper) = (max(frames.lowerBound, 0), min(frames.upperBound, frameCount))
        return lower < upper ? page(of: lower)..<page(of: upper - 1) + 1 : 0..<0
    }

    /// Returns the frames of a page; the last page may be shorter.
    func frames(of page: Int) -> Range<Int64> {
        let start = Int64(page) << Int64(shift)
        return start..<min(start + Int64(pageFrames), frameCount)
    }
}
