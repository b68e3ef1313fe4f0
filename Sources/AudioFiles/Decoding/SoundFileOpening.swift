// Opening files with libsndfile, and learning why it refuses one.
internal import CSndFile
internal import Glibc

/// Opens files with libsndfile.
///
/// The library says why it refused a file in a variable that all threads share, and clears it whenever it opens another file. So a
/// file that was refused is opened once more while nothing else is being opened. Files that are not refused never wait for each other.
enum SoundFileOpening {
    /// Why the library refused a file.
    struct Refusal: Error {
        /// Its code: SF_ERR_....
        let code: Int
        /// Its words.
        let text: String
    }

    /// Shared by what opens a file, exclusive for asking why one was refused.
    nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_rwlock_t> = {
        let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_rwlock_t())
        _ = unsafe pthread_rwlock_init(lock, nil)
        return unsafe lock
    }()

    /// How long to wait for files that are being opened, in milliseconds. On a file system that does not answer it is better to
    /// tell a reason that may be wrong than none.
    private static let patience = 2000

    /// Opens a file.
    ///
    /// - Parameter attempt: Opens it; is called again after a refusal. Nil for a refusal.
    static func open<Failure: Error>(
        _ attempt: () throws(Failure) -> OpaquePointer?
    ) throws(Failure) -> Result<OpaquePointer, Refusal> {
        if let handle = try unsafe shared(attempt) { return unsafe .success(handle) }
        var (isAlone, left) = (false, patience)
        while !isAlone, left > 0 {
            isAlone = unsafe pthread_rwlock_trywrlock(lock) == 0
            if !isAlone { usleep(1000) }
            left -= 1
        }
        defer { if isAlone { _ = unsafe pthread_rwlock_unlock(lock) } }
        if let handle = try unsafe attempt() { return unsafe .success(handle) }
        let text = unsafe String(cString: sf_strerror(nil)).filter { !$0.isNewline }
        return unsafe .failure(Refusal(code: Int(sf_error(nil)), text: text))
    }

    /// Opens a file while nobody asks why another was refused.
    static func shared<Failure: Error>(
        _ attempt: () throws(Failure) -> OpaquePointer?
    ) throws(Failure) -> OpaquePointer? {
        _ = unsafe pthread_rwlock_rdlock(lock)
        defer { _ = unsafe pthread_rwlock_unlock(lock) }
        return unsafe try attempt()
    }
}
