internal import Clips
internal import DSP
internal import Realtime
internal import Synchronization

/// The handle of a clip's analysis: keeps its worker alive, and ends it with the last player.
final class ClipAnalysis: Sendable {
    let analyst: Analyst
    private let thread: PlainThread

    /// The analysis of a clip, the same for all its players whose voices divide it alike; nil when the system has neither memory nor thread for one, and
    /// the clip is then played without.
    static func shared(for clip: Clip, bands: StretchBands) -> ClipAnalysis? {
        all.withLock { all in
            all = all.filter { $0.value.analysis != nil }
            let key = Key(clip: ObjectIdentifier(clip), bands: bands)
            if let known = all[key]?.analysis { return known }
            guard let made = ClipAnalysis(clip, bands: bands) else { return nil }
            all[key] = Weak(analysis: made)
            return made
        }
    }

    /// An analysis holds its clip, so the key stays that clip's for as long as its entry is alive.
    private static let all = Mutex<[Key: Weak]>([:])

    private struct Key: Hashable {
        let clip: ObjectIdentifier
        let bands: StretchBands
    }

    private struct Weak {
        weak var analysis: ClipAnalysis?
    }

    private init?(_ clip: Clip, bands: StretchBands) {
        guard let analyst = Analyst(clip, bands: bands) else { return nil }
        guard let thread = PlainThread(name: "clip-analysis", { analyst.run() }) else { return nil }
        self.analyst = analyst
        self.thread = thread
    }

    deinit {
        // Whoever ends a player does not wait for what is being found out: the worker keeps all it needs, and ends with it.
        analyst.stop()
        thread.detach()
    }
}
