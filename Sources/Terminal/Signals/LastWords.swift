// The report of a run that ends at once: after a second Ctrl-C, or if the main thread waits for too long after the
// first. A signal handler writes the report, so the bytes are ready at any moment.
import Glibc
import Synchronization

/// Texts that the process writes if a signal ends the process at once.
package enum LastWords {
    // Addresses of C strings; 0 for none. The thread that takes an address out owns the string. So a string is never
    // freed while a handler reads the string.
    private static let output = Atomic<UInt>(0)
    private static let error = Atomic<UInt>(0)

    /// Replaces the texts. Main thread only.
    ///
    /// - Parameters:
    ///   - output: Lines for standard output; empty for none.
    ///   - error: Lines for standard error; empty for none.
    package static func keep(output: String, error: String) {
        replace(self.output, output)
        replace(self.error, error)
    }

    /// Removes the texts: the run reports its work itself from here on.
    package static func forget() { keep(output: "", error: "") }

    private static func replace(_ place: borrowing Atomic<UInt>, _ text: String) {
        let copy = text.isEmpty ? nil : unsafe strdup(text)
        let old = place.exchange(UInt(bitPattern: copy), ordering: .acquiringAndReleasing)
        unsafe free(UnsafeMutableRawPointer(bitPattern: old))
    }

    // MARK: In a signal handler

    /// Initialises everything used by a handler.
    package static func prepareForHandlers() {
        _ = (output.load(ordering: .relaxed), error.load(ordering: .relaxed))
        _ = (StandardStream.output.descriptor, StandardStream.error.descriptor)
    }

    /// Writes the texts, as far as their readers accept bytes without a wait. Safe in a signal handler.
    package static func write() {
        write(output, to: .output)
        write(error, to: .error)
    }

    private static func write(_ place: borrowing Atomic<UInt>, to stream: StandardStream) {
        let address = place.exchange(0, ordering: .acquiringAndReleasing)
        guard let text = unsafe UnsafePointer<CChar>(bitPattern: address) else { return }
        // A pipe that accepts more accepts 512 bytes at least; a terminal, a single byte.
        let most = stream.isTerminal ? 1 : 512
        var (done, count) = (0, unsafe strlen(text))
        while count > 0, stream.takesMore {
            let written = unsafe Glibc.write(stream.descriptor, text + done, min(most, count))
            guard written > 0 else { return }
            (done, count) = (done + written, count - written)
        }
    }
}
