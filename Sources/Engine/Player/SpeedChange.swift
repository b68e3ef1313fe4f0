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
