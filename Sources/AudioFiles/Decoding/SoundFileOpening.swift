// Opens files with libsndfile, and finds the reason of a refusal.
internal import CSndFile
internal import Glibc

/// Opens files with libsndfile.
///
/// The library stores the reason of a refusal in a variable shared by all threads, and clears the variable at every
/// opening. A refused file is therefore opened once more while no other file is being opened. Accepted files never wait
/// for each other.
enum SoundFileOpening {
    /// The reason of a refusal by the library.
    struct Refusal: Error {
        /// Error code: SF_ERR_....
        let code: Int
        /// Error message.
        let text: String
    }

    /// Lock: shared for opening a file, exclusive for asking the reason of a refusal.
    nonisolated(unsafe) private static let lock: UnsafeMutablePointer<pthread_rwlock_t> = {
        let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_rwlock_t())
        _ = unsafe pthread_rwlock_init(lock, nil)
        return unsafe lock
    }()

    /// Longest wait for other openings to finish, in milliseconds. If a file system does not answer, a possibly wrong
    /// reason is better than none.
    private static let patience = 2000

    /// Opens a file.
    ///
    /// - Parameter attempt: Opens the file, or returns nil for a refusal. Called again after a refusal.
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

    /// Opens a file while no thread asks the reason of a refusal.
    static func shared<Failure: Error>(
        _ attempt: () throws(Failure) -> OpaquePointer?
    ) throws(Failure) -> OpaquePointer? {
        _ = unsafe pthread_rwlock_rdlock(lock)
        defer { _ = unsafe pthread_rwlock_unlock(lock) }
        return unsafe try attempt()
    }
}
