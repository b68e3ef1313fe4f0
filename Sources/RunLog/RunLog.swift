// RunLog: what a run does, as lines of a file, for finding out why something went wrong. It is off unless the user asks for it.
//
// Never called from the render thread, nor from code that it reaches: writing a line allocates, locks and waits for the disk. What happens
// there leaves through a ring, and is logged where the ring is read. The module writes to its file, and never to the terminal. It does not know
// which secrets a text contains: callers pass addresses as `WebAddress.shown`, and statements without their values.
internal import Synchronization

/// How important a line is.
package enum LogLevel: UInt32, CaseIterable, Sendable {
    case off, error, warning, info, debug, trace

    /// As the user types it.
    package var name: String { "\(self)" }
}

/// What a line is about.
package enum LogArea: UInt32, CaseIterable, Sendable {
    /// Devices: opened, late, lost, back.
    case audio
    /// Statements, and the store's opening, migration and repair.
    case sql
    /// Transfers.
    case net
    /// What is done to the recordings of the library.
    case library
    /// The desktop: media keys and sleep.
    case bus
    /// The run itself: its verb, and how it ended.
    case session

    /// As the user types it.
    package var name: String { "\(self)" }

    /// Its place among the levels of all areas.
    fileprivate var shift: UInt32 { rawValue * 4 }
}

/// The log of this process.
package enum RunLog {
    /// The level of every area, 4 bits each.
    private static let levels = Atomic<UInt32>(0)
    private static let file = Mutex<LogFile?>(nil)

    /// Begins to write lines of these levels to a file.
    ///
    /// - Parameters:
    ///   - file: Where lines go.
    ///   - levels: What is written.
    package static func start(_ file: LogFile, _ levels: LogLevels) {
        Self.file.withLock { $0 = file }
        Self.levels.store(levels.packed, ordering: .relaxed)
    }

    /// Whether lines of a level are written. Real-time safe: no, because what follows it is not.
    package static func isOn(_ area: LogArea, _ level: LogLevel) -> Bool {
        // Relaxed: the lock of the file orders what matters.
        levels.load(ordering: .relaxed) >> area.shift & 0xF >= level.rawValue
    }

    /// Writes a line if its level is wanted; otherwise the text is not made.
    ///
    /// Any thread but those that render. What the disk refuses is lost: a log never stops the work.
    package static func note(_ area: LogArea, _ level: LogLevel, _ text: @autoclosure () -> String) {
        guard isOn(area, level) else { return }
        let text = text()
        file.withLock { $0?.write(area, level, text) }
    }
}

extension LogLevels {
    /// In the form that is tested at each call.
    fileprivate var packed: UInt32 { LogArea.allCases.reduce(0) { $0 | self[$1].rawValue << $1.shift } }
}
