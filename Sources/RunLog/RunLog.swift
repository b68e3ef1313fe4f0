// RunLog: the actions of a run, as lines of a file, for the diagnosis of failures. Off unless the user asks for a log.
//
// Never called from the render thread, nor from code reached by the render thread: writing a line allocates, locks and
// waits for the disk. Events of the render thread leave through a ring, and are logged by the reader of the ring. The
// module writes to its file, and never to the terminal. The module does not know the secrets in a text: callers pass
// addresses as `WebAddress.shown`, and statements without their values.
internal import Synchronization

/// The importance of a line.
package enum LogLevel: UInt32, CaseIterable, Sendable {
    case off, error, warning, info, debug, trace

    /// The level as typed by the user.
    package var name: String { "\(self)" }
}

/// The subject of a line.
package enum LogArea: UInt32, CaseIterable, Sendable {
    /// Devices: opened, late, lost, back.
    case audio
    /// Statements, and the store's opening, migration and repair.
    case sql
    /// Transfers.
    case net
    /// Changes to the recordings of the library.
    case library
    /// The desktop: media keys and sleep.
    case bus
    /// The run itself: its verb, and its end.
    case session

    /// The area as typed by the user.
    package var name: String { "\(self)" }

    /// The area's shift within the packed levels, in bits.
    fileprivate var shift: UInt32 { rawValue * 4 }
}

/// The log of this process.
package enum RunLog {
    /// The level of every area, 4 bits each.
    private static let levels = Atomic<UInt32>(0)
    private static let file = Mutex<LogFile?>(nil)

    /// Starts writing lines of these levels to a file.
    ///
    /// - Parameters:
    ///   - file: The destination of lines.
    ///   - levels: The levels to write.
    package static func start(_ file: LogFile, _ levels: LogLevels) {
        Self.file.withLock { $0 = file }
        Self.levels.store(levels.packed, ordering: .relaxed)
    }

    /// True if lines of a level are written. Real-time safe: no, because the following write is not.
    package static func isOn(_ area: LogArea, _ level: LogLevel) -> Bool {
        // Relaxed: the lock of the file provides the needed ordering.
        levels.load(ordering: .relaxed) >> area.shift & 0xF >= level.rawValue
    }

    /// Writes a line if its level is on; otherwise the text is not evaluated.
    ///
    /// Threads: any, except render threads. Lines refused by the disk are lost: a log never stops the work.
    package static func note(_ area: LogArea, _ level: LogLevel, _ text: @autoclosure () -> String) {
        guard isOn(area, level) else { return }
        let text = text()
        file.withLock { $0?.write(area, level, text) }
    }
}

extension LogLevels {
    /// The levels in the form tested at each call.
    fileprivate var packed: UInt32 { LogArea.allCases.reduce(0) { $0 | self[$1].rawValue << $1.shift } }
}
