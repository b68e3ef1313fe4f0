internal import Clips
internal import Realtime
internal import Synchronization

/// A reference to a clip's analysis: keeps its worker alive, and ends the worker with the last player.
final class ClipAnalysis: Sendable {
    let requests: AnalysisRequests
    private let analyst: Analyst
    private let thread: PlainThread

    /// Returns the analysis of a clip, shared by all its players; nil if the system has no memory or thread for the
    /// analysis. The clip then plays without analysis.
    static func shared(for clip: Clip) -> ClipAnalysis? {
        all.withLock { all in
            all = all.filter { $0.value.analysis != nil }
            let key = ObjectIdentifier(clip)
            if let known = all[key]?.analysis { return known }
            guard let made = ClipAnalysis(clip) else { return nil }
            all[key] = Weak(analysis: made)
            return made
        }
    }

    /// An analysis holds its clip, so the key identifies that clip as long as its entry exists.
    private static let all = Mutex<[ObjectIdentifier: Weak]>([:])

    private struct Weak {
        weak var analysis: ClipAnalysis?
    }

    private init?(_ clip: Clip) {
        guard let analyst = Analyst(clip) else { return nil }
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
