// Where the attacks of each stretch of a recording are, readable on the render thread at any moment: what the page table is
// to samples. A window that is not there means that its attacks are not known yet; the sound goes on without them.
internal import DSP
internal import Glibc
internal import Realtime
internal import Synchronization

/// One atomic word per window: the address of its attack list, or 0. Trivial, so that the render thread touches no class.
@safe
struct AttackWindows: BitwiseCopyable, @unchecked Sendable {
    /// Clip frames of one window.
    let windowFrames: Int64
    let windowCount: Int
    private let entries: UnsafeMutablePointer<Atomic<UInt>>

    /// A table without a single window; zeroed by the system as it is used.
    init?(frameCount: Int64, windowFrames: Int64) {
        self.windowFrames = windowFrames
        windowCount = Int((max(1, frameCount) - 1) / windowFrames) + 1
        // An Atomic<UInt> is a word, and a zeroed word is Atomic(0).
        guard let memory = unsafe calloc(windowCount, MemoryLayout<Atomic<UInt>>.stride) else { return nil }
        unsafe entries = memory.bindMemory(to: Atomic<UInt>.self, capacity: windowCount)
    }

    func deallocate() { unsafe free(entries) }

    /// The window that holds a frame; frames outside the recording belong to the nearest.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func window(of frame: Int64) -> Int {
        let index = frame < 0 ? 0 : frame / windowFrames
        return index < Int64(windowCount) ? Int(index) : windowCount - 1
    }

    func isReady(_ window: Int) -> Bool { unsafe entries[window].load(ordering: .acquiring) != 0 }

    /// Shows a window to the readers; `list` stays where it is until after `unpublish` and every reader's block.
    func publish(_ window: Int, _ list: UnsafePointer<AttackList>) {
        // Release: partner is the acquire in `list(of:)`; a reader that finds the list finds what it refers to.
        unsafe entries[window].store(UInt(bitPattern: list), ordering: .releasing)
    }

    /// Hides a window; readers inside a block may still hold it.
    func unpublish(_ window: Int) { unsafe entries[window].store(0, ordering: .releasing) }

    /// The attacks in and around a window, or nil while they are not known.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func list(of window: Int) -> AttackList? {
        guard let list = unsafe UnsafePointer<AttackList>(bitPattern: entries[window].load(ordering: .acquiring)) else {
            return nil
        }
        return unsafe list.pointee
    }
}

/// One player's way to the attacks of its clip; the lists it returns hold until `endBlock()`.
///
/// Under the virtual clock it waits for what is not there yet, so that the sound does not depend on the worker's haste. One
/// thread at a time; valid until it is given back, while the analysis that made it lives.
@safe
struct AttackReader: BitwiseCopyable, @unchecked Sendable {
    let table: AttackWindows
    let epoch: ReadEpoch.Reader
    /// Names the reader within its analysis.
    let identifier: Int
    /// How it waits under a virtual clock; nil for a render thread, which never waits.
    let wait: AttackWait?

    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func beginBlock() { epoch.enter() }

    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func endBlock() { epoch.leave() }

    /// The attacks from one window before `frame` to one window after; nil while they are not known.
    ///
    /// Real-time safe: yes, wait-free, but for a reader that waits.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func list(around frame: Int64) -> AttackList? {
        let window = table.window(of: frame)
        if let list = table.list(of: window) { return list }
        guard let wait else { return nil }
        wait.waitForWindow(window, epoch)
        return table.list(of: window)
    }
}

/// Waits for one window, with the reader outside its block so that others can be let go. Trivial.
@safe
struct AttackWait: BitwiseCopyable, @unchecked Sendable {
    /// The analysis, which outlives all its readers.
    private let analyst: UnsafeRawPointer

    init(_ analyst: Analyst) {
        unsafe self.analyst = UnsafeRawPointer(Unmanaged.passUnretained(analyst).toOpaque())
    }

    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func waitForWindow(_ window: Int, _ epoch: ReadEpoch.Reader) {
        var call = unsafe Call(analyst: analyst, window: window)
        epoch.leave()
        unsafe withUnsafeMutablePointer(to: &call) { call in
            unsafe RealtimeScope.stepOutside(waitOutside, UnsafeMutableRawPointer(call))
        }
        epoch.enter()
    }

    @safe
    fileprivate struct Call {
        let analyst: UnsafeRawPointer
        let window: Int
    }
}

private func waitOutside(_ context: UnsafeMutableRawPointer?) {
    // Sound because `waitForWindow` made the call, on this thread's stack, and waits for this function to return.
    guard let call = unsafe context?.assumingMemoryBound(to: AttackWait.Call.self) else { return }
    let analyst = unsafe Unmanaged<Analyst>.fromOpaque(call.pointee.analyst).takeUnretainedValue()
    unsafe analyst.waitUntilReady(call.pointee.window)
}
