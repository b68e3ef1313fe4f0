// Reports from other threads to a run of the player.
import WoodshedPractice

/// A report during playback.
enum PlayingReport: EngineReport {
    case session(SessionEvent)
    case device(EngineEvent)
    /// News about the recording's saved sections.
    case kept(KeptNews)
    /// News about a take recorded over the loop.
    case take(PracticeTakeEvent)
    /// The levels of the input.
    case input(RecorderLevels)
    /// The end of the take events: every take is complete.
    case takesOver
    /// News about listening to takes.
    case takes(TakeNews)
    /// Commands of other programs and of controllers.
    case remote(RemoteNews)
    /// Media keys, and the machine's suspends.
    case media(MediaNews)
    /// The end of the session's events.
    case eventsOver
    /// The device has played everything, or failed.
    case engineOver(EngineError?)
}

extension SessionEvent {
    /// True for an event that only tells where the player is. The state of a run does not depend on such events, and
    /// loops of a few frames make thousands of them in a second.
    var isNews: Bool {
        switch self {
        case .player(let event):
            switch event.kind {
            case .passStarted, .passEnded, .sectionStarted, .sectionEnded, .moved, .speedChanged, .limited: true
            case .playbackStarted, .xrun, .starved, .materialChosen, .paused, .resumed, .frozen, .unfrozen, .finished:
                false
            }
        case .proceeded: true
        case .started, .loop, .completed, .stopped: false
        }
    }
}
