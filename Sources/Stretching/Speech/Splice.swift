/// A jump with a crossfade from one place of the recording to another.
@usableFromInline package struct Splice: BitwiseCopyable, Sendable, Equatable {
    /// The output frame at which the crossfade begins, counted from the plan's start.
    package let outputFrame: Int64
    /// The frame of the recording at the start of the crossfade, from which the outgoing side continues.
    package let sourceFrame: Int64
    /// The length of the jump in frames of the recording: negative goes back, which makes the sound longer.
    package let jumpFrames: Int32
    /// Frames of the crossfade, 1 or more.
    package let crossfadeFrames: Int32

    /// Returns the same splice, later in the output.
    func delayed(by frames: Int64) -> Splice {
        Splice(
            outputFrame: outputFrame + frames, sourceFrame: sourceFrame, jumpFrames: jumpFrames,
            crossfadeFrames: crossfadeFrames)
    }

    /// The source frame minus the output frame, after the crossfade.
    var offset: Int64 { sourceFrame + Int64(jumpFrames) - outputFrame }
    /// The first output frame after the crossfade.
    @usableFromInline package var endFrame: Int64 { outputFrame + Int64(crossfadeFrames) }
}

/// A view of a plan's splices, in order, for the render thread.
///
/// Owns no memory and must not outlive its ``SplicePlan``. Real-time safe: yes.
@safe
@usableFromInline package struct SpliceList: BitwiseCopyable, @unchecked Sendable {
    /// The frame of the recording heard first.
    package let firstFrame: Int64
    /// The plan's length in output frames.
    package let outputFrames: Int64
    /// Number of splices.
    package let count: Int
    private let base: UnsafePointer<Splice>

    init(firstFrame: Int64, outputFrames: Int64, splices: UnsafePointer<Splice>, count: Int) {
        self.firstFrame = firstFrame
        self.outputFrames = outputFrames
        self.count = count
        unsafe base = splices
    }

    func deallocate() { unsafe base.deallocate() }

    /// Returns one splice.
    /// - Parameter index: 0 ..< ``count``.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @usableFromInline package subscript(index: Int) -> Splice {
        precondition(index >= 0 && index < count, "No such splice.")
        return unsafe base[index]
    }

    /// Returns the first splice whose crossfade begins at an output frame or later.
    func firstSplice(fromOutput frame: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].outputFrame >= frame { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the source frame minus the output frame, between the splice before `index` and the splice at `index`.
    func offset(beforeSplice index: Int) -> Int64 { index == 0 ? firstFrame : self[index - 1].offset }
}
