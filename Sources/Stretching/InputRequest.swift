/// The part of the source that a stretcher needs next, in every channel.
///
/// Frames before the source's first and after its last count as silence.
public struct InputRequest: BitwiseCopyable, Sendable, Equatable {
    /// The source frame at which the part begins; may be negative.
    public var first: Int64
    /// Frames of each channel.
    public var count: Int

    /// A request for `count` frames from `first` on.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @usableFromInline package init(first: Int64, count: Int) {
        self.first = first
        self.count = count
    }
}
