// The passages of a part for the render thread: where a voice goes over from splices to the vocoder and back. The list contains no sound,
// and it is made beforehand, by the worker.
internal import Stretching

/// A run of a pass that is played by one method. Trivial.
struct VoicePassage: BitwiseCopyable {
    enum Method: BitwiseCopyable {
        case fullBands, lightBands
        /// The list counts its output frames from the beginning of the passage.
        case splices(SpliceList)
    }

    /// The frame of the pass at which it begins, as the voice counts: if the pitch is changed, not an output frame.
    var planFrame: Int64
    /// The frame of the clip that is heard then.
    var clipFrame: Int64
    var method: Method
    var knowsAttacks: Bool
    var keepsFormants: Bool

    func isSplices() -> Bool {
        if case .splices = method { return true }
        return false
    }
}

/// A view of a plan's passages, in order; at least one. It owns no memory and must not outlive its `PassagePlan`.
///
/// Real-time safe: yes.
@safe
struct PassageList: BitwiseCopyable, @unchecked Sendable {
    let count: Int
    /// What most of the part is.
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

    /// The passage at a frame of the plan; the first one also before it.
    func index(at planFrame: Int64) -> Int {
        var (low, high) = (1, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].planFrame > planFrame { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    /// The frame of the plan at which a passage ends; for the last one a frame that is never reached.
    func end(of index: Int) -> Int64 { index + 1 < count ? self[index + 1].planFrame : Int64.max }
}

/// Owns a list of passages and the splices in them.
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
