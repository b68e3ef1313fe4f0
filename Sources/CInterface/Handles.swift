internal import CWoodshed
internal import Glibc
internal import Synchronization

/// Kind of object behind a handle.
enum HandleKind: UInt64, CaseIterable {
    case engine = 1
    case clip, player, listener, deviceList, recorder, waveform, store, sectionList, dueList, session, meter, takeList

    /// Name of the kind, with an article, for messages.
    var name: String {
        switch self {
        case .engine: "an engine"
        case .clip: "a clip"
        case .player: "a player"
        case .listener: "a listener"
        case .deviceList: "a list of devices"
        case .recorder: "a recorder"
        case .waveform: "a waveform"
        case .store: "a store"
        case .sectionList, .dueList: "a list of sections"
        case .session: "a session"
        case .meter: "a meter"
        case .takeList: "a list of takes"
        }
    }
}

/// An object behind a handle.
protocol Handled: AnyObject, Sendable {
    static var kind: HandleKind { get }
}

/// Table of the objects that C programs have open. A handle is a number: a place in this table and a generation. The
/// table therefore recognises a closed handle, and never follows the number as a pointer.
enum Handles {
    /// Maximum number of open objects.
    static let capacity = 1 << 16
    private static let kindBits: UInt64 = 4
    private static let placeBits: UInt64 = 16

    /// A place in the table. Its memory is zero in a child process after fork.
    @safe
    struct Place: ~Copyable {
        /// Number of the handle at this place; 0 if the place is free. Sequentially consistent, as is `users`: either a
        /// rendering thread sees the closed handle, or the closing thread sees the user.
        let handle: Atomic<UInt64>
        /// Number of threads that use the object without owning it.
        let users: Atomic<Int>
        /// Owned; guarded by the lock.
        var object: Unmanaged<AnyObject>?
    }

    /// Guarded by the lock of the table.
    private struct Free {
        /// Places that are free after an earlier use.
        var places: [Int] = []
        /// First place without any use so far.
        var unused = 0
        /// Number of handles made so far.
        var generation: UInt64 = 0
    }

    private static let lock = Mutex(Free())
    /// Rendering reads this pointer without a lock; written once, before the first handle.
    nonisolated(unsafe) private static var table: UnsafeMutablePointer<Place>?

    private static func makeTable() -> UnsafeMutablePointer<Place>? {
        let size = capacity * MemoryLayout<Place>.stride
        // Only used places take memory, because the system maps pages at first use.
        guard let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe memory != MAP_FAILED
        else { return nil }
        let wipeOnFork: Int32 = 18
        _ = unsafe madvise(memory, size, wipeOnFork)
        return unsafe memory.bindMemory(to: Place.self, capacity: capacity)
    }

    private static func place(of handle: UInt64) -> Int { Int(handle >> kindBits & (1 << placeBits - 1)) }

    /// Opens a handle for an object; the table then owns the object.
    static func open(_ object: some Handled) throws(ArgumentError) -> OpaquePointer {
        let kind = type(of: object).kind
        let owned = unsafe Unmanaged.passRetained(object as AnyObject)
        let handle = lock.withLock { free -> UInt64? in
            if unsafe table == nil { unsafe table = unsafe makeTable() }
            guard let table = unsafe table else { return nil }
            guard let place = free.places.popLast() ?? (free.unused < capacity ? free.unused : nil) else { return nil }
            if place == free.unused { free.unused += 1 }
            free.generation += 1
            let handle = free.generation << (kindBits + placeBits) | UInt64(place) << kindBits | kind.rawValue
            unsafe table[place].object = owned
            unsafe table[place].handle.store(handle, ordering: .sequentiallyConsistent)
            return handle
        }
        guard let handle, let pointer = unsafe OpaquePointer(bitPattern: UInt(handle)) else {
            unsafe owned.release()
            throw ArgumentError(
                "more than \(capacity) engines, clips, players and listeners are open",
                remedy: "Close the handles that are not used.")
        }
        return unsafe pointer
    }

    /// Opens a handle, as a number.
    static func number(opening object: some Handled) throws(ArgumentError) -> UInt {
        UInt(bitPattern: try unsafe open(object))
    }

    /// Closes a handle. A handle that is closed already, and 0, have no effect.
    static func close(number: UInt, _ kind: HandleKind) { _ = take(UInt64(number), kind) }

    private static func number(_ pointer: OpaquePointer?) -> UInt64 {
        unsafe pointer.map { UInt64(UInt(bitPattern: $0)) } ?? 0
    }

    private static func refusal(_ pointer: OpaquePointer?, _ kind: HandleKind) -> ArgumentError {
        let number = unsafe number(pointer)
        let isOther = number & (1 << kindBits - 1) != kind.rawValue
        return ArgumentError(
            number == 0
                ? "NULL is not \(kind.name)"
                : isOther ? "a handle is not \(kind.name)" : "a handle of \(kind.name) is closed",
            remedy: "Pass a handle that a function with open in its name returned and that is not closed.")
    }

    /// Returns the object behind a handle.
    static func object<Object: Handled>(_ pointer: OpaquePointer?) throws(ArgumentError) -> Object {
        let number = unsafe number(pointer)
        let object =
            number & (1 << kindBits - 1) != Object.kind.rawValue
            ? nil
            : lock.withLock { _ -> Object? in
                guard let table = unsafe table,
                    unsafe table[place(of: number)].handle.load(ordering: .relaxed) == number
                else { return nil }
                return unsafe table[place(of: number)].object.map {
                    unsafe unsafeDowncast($0.takeUnretainedValue(), to: Object.self)
                }
            }
        guard let object else { throw unsafe refusal(pointer, Object.kind) }
        return object
    }

    /// Closes a handle and returns its object; nil for NULL. Waits for threads that use the object without owning it.
    static func close<Object: Handled>(_ pointer: OpaquePointer?) throws(ArgumentError) -> Object? {
        let number = unsafe number(pointer)
        if number == 0 { return nil }
        guard let object = take(number, Object.kind) else { throw unsafe refusal(pointer, Object.kind) }
        return unsafe unsafeDowncast(object, to: Object.self)
    }

    private static func take(_ number: UInt64, _ kind: HandleKind) -> AnyObject? {
        guard number & (1 << kindBits - 1) == kind.rawValue else { return nil }
        let place = place(of: number)
        let owned = unsafe lock.withLock { _ -> Unmanaged<AnyObject>? in
            guard let table = unsafe table, unsafe table[place].handle.load(ordering: .relaxed) == number
            else { return nil }
            unsafe table[place].handle.store(0, ordering: .sequentiallyConsistent)
            return unsafe table[place].object
        }
        guard let owned = unsafe owned else { return nil }
        if let table = unsafe table {
            while unsafe table[place].users.load(ordering: .sequentiallyConsistent) != 0 { usleep(200) }
        }
        lock.withLock { free in
            unsafe table?[place].object = nil
            free.places.append(place)
        }
        return unsafe owned.takeRetainedValue()
    }

    /// Calls `body` with an object that cannot be closed during the call. Takes no lock. Returns nil if the handle has
    /// no object.
    ///
    /// Real-time safe if `body` is.
    static func withObject<Object: Handled, Value>(
        _ pointer: OpaquePointer?, _ body: (Object) -> Value
    ) -> Value? {
        let number = unsafe number(pointer)
        guard number & (1 << kindBits - 1) == Object.kind.rawValue, let table = unsafe table else { return nil }
        let place = place(of: number)
        unsafe table[place].users.add(1, ordering: .sequentiallyConsistent)
        defer { unsafe table[place].users.subtract(1, ordering: .sequentiallyConsistent) }
        guard unsafe table[place].handle.load(ordering: .sequentiallyConsistent) == number,
            let object = unsafe table[place].object
        else { return nil }
        return unsafe object._withUnsafeGuaranteedRef { unsafe body(unsafeDowncast($0, to: Object.self)) }
    }
}
