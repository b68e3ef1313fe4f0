// A render thread's access to a clip: raw pointers, no class, no wait.
internal import Realtime
import Synchronization

/// Reads a clip's pages on a render thread, without ever waiting for a page.
///
/// A missing page reads as silence, and `read` returns the number of missing frames. A waiting reader is for threads
/// under a virtual clock: each read returns with the page, and only a failed clip reads as silence. Made by
/// `Clip.makeReader(waitsForPages:)`. Valid until passed to `Clip.release(_:)`, and only while the clip exists: keep a
/// reference to the clip outside the render thread. One thread at a time.
@safe
@usableFromInline package struct ClipReader: BitwiseCopyable, @unchecked Sendable {
    let geometry: PageGeometry
    let pages: PublishedReader
    let demand: UnsafeMutablePointer<ReaderDemand>
    /// Number of the reader within its clip.
    let identifier: Int

    /// Channels of the clip.
    @usableFromInline package var channelCount: Int { geometry.channelCount }
    /// Frames of the clip, at the clip's rate.
    @usableFromInline package var frameCount: Int64 { geometry.frameCount }
    /// True if reads wait for missing pages.
    package var waitsForPages: Bool { pages.waits }

    /// Begins a block: until `endBlock()`, the clip frees no page found by the reader. Calls do not nest.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func beginBlock() { pages.epoch.enter() }

    /// Ends the reads of this block.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func endBlock() { pages.epoch.leave() }

    /// Copies `count` frames of one channel; between `beginBlock()` and `endBlock()` only.
    ///
    /// - Parameters:
    ///   - channel: 0 ..< `channelCount`.
    ///   - frame: the first frame, at the clip's rate; frames outside the clip are silence.
    ///   - count: number of frames, at least 0.
    ///   - output: room for `count` samples; the function writes all of them.
    /// - Returns: number of missing frames: within the clip, but not loaded. The function writes zeros for missing
    ///   frames.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func read(
        channel: Int, from frame: Int64, count: Int, into output: UnsafeMutablePointer<Float>
    ) -> Int {
        precondition(channel >= 0 && channel < geometry.channelCount, "no such channel")
        let pageFrames = Int64(geometry.pageFrames)
        var (done, missing) = (0, 0)
        while done < count {
            let position = frame + Int64(done)
            let left = count - done
            if position < 0 {
                let silent = position < -Int64(left) ? left : Int(-position)
                unsafe zero(output + done, count: silent)
                done += silent
            } else if position >= geometry.frameCount {
                unsafe zero(output + done, count: left)
                done += left
            } else {
                let offset = position & (pageFrames - 1)
                // Two by two: the minimum of three takes an array.
                let here = min(Int64(left), min(pageFrames - offset, geometry.frameCount - position))
                let page = Int(position >> Int64(geometry.shift))
                if let samples = unsafe samples(of: page) {
                    let source = unsafe samples + (channel << geometry.shift) + Int(offset)
                    // As bytes: the lock check refuses the typed copy.
                    unsafe UnsafeMutableRawPointer(output + done)
                        .copyMemory(from: source, byteCount: Int(here) * MemoryLayout<Float>.stride)
                } else {
                    unsafe zero(output + done, count: Int(here))
                    missing += Int(here)
                }
                done += Int(here)
            }
        }
        return missing
    }

    /// Copies `count` frames of every channel, as `read(channel:from:count:into:)` does.
    ///
    /// - Returns: the sum of the channels' missing frames.
    package func read(
        from frame: Int64, count: Int, into channels: UnsafePointer<UnsafeMutablePointer<Float>>
    ) -> Int {
        var missing = 0
        for channel in 0..<geometry.channelCount {
            missing += unsafe read(channel: channel, from: frame, count: count, into: channels[channel])
        }
        return missing
    }

    /// Returns the samples of a page, or nil if the page is not loaded; a waiting reader returns with the page or
    /// for a failed clip.
    private func samples(of page: Int) -> UnsafePointer<Float>? {
        unsafe pages.address(at: page)?.assumingMemoryBound(to: Float.self)
    }

    /// Returns true if every frame of the range within the clip is loaded at this moment.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func isLoaded(from frame: Int64, count: Int) -> Bool {
        let start = max(frame, 0)
        let end = min(frame + Int64(count), geometry.frameCount)
        if start >= end { return true }
        var page = Int(start >> Int64(geometry.shift))
        let last = Int((end - 1) >> Int64(geometry.shift))
        while page <= last {
            if !pages.table.isPublished(page) { return false }
            page += 1
        }
        return true
    }

    /// Returns true after `Clip.endWaits(of:)`. Silence then means nothing, and must not be played.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func waitsAreOver() -> Bool {
        // Relaxed: a thread returning from a wait has held the store's lock after the thread which ended the wait.
        unsafe demand.pointee.waitsAreOver.load(ordering: .relaxed)
    }

    /// Tells the decode thread the current and the next position; the decode thread polls every few milliseconds.
    ///
    /// - Parameters:
    ///   - current: the frame being played; the decoder reads ahead from this frame. Negative: none.
    ///   - next: the next place to play, such as the start of the loop. Negative: none.
    ///   - movesBack: true if playing moves towards the beginning.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func publishDemand(current: Int64, next: Int64, movesBack: Bool = false) {
        // Relaxed: the three values are independent hints, and no other memory depends on the hints.
        unsafe demand.pointee.current.store(current, ordering: .relaxed)
        unsafe demand.pointee.next.store(next, ordering: .relaxed)
        unsafe demand.pointee.movesBack.store(movesBack, ordering: .relaxed)
    }

    private func zero(_ output: UnsafeMutablePointer<Float>, count: Int) {
        unsafe output.update(repeating: 0, count: count)
    }
}

/// The positions needed by a reader's render thread, in memory shared by both threads.
struct ReaderDemand: ~Copyable {
    let current = Atomic<Int64>(-1)
    let next = Atomic<Int64>(-1)
    let movesBack = Atomic<Bool>(false)
    /// Set by the control side, never cleared.
    let waitsAreOver = Atomic<Bool>(false)
}
