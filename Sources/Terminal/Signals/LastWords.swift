// The report of a run that ends at once: after a second Ctrl-C, or if the main thread waits for too long after the
// first. A signal handler writes the report, so the bytes are ready at any moment.

/// Texts that the process writes if a signal ends the process at once.
package enum LastWords {
    private static let output = PreparedText()
    private static let error = PreparedText()

    /// Replaces the texts. Main thread only.
    ///
    /// - Parameters:
    ///   - output: Lines for standard output; empty for none.
    ///   - error: Lines for standard error; empty for none.
    package static func keep(output: String, error: String) {
        self.output.replace(by: output)
        self.error.replace(by: error)
    }

    /// Adds lines for standard output, and replaces the lines for standard error. Takes a time that does not depend on
    /// the earlier lines. Main thread only.
    package static func keep(moreOutput: String, error: String) {
        output.add(moreOutput)
        self.error.replace(by: error)
    }

    /// Removes the texts: the run reports its work itself from here on.
    package static func forget() { keep(output: "", error: "") }

    // MARK: In a signal handler

    /// Initialises everything used by a handler.
    package static func prepareForHandlers() {
        output.prepare()
        error.prepare()
        _ = (StandardStream.output.descriptor, StandardStream.error.descriptor)
    }

    /// Writes the texts, as far as their readers accept bytes. Safe in a signal handler.
    ///
    /// - Parameter milliseconds: Longest wait for a reader to accept more.
    package static func write(milliseconds: Int32 = 0) {
        output.write(to: .output, milliseconds: milliseconds)
        error.write(to: .error, milliseconds: milliseconds)
    }
}
