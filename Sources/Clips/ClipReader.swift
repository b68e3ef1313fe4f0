// What a render thread holds of a clip: raw pointers, no class, no wait.
internal import Realtime
import Synchronization

/// Reads a clip's pages on a render thread, without ever waiting for one.
///
/// A page that is not loaded reads as silence, and the count of missing frames is returned. A reader made to wait for pages
/// is for threads under a virtual clock: it comes back with the page, and only a clip that has failed reads as silence.
/// Made by `Clip.makeReader(waitsForPages:)`; valid until it is given to `Clip.release(_:)`, and only while the clip lives: keep a reference to the clip outside the render thread.
/// One thread at a time.
@safe
@usableFromInline package struct ClipReader: BitwiseCopyable, @unchecked Sendable {
    let geometry: PageGeometry
    let pages: PublishedReader
    let demand: UnsafeMutablePointer<ReaderDemand>
    /// Names the reader within its clip.
    let identifier: Int

    /// Channels of the clip.
    @usableFromInline package var channelCount: Int { geometry.channelCount }
    /// Frames of the clip, at the clip's rate.
    @usableFromInline package var frameCount: Int64 { geometry.frameCount }

    /// Says that reads may follow: from here to `endBlock()` no page that can be seen goes away. Not to be nested.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func beginBlock() { pages.epoch.enter() }

    /// Says that the reads of this block are over.
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
    ///   - frame: the first frame, at the clip's rate; it may lie outside the clip, where there is silence.
    ///   - count: how many frames, at least 0.
    ///   - output: room for `count` samples, all of which are written.
    /// - Returns: how many frames were missing: within the clip, but not loaded. They were written as zeros.
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
                    // As bytes: the typed copy is refused by the lock check.
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

    /// The samples of a page, or nil when it is not loaded; a reader that waits comes back with the page or a failed clip.
    private func samples(of page: Int) -> UnsafePointer<Float>? {
        unsafe pages.address(at: page)?.assumingMemoryBound(to: Float.self)
    }

    /// Whether every frame of the range that lies within the clip is loaded at this moment.
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

    /// Whether a reader that waits for pages was told to wait no more: silence then means nothing, and is not to be heard.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func waitsAreOver() -> Bool {
        // Relaxed: who comes back from a wait has had the store's lock after who ended it.
        unsafe demand.pointee.waitsAreOver.load(ordering: .relaxed)
    }

    /// Tells the decode thread what is played and what comes next; it looks every few milliseconds.
    ///
    /// - Parameters:
    ///   - current: the frame being played; the decoding goes on ahead of it. Negative: none.
    ///   - next: where the playing will jump to, such as the loop's start. Negative: none.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func publishDemand(current: Int64, next: Int64) {
        // Relaxed: the two are hints, each of use alone, and nothing else is published by them.
        unsafe demand.pointee.current.store(current, ordering: .relaxed)
        unsafe demand.pointee.next.store(next, ordering: .relaxed)
    }

    private func zero(_ output: UnsafeMutablePointer<Float>, count: Int) {
        unsafe output.update(repeating: 0, count: count)
    }
}

/// What a reader's render thread wants loaded, in memory both threads see.
struct ReaderDemand: ~Copyable {
    let current = Atomic<Int64>(-1)
    let next = Atomic<Int64>(-1)
    /// Set by the control side, for good.
    let waitsAreOver = Atomic<Bool>(false)
}
