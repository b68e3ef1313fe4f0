// CInterface: the functions of woodshed.h, with every argument of a C program checked at entry. The module makes no
// sound itself. Each function looks up the objects behind the handles, calls a method of the engine, and converts the
// result to the form of the header.
internal import CWoodshed
internal import Explanations
internal import Glibc
internal import Woodshed

/// An invalid argument to a function of the header, or a request that the function cannot carry out now.
struct ArgumentError: ExplainedError, CategorisedError, Hashable {
    let message: String
    let remedy: String
    let exitStatus: ExitStatus

    init(_ message: String, remedy: String, status: ExitStatus = .usage) {
        (self.message, self.remedy, exitStatus) = (message, remedy, status)
    }

    /// Error for a thread that the system cannot create.
    static let noThread = ArgumentError(.threads)

    /// Error for more than the system gives.
    init(_ limit: SystemLimit) { self.init(limit.cause, remedy: limit.remedy, status: limit.exitStatus) }

    /// Error for a NULL pointer to a result or to another required argument.
    static func missing(_ name: String) -> ArgumentError {
        ArgumentError("\(name) is NULL", remedy: "Pass the address of a variable.")
    }
}

/// Carries out a function of the header, stores the message of its error for this thread, and returns its status.
func answer(_ body: () throws -> Void) -> woodshed_status {
    guard !Fork.isChild else {
        LastFailure.keep(
            "the process is a copy made by fork(), and the engine belongs to the parent process",
            "Open engines after fork(), or call exec in the child.")
        return WOODSHED_UNAVAILABLE
    }
    do {
        try body()
        return WOODSHED_OK
    } catch {
        let refusal = Refusal(error)
        LastFailure.keep(refusal.message, refusal.remedy)
        return refusal.status
    }
}

/// An error in the form of the header.
struct Refusal: Explained {
    let status: woodshed_status
    let message: String
    let remedy: String

    init(_ error: any Error) {
        let explained = error as? any Explained
        (message, remedy) = (explained?.message ?? "\(error)", explained?.remedy ?? "")
        let status = (error as? any ExplainedError)?.exitStatus ?? .software
        self.status = woodshed_status(rawValue: UInt32(status.rawValue))
    }
}

/// Message and remedy of the last error of each thread.
enum LastFailure {
    /// Two texts that C can read, and the event that the thread took last.
    @safe
    private final class Words {
        var message: UnsafeMutablePointer<CChar>?
        var remedy: UnsafeMutablePointer<CChar>?
        var event: ShownEvent?

        deinit {
            unsafe free(message)
            unsafe free(remedy)
        }
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key) { words in
            if let words = unsafe words { unsafe Unmanaged<Words>.fromOpaque(words).release() }
        }
        return code == 0 ? key : nil
    }()

    /// Returns the thread-specific storage, created at first use; nil if the system has no key for thread-specific
    /// data.
    private static func own() -> Words? {
        guard let key else { return nil }
        if let known = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<Words>.fromOpaque(known).takeUnretainedValue()
        }
        let words = Words()
        let context = unsafe Unmanaged.passRetained(words)
        if unsafe pthread_setspecific(key, context.toOpaque()) != 0 { unsafe context.release() }
        return words
    }

    /// Retains an event until this thread takes the next event.
    static func hold(_ event: ShownEvent) { own()?.event = event }

    static func keep(_ message: String, _ remedy: String) {
        guard let words = own() else { return }
        unsafe free(words.message)
        unsafe free(words.remedy)
        unsafe (words.message, words.remedy) = (strdup(message), strdup(remedy))
    }

    static var message: UnsafePointer<CChar> { unsafe text(\.message) }
    static var remedy: UnsafePointer<CChar> { unsafe text(\.remedy) }

    private static func text(_ part: KeyPath<Words, UnsafeMutablePointer<CChar>?>) -> UnsafePointer<CChar> {
        guard let key, let known = unsafe pthread_getspecific(key) else { return unsafe ConstantText.empty }
        let words = unsafe Unmanaged<Words>.fromOpaque(known).takeUnretainedValue()
        return unsafe words[keyPath: part].map { unsafe UnsafePointer($0) } ?? ConstantText.empty
    }
}

/// Texts that stay valid for the life of the process.
enum ConstantText {
    nonisolated(unsafe) static let empty: UnsafePointer<CChar> = unsafe made("")
    nonisolated(unsafe) static let version: UnsafePointer<CChar> = unsafe made(woodshedVersion)

    private static func made(_ text: String) -> UnsafePointer<CChar> {
        let bytes = text.utf8CString
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { unsafe (copy + index).initialize(to: byte) }
        return unsafe UnsafePointer(copy)
    }
}

/// Detects a child process after fork: a child has none of the library's threads, and its locks may stay locked
/// forever.
enum Fork {
    /// A page that the system fills with zeros in a child; nil if the system cannot.
    nonisolated(unsafe) private static let page: UnsafeMutablePointer<UInt8>? = {
        let size = sysconf(Int32(_SC_PAGESIZE))
        guard let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe memory != MAP_FAILED
        else { return nil }
        let wipeOnFork: Int32 = 18
        guard unsafe madvise(memory, size, wipeOnFork) == 0 else {
            unsafe munmap(memory, size)
            return nil
        }
        let page = unsafe memory.assumingMemoryBound(to: UInt8.self)
        unsafe page.pointee = 1
        return unsafe page
    }()

    static var isChild: Bool { unsafe page.map { unsafe $0.pointee == 0 } ?? false }
}
