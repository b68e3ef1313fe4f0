import Files
import Foundation

/// Calls that fail as on a full disk: the call with a given number, and all later calls, unless only that call fails.
final class FailingCalls: FileCalls, @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int
    private var isFailing = true
    private let isOnce: Bool
    private let system = SystemFileCalls()

    init(after count: Int, isOnce: Bool = false) { (left, self.isOnce) = (count, isOnce) }

    func stopFailing() { lock.withLock { isFailing = false } }

    private func fails() -> Bool {
        lock.withLock {
            left -= 1
            return isFailing && (isOnce ? left == -1 : left < 0)
        }
    }

    private func call(_ body: () -> Int) -> Int { fails() ? -Int(ENOSPC) : body() }

    func createUnnamed(in folder: String) -> Int { call { system.createUnnamed(in: folder) } }
    func create(_ path: String) -> Int { call { system.create(path) } }
    func name(_ descriptor: Int32, _ path: String) -> Int { call { system.name(descriptor, path) } }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        unsafe fails() ? -Int(ENOSPC) : system.write(descriptor, bytes, at: offset)
    }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        call { system.setLength(descriptor, byteCount) }
    }
    func synchroniseData(_ descriptor: Int32) -> Int { call { system.synchroniseData(descriptor) } }
    func synchronise(_ descriptor: Int32) -> Int { call { system.synchronise(descriptor) } }
    func synchroniseFolder(_ folder: String) -> Int { call { system.synchroniseFolder(folder) } }
    // Cleaning up works even on a full disk.
    func remove(_ path: String) -> Int { system.remove(path) }
    func rename(_ path: String, to other: String) -> Int { call { system.rename(path, to: other) } }
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }
}
