extension Transport {
    /// The result of a change of speed that is due.
    enum SpeedChange {
        /// It has happened.
        case done
        /// The voice was told, and follows from this frame on; or the pass ends there unchanged.
        case told(frame: Int64)
        /// It needs one more layer.
        case needsLayer
    }
}

extension LayerStack {
    /// The kind of source on top, for a change of speed.
    enum Top {
        /// A voice, which can follow a change if it is told this many frames before.
        case voice(leadFrames: Int64)
        /// A copy of the clip, which can be left at any frame.
        case copy
        /// A source that cannot change its speed.
        case fixed
    }
}
