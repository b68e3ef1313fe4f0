// What fills a spool while others read from it.
internal import Realtime

/// Fills a spool on a thread of its own; the thread ends with the last decoder that reads from it.
final class SpoolFeed: Sendable {
    private let progress: SpoolProgress
    private let thread: PlainThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - path: The file whose sound it is, for messages.
    ///   - byteCount: What readers will ask for in all.
    ///   - allowance: How many bytes of that may be missing in the end, and are zeros then.
    ///   - fill: Fills the spool from its start, tells how far it is, and returns, or throws, when it is at the end.
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

    /// Ends the filling, and every read that waits for it.
    func stop() { progress.stop() }

    /// Waits until the first `end` bytes are there; returns how many are, fewer when that is all there will be.
    ///
    /// - Throws: Why there will not be as many.
    func wait(for end: Int64) throws(AudioFileError) -> Int64 { try progress.wait(for: end) }
}

/// How far a spool is filled. Any thread.
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

    /// Whether somebody may still read.
    var isWanted: Bool { lock.withLock { !isStopped } }

    /// The first `count` bytes are there.
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
