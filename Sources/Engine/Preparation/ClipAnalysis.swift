internal import Clips
internal import Realtime
internal import Stretching
internal import Synchronization

/// A reference to a clip's analysis: keeps its worker alive, and ends the worker with the last player.
final class ClipAnalysis: Sendable {
    let requests: AnalysisRequests
    private let analyst: Analyst
    private let thread: PlainThread

    /// Returns the analysis of a clip, shared by all players whose voices use the same bands; nil if the system has no
    /// memory or thread for the analysis. The clip then plays without analysis.
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

    /// An analysis holds its clip, so the key identifies that clip as long as its entry exists.
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
        requests = analyst.requests
        self.thread = thread
    }

    deinit {
        // The release of a player does not wait for the worker, which keeps everything it needs and ends by itself.
        analyst.stop()
        thread.detach()
    }
}
