import Files
import Synchronization

/// The system's calls, before the first renaming of which something else is done.
final class CallsBeforeRenaming: FileCalls {
    private let body: @Sendable () -> Void
    private let isDone = Atomic(false)
    private let system = SystemFileCalls()

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func rename(_ path: String, to other: String) -> Int {
        if !isDone.exchange(true, ordering: .relaxed) { body() }
        return system.rename(path, to: other)
    }

    func createUnnamed(in folder: String) -> Int { system.createUnnamed(in: folder) }
    func create(_ path: String) -> Int { system.create(path) }
    func name(_ descriptor: Int32, _ path: String) -> Int { system.name(descriptor, path) }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        unsafe system.write(descriptor, bytes, at: offset)
    }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int { system.setLength(descriptor, byteCount) }
    func synchroniseData(_ descriptor: Int32) -> Int { system.synchroniseData(descriptor) }
    func synchronise(_ descriptor: Int32) -> Int { system.synchronise(descriptor) }
    func synchroniseFolder(_ folder: String) -> Int { system.synchroniseFolder(folder) }
    func remove(_ path: String) -> Int { system.remove(path) }
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }
}
