extension Transport {
    /// The result of a change of speed that is due.
    enum SpeedChange {
        /// The change has happened.
        case done
        /// The voice has scheduled the change for this frame; or the pass ends there unchanged.
        case told(frame: Int64)
        /// The change needs one more layer.
        case needsLayer
    }
}

extension LayerStack {
    /// The kind of source on top, for a change of speed.
    enum Top {
        /// A voice that can follow a change scheduled this many frames ahead.
        case voice(leadFrames: Int64)
        /// A copy of the clip, which can end at any frame.
        case copy
        /// A source that cannot change its speed.
        case fixed
    }
}
