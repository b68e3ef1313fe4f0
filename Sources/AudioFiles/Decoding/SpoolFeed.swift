// Fills a spool while other threads read from it.
internal import Realtime

/// Fills a spool on its own thread. The thread ends when the last decoder reading from the spool is released.
final class SpoolFeed: Sendable {
    private let progress: SpoolProgress
    private let thread: PlainThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - path: The decoded file, for messages.
    ///   - byteCount: Number of bytes expected by readers in all.
    ///   - allowance: Number of bytes that may be missing at the end; missing bytes become zeros.
    ///   - fill: Fills the spool from its start, and reports its progress. Returns at the end, or throws.
    init(
        path: String, byteCount: Int64, allowance: Int64,
        fill: @escaping @Sendable (SpoolProgress) throws(AudioFileError) -> Void
    ) throws(AudioFileError) {
        let progress = SpoolProgress(path: path, byteCount: byteCount, allowance: allowance)
        let work: @Sendable () -> Void = {
            do throws(AudioFileError) {
                try fill(progress)
                progress.end(nil)
            } catch {
                progress.end(error)
            }
        }
        guard let thread = PlainThread(name: "file-decode", work) else { throw .noThread(path) }
        (self.progress, self.thread) = (progress, thread)
    }

    deinit {
        stop()
        thread.join()
    }

    /// Ends the filling, and every read waiting for it.
    func stop() { progress.stop() }

    /// Waits until the first `end` bytes are present. Returns the number of bytes present, which is smaller if the
    /// filling has ended.
    ///
    /// - Throws: The reason for missing bytes.
    func wait(for end: Int64) throws(AudioFileError) -> Int64 { try progress.wait(for: end) }
}

/// Progress of filling a spool. Threads: any.
final class SpoolProgress: @unchecked Sendable {
    private let path: String
    private let byteCount: Int64
    private let allowance: Int64
    private let lock = ConditionLock()

    // Guarded by `lock`.
    private var filled: Int64 = 0
    private var isOver = false
    private var isStopped = false
    private var failure: AudioFileError?

    init(path: String, byteCount: Int64, allowance: Int64) {
        (self.path, self.byteCount, self.allowance) = (path, byteCount, allowance)
    }

    /// True if there may still be readers.
    var isWanted: Bool { lock.withLock { !isStopped } }

    /// Reports that the first `count` bytes are present.
    func advance(to count: Int64) {
        lock.withLock {
            filled = count
            lock.wakeAll()
        }
    }

    fileprivate func stop() {
        lock.withLock {
            isStopped = true
            lock.wakeAll()
        }
    }

    fileprivate func end(_ failure: AudioFileError?) {
        lock.withLock {
            isOver = true
            self.failure = failure ?? (filled + allowance < byteCount ? .changed(path) : nil)
            lock.wakeAll()
        }
    }

    fileprivate func wait(for end: Int64) throws(AudioFileError) -> Int64 {
        let result: Result<Int64, AudioFileError> = lock.withLock {
            while filled < end {
                if isStopped { return .failure(.closed(path)) }
                if isOver { return failure.map { .failure($0) } ?? .success(filled) }
                lock.wait()
            }
            return .success(end)
        }
        return try result.get()
    }
}
