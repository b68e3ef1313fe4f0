// The terminal's raw mode, and the restoration of the earlier state. Raw mode is entered and left only here. The saved
// settings are in plain memory, so a signal handler can restore them.
import Glibc
import Synchronization

/// Glyphs available on the terminal.
package enum Glyphs: Equatable, Sendable {
    case unicode
    case ascii
}

/// The properties of standard error and standard input, queried once per run.
package struct TerminalTraits: Equatable, Sendable {
    /// True if standard error takes redrawn lines.
    package var drawsStatus: Bool
    /// True if standard input sends keys.
    package var readsKeys: Bool
    package var usesColour: Bool
    package var glyphs: Glyphs

    /// - Parameters:
    ///   - environment: Returns the value of a variable.
    ///   - plain: True if the user requested plain lines.
    package init(
        environment: (String) -> String?, standardErrorIsTerminal: Bool, standardInputIsTerminal: Bool, plain: Bool
    ) {
        let isDumb = environment("TERM") == "dumb"
        let sparse = plain || isDumb || environment("WOODSHED_A11Y") == "1"
        drawsStatus = standardErrorIsTerminal && !sparse
        readsKeys = standardInputIsTerminal && standardErrorIsTerminal
        let noColour = environment("NO_COLOR").map { !$0.isEmpty } ?? false
        usesColour = drawsStatus && !noColour
        let locale = [environment("LC_ALL"), environment("LC_CTYPE"), environment("LANG")]
            .compactMap { $0 }.first { !$0.isEmpty }
        let name = locale?.lowercased() ?? ""
        glyphs = !plain && (name.contains("utf-8") || name.contains("utf8")) ? .unicode : .ascii
    }

    /// Returns the traits of this process.
    package static func current(plain: Bool) -> TerminalTraits {
        TerminalTraits(
            environment: environmentVariable, standardErrorIsTerminal: isatty(STDERR_FILENO) == 1,
            standardInputIsTerminal: isatty(STDIN_FILENO) == 1, plain: plain)
    }
}

/// Returns a variable of this process's environment.
package func environmentVariable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
}

/// Key-by-key input on the controlling terminal, and its end.
package enum RawMode {
    // Saved settings, written before `isActive` lets a handler read them.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    private static let isActive = Atomic<Bool>(false)

    /// Takes keys without waiting for Return and without echo. Ctrl-C and Ctrl-Z keep making signals.
    ///
    /// - Returns: False if standard input is no terminal, or this job is not in the terminal's foreground.
    @discardableResult
    package static func enter() -> Bool {
        guard !isActive.load(ordering: .acquiring), tcgetpgrp(STDIN_FILENO) == getpgrp() else { return false }
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return false }
        unsafe saved.pointee = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Ctrl-S would block everything that writes to the terminal, and with it every key.
        settings.c_iflag &= ~tcflag_t(IXON)
        // Ctrl-C and Ctrl-Z must not flush: flushing would discard output on its way to the terminal, perhaps half a
        // drawing.
        settings.c_lflag |= tcflag_t(NOFLSH)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { controls in
            unsafe controls[Int(VMIN)] = 0
            unsafe controls[Int(VTIME)] = 0
        }
        guard unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 else { return false }
        // Releasing: a handler that sees the flag sees the settings, through the acquiring exchange in `leave`.
        isActive.store(true, ordering: .releasing)
        return true
    }

    /// Restores the terminal; harmless without a change. Safe in a signal handler.
    package static func leave() {
        guard isActive.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // A background job's terminal was already restored by the shell. A background process that tries to restore the
        // terminal is stopped (SIGTTOU).
        guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, saved)
    }

    /// Re-enters raw mode after another program used the terminal.
    package static func renew() {
        leave()
        enter()
    }

    /// Returns the bytes of the keys pressed since the last call.
    package static func readBytes() -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal has hung up; further reads would only waste time.
            if count == 0 || errno == EIO { leave() }
            return []
        }
        return bytes.prefix(count)
    }

    /// True if keys can be read: standard input and standard error are terminals.
    package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// True between `enter` and `leave`.
    package static var readsKeys: Bool { isActive.load(ordering: .acquiring) }

    /// Initialises everything used by a handler.
    package static func prepareForHandlers() {
        _ = unsafe saved
        _ = isActive.load(ordering: .relaxed)
    }
}

/// Size of a terminal in characters.
package struct TerminalSize: Equatable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
}

/// Returns the size of the terminal behind standard error: from the system, else from COLUMNS and LINES, else 80 by 24.
package func terminalSize() -> TerminalSize {
    var size = winsize()
    let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
    func extent(_ told: UInt16, _ variable: String, _ usual: Int) -> Int {
        if isKnown, told > 0 { return Int(told) }
        guard let given = environmentVariable(variable).flatMap({ wholeNumber($0) }), (1..<10_000).contains(given)
        else {
            return usual
        }
        return Int(given)
    }
    return TerminalSize(columns: extent(size.ws_col, "COLUMNS", 80), rows: extent(size.ws_row, "LINES", 24))
}
