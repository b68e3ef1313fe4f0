// Epoch-based reclamation: tells when a writer can free an object found by a real-time reader through an atomic
// pointer. The writer can free the object once the reader has been outside its epoch after the object was unpublished.
// The reader enters and leaves around each block, wait-free; the writer asks. This type does not free, defer or publish
// anything, and serves one reader (any number of writers).
//
// If a writer unpublishes and then looks, and a reader enters and then looks, at least one side must see the other. So
// both `enter` and `mark` are read-modify-writes of the same word. One of the two comes first in the word's
// modification order, and the later operation sees everything before the earlier. No fence is needed: thread sanitizers
// do not model fences.
import Synchronization

/// Tells a writer when a reader can no longer hold any unpublished object.
///
///     // writer                                   // reader, each block
///     table[i].store(nil, ordering: .releasing)   reader.enter()
///     let mark = epoch.mark()                     let page = table[i].load(ordering: .acquiring)
///     … later: if epoch.hasPassed(mark) { free }  … reader.leave()
@safe
@usableFromInline package final class ReadEpoch: @unchecked Sendable {
    private let memory: SharedMemory

    /// The reader's side: a trivial value, so that the render thread touches no class. Valid while this `ReadEpoch`
    /// lives.
    package let reader: Reader

    /// A moment in the reader's sequence of entries and exits.
    package struct Mark: Sendable, Equatable {
        let count: UInt
    }

    /// Makes an epoch whose reader is outside.
    ///
    /// Real-time safe: no (allocates).
    package init() {
        memory = SharedMemory(byteCount: lineBytes)
        let word = unsafe memory.base.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        unsafe word.initialize(to: Atomic(0))
        unsafe reader = Reader(word: word)
    }

    /// Marks the reader's current state; call it *after* unpublishing, from any thread.
    ///
    /// Wait-free.
    package func mark() -> Mark {
        // Release: partner is the acquire of a later `enter`; the reader then sees everything unpublished before.
        // Acquire: partner is the release of an earlier `leave`; the reader's reads before it are over. Adding nothing
        // still takes a place in the word's modification order, which a plain load would not.
        Mark(count: unsafe reader.word.pointee.add(0, ordering: .acquiringAndReleasing).newValue)
    }

    /// True if the reader has been outside since `mark`: objects unpublished before the mark can now be freed.
    ///
    /// Once true, the answer stays true. Wait-free; from any thread.
    package func hasPassed(_ mark: Mark) -> Bool {
        // Acquire: partner is the release in `leave`; the reader's reads happened before the object is freed.
        let now = unsafe reader.word.pointee.load(ordering: .acquiring)
        return mark.count & 1 == 0 || now != mark.count
    }

    /// The reader's side: a trivial value, fit for memory that the render thread reads.
    @safe
    @usableFromInline package struct Reader: BitwiseCopyable, @unchecked Sendable {
        /// Entries and exits so far: odd while the reader is inside.
        let word: UnsafeMutablePointer<Atomic<UInt>>

        /// Lets the reader look at published objects from now on; not to be nested.
        ///
        /// Wait-free. Real-time safe: yes.
        #if REALTIME_CHECKS
            @_noAllocation @_noLocks
        #endif
        package func enter() {
            // Acquire: partner is the release in `mark`; the reader does not find objects unpublished before an earlier
            // mark.
            let count = unsafe word.pointee.add(1, ordering: .acquiringAndReleasing).newValue
            precondition(count & 1 == 1, "the reader is inside already")
        }

        /// Ends the reader's hold on all published objects.
        ///
        /// Wait-free. Real-time safe: yes.
        #if REALTIME_CHECKS
            @_noAllocation @_noLocks
        #endif
        package func leave() {
            // Release: partner is the acquire in `hasPassed` and `mark`; all our reads come before the release.
            let count = unsafe word.pointee.add(1, ordering: .releasing).newValue
            precondition(count & 1 == 0, "the reader was not inside")
        }
    }
}
