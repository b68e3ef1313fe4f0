import Files
import Synchronization

/// The system's calls, with another action before one call.
final class CallsBeforeStep: FileCalls {
    private let step: Int?
    private let body: @Sendable () -> Void
    private let count = Atomic(0)
    private let isDone = Atomic(false)
    private let system = SystemFileCalls()

    /// - Parameter step: The number of the call, from 0; nil for the first renaming.
    init(_ step: Int? = nil, _ body: @escaping @Sendable () -> Void) { (self.step, self.body) = (step, body) }

    /// Whether the call was made.
    var wasReached: Bool { isDone.load(ordering: .relaxed) }

    private func before(isRenaming: Bool = false) {
        let number = count.add(1, ordering: .relaxed).oldValue
        guard step.map({ $0 == number }) ?? isRenaming else { return }
        if !isDone.exchange(true, ordering: .relaxed) { body() }
    }

    private func call(_ body: () -> Int) -> Int {
        before()
        return body()
    }

    func rename(_ path: String, to other: String) -> Int {
        before(isRenaming: true)
        return system.rename(path, to: other)
    }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        before()
        return unsafe system.write(descriptor, bytes, at: offset)
    }
    func createUnnamed(in folder: String) -> Int { call { system.createUnnamed(in: folder) } }
    func create(_ path: String) -> Int { call { system.create(path) } }
    func name(_ descriptor: Int32, _ path: String) -> Int { call { system.name(descriptor, path) } }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        call { system.setLength(descriptor, byteCount) }
    }
    func synchroniseData(_ descriptor: Int32) -> Int { call { system.synchroniseData(descriptor) } }
    func synchronise(_ descriptor: Int32) -> Int { call { system.synchronise(descriptor) } }
    func synchroniseFolder(_ folder: String) -> Int { call { system.synchroniseFolder(folder) } }
    func remove(_ path: String) -> Int { call { system.remove(path) } }
    func close(_ descriptor: Int32) -> Int { call { system.close(descriptor) } }
    func freeBytes(_ descriptor: Int32) -> Int { call { system.freeBytes(descriptor) } }
}
