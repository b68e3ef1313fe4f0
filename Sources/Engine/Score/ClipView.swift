/// The view of a clip for its passes: forward, or mirrored for a pass played backwards. Trivial.
///
/// Everything that moves through a clip counts frames of a view, and moves forward. In a mirrored view the first frame
/// is the clip's last frame, so playing backwards is ordinary playing of another clip. Joints, curves, voices, plans
/// and kept passes need no case of their own. Only this type converts between a view and the clip. The mirror is its
/// own inverse. Real-time safe: yes.
struct ClipView: Sendable, Hashable, BitwiseCopyable {
    /// The clip in its own direction.
    static let forward = ClipView(lastFrame: nil)

    /// The frame that trades places with frame 0; nil without mirroring.
    private let lastFrame: Int64?

    private init(lastFrame: Int64?) { self.lastFrame = lastFrame }

    /// Creates a view of a clip from its end to its beginning.
    init(mirroring frameCount: Int64) { lastFrame = frameCount - 1 }

    var isMirrored: Bool { lastFrame != nil }

    /// Returns the clip's frame at a frame of the view, or the reverse.
    func frame(_ frame: Int64) -> Int64 { lastFrame.map { $0 - frame } ?? frame }

    /// Returns the clip's range at a range of the view, or the reverse.
    func range(_ range: Range<Int64>) -> Range<Int64> {
        lastFrame.map { $0 - range.upperBound + 1..<$0 - range.lowerBound + 1 } ?? range
    }

    /// Returns the frame of the view after the last frame of a clip.
    func end(of frameCount: Int64) -> Int64 { lastFrame.map { $0 + 1 } ?? frameCount }
}
