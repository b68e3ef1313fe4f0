// CInterface: the functions of woodshed.h, with what a C program may do wrong checked at the door. It has no sound of its own: each
// function finds the objects behind its handles, calls one method of the engine, and puts the result into the form of the header.
internal import CWoodshed
internal import Explanations
internal import Glibc
internal import Woodshed

/// An argument that a function of the header cannot take, or a request that it cannot take now.
struct ArgumentError: ExplainedError, Hashable {
    let message: String
    let remedy: String
    let exitStatus: ExitStatus

    init(_ message: String, remedy: String = "", status: ExitStatus = .usage) {
        (self.message, self.remedy, exitStatus) = (message, remedy, status)
    }

    /// A place for a result, or another pointer, that must not be NULL.
    static func missing(_ name: String) -> ArgumentError {
        ArgumentError("\(name) is NULL", remedy: "Pass the address of a variable.")
    }
}

/// Carries out a function of the header, keeps the words of its error for this thread, and returns its status.
func answer(_ body: () throws -> Void) -> woodshed_status {
    guard !Fork.isChild else {
        LastFailure.keep(
            "the engine was opened by another process, of which this one is a copy",
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
struct Refusal {
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

/// The words of the last error of each thread.
enum LastFailure {
    /// Two texts that C can read, and the event that the thread has taken last.
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

    /// What this thread keeps; nil if the system has no place for it.
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

    /// Keeps an event until this thread takes the next one.
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

/// Texts that are valid for ever.
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

/// Whether this process is a copy of the one that used the library: it has none of its threads, and its locks may be held for ever.
enum Fork {
    /// A page that the system fills with zeros in a child; nil if it cannot.
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
