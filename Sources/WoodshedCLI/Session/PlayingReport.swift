// What other threads report to a run of the player.
import Woodshed

/// A report of the engine while it plays.
enum PlayingReport: Sendable {
    case session(SessionEvent)
    case device(EngineEvent)
    /// The sections that are kept with the recording.
    case kept(KeptNews)
    /// A take that is recorded over the loop.
    case take(PracticeTakeEvent)
    /// The levels of the input.
    case input(RecorderLevels)
    /// Every take is whole.
    case takesOver
    /// What is heard of takes.
    case takes(TakeNews)
    /// Commands of other programs and of controllers.
    case remote(RemoteNews)
    /// Media keys, and the machine's sleep.
    case media(MediaNews)
    /// There will be no further event.
    case eventsOver
    /// The device has played everything, or failed.
    case engineOver(EngineError?)
}
