// How a reader waits for a page. Only readers under a virtual clock do: there the clock stands still meanwhile.
internal import Realtime

/// Waits for one page of a clip, with the reader outside its block so that others can be evicted. Trivial, so that the code
/// a render thread runs can hold it; a render thread's reader has none.
@safe
struct PageWait: BitwiseCopyable, @unchecked Sendable {
    /// The clip's core, which outlives all its readers.
    private let core: UnsafeRawPointer

    init(_ core: ClipCore) {
        unsafe self.core = UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque())
    }

    /// Returns whether the page is there; if not, the clip has failed and says why.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func waitForPage(_ page: Int, _ epoch: ReadEpoch.Reader) -> Bool {
        var call = unsafe Call(core: core, page: page, isThere: false)
        epoch.leave()
        unsafe withUnsafeMutablePointer(to: &call) { call in
            unsafe RealtimeScope.stepOutside(waitOutside, UnsafeMutableRawPointer(call))
        }
        epoch.enter()
        return call.isThere
    }

    @safe
    fileprivate struct Call {
        let core: UnsafeRawPointer
        let page: Int
        var isThere: Bool
    }
}

private func waitOutside(_ context: UnsafeMutableRawPointer?) {
    // Sound because `waitForPage` made the call, on this thread's stack, and waits for this function to return.
    guard let call = unsafe context?.assumingMemoryBound(to: PageWait.Call.self) else { return }
    let core = unsafe Unmanaged<ClipCore>.fromOpaque(call.pointee.core).takeUnretainedValue()
    do throws(AudioFileError) {
        let page = unsafe call.pointee.page
        try core.waitUntilLoaded([page..<page + 1])
        unsafe call.pointee.isThere = true
    } catch {
        unsafe call.pointee.isThere = false
    }
}
