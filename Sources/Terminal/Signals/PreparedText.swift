import Glibc
import Synchronization

/// A text that a signal handler can write at any moment, in pieces: a longer text does not copy the earlier pieces.
///
/// Threads: one thread changes the text; the handler may run on any thread.
struct PreparedText: ~Copyable, Sendable {
    private struct Piece: ~Copyable {
        /// Address of a C string.
        let text: UInt
        /// Address of the next piece; 0 for none.
        let next = Atomic<UInt>(0)
    }

    /// Address of the first piece; 0 for none. The thread that takes the address out owns this piece and all later
    /// pieces. So a piece is never freed while a handler reads the piece.
    private let first = Atomic<UInt>(0)
    /// Address of the last piece added. Used only by the thread that changes the text.
    private let last = Atomic<UInt>(0)

    /// Initialises everything used by a handler.
    borrowing func prepare() { _ = first.load(ordering: .relaxed) }

    /// Replaces the text; a handler sees either the old or the new text. An empty text removes the text.
    borrowing func replace(by text: String) {
        let new = Self.piece(text)
        last.store(new, ordering: .relaxed)
        var address = first.exchange(new, ordering: .acquiringAndReleasing)
        while let piece = unsafe UnsafeMutablePointer<Piece>(bitPattern: address) {
            address = unsafe piece.pointee.next.load(ordering: .acquiring)
            unsafe free(UnsafeMutableRawPointer(bitPattern: piece.pointee.text))
            unsafe piece.deinitialize(count: 1)
            unsafe piece.deallocate()
        }
    }

    /// Adds to the end of the text.
    borrowing func add(_ text: String) {
        let new = Self.piece(text)
        guard new != 0 else { return }
        let end = unsafe UnsafeMutablePointer<Piece>(bitPattern: last.exchange(new, ordering: .relaxed))
        // The releasing stores are seen by the acquiring loads of `write`. Taken pieces are never freed, so a handler
        // may take the pieces just before the store.
        if first.load(ordering: .relaxed) != 0, let end = unsafe end {
            unsafe end.pointee.next.store(new, ordering: .releasing)
        } else {
            first.store(new, ordering: .releasing)
        }
    }

    /// Returns the address of a new piece; 0 for an empty text.
    private static func piece(_ text: String) -> UInt {
        guard !text.isEmpty, let copy = unsafe strdup(text) else { return 0 }
        let piece = UnsafeMutablePointer<Piece>.allocate(capacity: 1)
        unsafe piece.initialize(to: Piece(text: UInt(bitPattern: copy)))
        return UInt(bitPattern: piece)
    }

    /// Takes the text out, and writes the text as far as the reader accepts bytes. Safe in a signal handler.
    ///
    /// - Parameter milliseconds: Longest wait for a reader to accept more.
    borrowing func write(to stream: StandardStream, milliseconds: Int32 = 0) {
        // A pipe that accepts more accepts 512 bytes at least; a terminal, a single byte.
        let most = stream.isTerminal ? 1 : 512
        var address = first.exchange(0, ordering: .acquiringAndReleasing)
        while let piece = unsafe UnsafeMutablePointer<Piece>(bitPattern: address) {
            guard let text = unsafe UnsafePointer<CChar>(bitPattern: piece.pointee.text) else { return }
            var (done, count) = (0, unsafe strlen(text))
            while count > 0 {
                guard stream.takesMore(milliseconds: milliseconds) else { return }
                let written = unsafe Glibc.write(stream.descriptor, text + done, min(most, count))
                guard written > 0 else { return }
                (done, count) = (done + written, count - written)
            }
            address = unsafe piece.pointee.next.load(ordering: .acquiring)
        }
    }
}
