// The passages of a part for the render thread: the places at which a voice changes from splices to the vocoder and
// back. The list contains no sound; the worker makes the list beforehand.
internal import Stretching

/// A run of a pass with a single method. Trivial.
struct VoicePassage: BitwiseCopyable {
    enum Method: BitwiseCopyable {
        case bands(StretchBands)
        /// The list counts its output frames from the beginning of the passage.
        case splices(SpliceList)
    }

    /// The frame of the pass at its start, as the voice counts: at another pitch, not an output frame.
    var planFrame: Int64
    /// The frame of the clip at that moment.
    var clipFrame: Int64
    var method: Method
    var knowsAttacks: Bool
    var keepsFormants: Bool

    /// The bands for which the passage needs attacks; nil for none.
    var attackBands: StretchBands? {
        switch method {
        case .bands(let bands): knowsAttacks ? bands : nil
        case .splices: nil
        }
    }

    func isSplices() -> Bool {
        if case .splices = method { return true }
        return false
    }
}

/// A view of a plan's passages, in order; at least one. The view owns no memory and must not outlive its `PassagePlan`.
///
/// Real-time safe: yes.
@safe
struct PassageList: BitwiseCopyable, @unchecked Sendable {
    let count: Int
    /// True if most of the part is speech.
    let isMostlySpeech: Bool
    private let base: UnsafePointer<VoicePassage>

    fileprivate init(_ base: UnsafePointer<VoicePassage>, count: Int, isMostlySpeech: Bool) {
        self.count = count
        self.isMostlySpeech = isMostlySpeech
        unsafe self.base = base
    }

    subscript(index: Int) -> VoicePassage {
        precondition(index >= 0 && index < count, "No such passage.")
        return unsafe base[index]
    }

    /// Returns the passage at a frame of the plan; before the first passage, the first passage.
    func index(at planFrame: Int64) -> Int {
        var (low, high) = (1, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].planFrame > planFrame { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    /// Returns the frame of the plan at which a passage ends; for the last passage a frame beyond every plan.
    func end(of index: Int) -> Int64 { index + 1 < count ? self[index + 1].planFrame : Int64.max }
}

/// Owns a list of passages and their splices.
@safe
final class PassagePlan: Sendable {
    let list: PassageList
    private let memory: Memory
    private let splices: [SplicePlan]

    @safe
    private final class Memory: @unchecked Sendable {
        let base: UnsafeMutablePointer<VoicePassage>

        init(_ passages: [VoicePassage]) {
            unsafe base = .allocate(capacity: passages.count)
            for (index, passage) in passages.enumerated() { unsafe (base + index).initialize(to: passage) }
        }

        deinit { unsafe base.deallocate() }
    }

    /// - Parameters:
    ///   - passages: At least one, in order; neighbours differ in their method.
    ///   - splices: The plans to whose lists the passages refer.
    init(_ passages: [VoicePassage], splices: [SplicePlan], isMostlySpeech: Bool) {
        precondition(!passages.isEmpty, "A plan has at least one passage.")
        memory = Memory(passages)
        self.splices = splices
        list = unsafe PassageList(memory.base, count: passages.count, isMostlySpeech: isMostlySpeech)
    }
}
