import Files
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Transfers

/// The system's calls, of which a single call fails, or all from a given call on.
final class FailingCalls: FileCalls {
    enum Fault: Sendable {
        /// Only this write, which finds no room.
        case fullAtWrite(Int)
        /// Every call from this call on, as if the process had ended before the call.
        case stopAt(Int)
        /// Every removal.
        case noRemoval
        /// Every second name, as on a file system without second names.
        case noSecondName
    }

    private let fault: Fault
    private let system = SystemFileCalls()
    private struct Counts {
        var calls = 0
        var writes = 0
        /// By descriptors: bytes written, and bytes on the disk.
        var written: [Int32: Int64] = [:]
        var durable: [Int32: Int64] = [:]
        var paths: [Int32: String] = [:]
    }
    private let counts = Mutex(Counts())

    init(_ fault: Fault) { self.fault = fault }

    var callCount: Int { counts.withLock { $0.calls } }
    var writeCount: Int { counts.withLock { $0.writes } }
    /// The number of bytes of the part on the disk.
    var durableBytes: Int64 { counts.withLock { $0.durable.values.max() ?? 0 } }

    private func step(isWrite: Bool = false) -> Int? {
        let (call, write) = counts.withLock { counts in
            counts.calls += 1
            if isWrite { counts.writes += 1 }
            return (counts.calls, counts.writes)
        }
        switch fault {
        case .fullAtWrite(let number): return isWrite && write == number ? -Int(ENOSPC) : nil
        case .stopAt(let number): return call >= number ? -Int(EIO) : nil
        case .noRemoval, .noSecondName: return nil
        }
    }

    func createUnnamed(in folder: String) -> Int { step() ?? system.createUnnamed(in: folder) }
    func create(_ path: String) -> Int { step() ?? system.create(path) }
    func name(_ descriptor: Int32, _ path: String) -> Int {
        if let result = step() { return result }
        if case .noSecondName = fault { return -Int(EPERM) }
        return system.name(descriptor, path)
    }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        if let result = step(isWrite: true) { return result }
        let result = unsafe system.write(descriptor, bytes, at: offset)
        counts.withLock { $0.written[descriptor] = max($0.written[descriptor] ?? 0, offset + Int64(result)) }
        return result
    }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        if let result = step() { return result }
        counts.withLock { counts in
            counts.written[descriptor] = min(counts.written[descriptor] ?? 0, byteCount)
            counts.durable[descriptor] = min(counts.durable[descriptor] ?? 0, byteCount)
        }
        return system.setLength(descriptor, byteCount)
    }
    func synchroniseData(_ descriptor: Int32) -> Int { synchronised(descriptor) { system.synchroniseData(descriptor) } }
    func synchronise(_ descriptor: Int32) -> Int { synchronised(descriptor) { system.synchronise(descriptor) } }
    private func synchronised(_ descriptor: Int32, _ body: () -> Int) -> Int {
        if let result = step() { return result }
        let before = counts.withLock { $0.written[descriptor] }
        let result = body()
        if let before { counts.withLock { $0.durable[descriptor] = max($0.durable[descriptor] ?? 0, before) } }
        return result
    }
    func synchroniseFolder(_ folder: String) -> Int { step() ?? system.synchroniseFolder(folder) }
    func remove(_ path: String) -> Int {
        if let result = step() { return result }
        if case .noRemoval = fault { return -Int(EIO) }
        return system.remove(path)
    }
    func rename(_ path: String, to other: String) -> Int { step() ?? system.rename(path, to: other) }
    // When a process ends, the system closes the open files.
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }
}

@Suite("Transfers to a failing disk")
struct DiskFaultTests {
    let server: FaultServer
    let folder: TestFolder

    init() throws { (server, folder) = (try .shared(), try TestFolder()) }

    private func hooks(_ calls: FailingCalls) -> TransferHooks {
        var hooks = TransferHooks()
        (hooks.calls, hooks.noteSeconds) = (calls, 0)
        return hooks
    }

    /// A file with a single break in the transfer, to include all steps of resuming.
    private func request() throws -> TransferRequest {
        TransferRequest(
            try server.address("/file?n=700000&cut=400000&rate=40000000&id=\(uniqueID())"), to: folder.path("a.wav"))
    }

    @Test(arguments: [false, true])
    func `a kill or a loss of power before any step leaves a resumable part or the whole file`(isPowerLost: Bool)
        async throws
    {
        let whole = content(1, 700_000)
        var step = 1
        while true {
            let calls = FailingCalls(.stopAt(step))
            let wanted = try request()
            let (result, _) = try await fetch(wanted, .forTests.with { $0.retries = 1 }, hooks: hooks(calls))
            if let bytes = folder.bytes("a.wav") { #expect(bytes == whole, "step \(step)") }
            if isPowerLost, let part = folder.bytes("a.wav.part") {
                // Bytes not put on the disk are arbitrary afterwards.
                let kept = part.prefix(Int(calls.durableBytes))
                let lost = [UInt8](repeating: 0xEE, count: part.count - kept.count)
                try Data(kept + lost).write(to: URL(fileURLWithPath: folder.path("a.wav.part")))
            }
            let (again, _) = try await fetch(wanted)
            // A process killed after the naming of the file has nothing left to do.
            #expect(again.error == nil || again.error?.kind == .alreadyExists, "step \(step): \(again)")
            #expect(folder.bytes("a.wav") == whole && folder.names == ["a.wav"], "step \(step): \(folder.names)")
            try FileManager.default.removeItem(atPath: folder.path("a.wav"))
            if calls.callCount < step {
                #expect(result.error == nil)
                break
            }
            step += 1
        }
        #expect(step > 10)
    }

    @Test
    func `a disk that is full at any write is reported, and no wrong bytes are kept`() async throws {
        let whole = content(1, 700_000)
        var write = 1
        while true {
            let calls = FailingCalls(.fullAtWrite(write))
            let wanted = try request()
            let (result, _) = try await fetch(wanted, hooks: hooks(calls))
            if calls.writeCount < write {
                #expect(result.error == nil)
                break
            }
            #expect(result.error?.kind == .diskFull)
            #expect(!folder.names.contains("a.wav"))
            // If the disk's thread is late, the report of the end comes while the thread still holds the part.
            var again: TransferError?
            _ = try await eventuallySuspended {
                again = try await fetch(wanted).result.error
                return again?.kind != .heldByOther
            }
            try #require(again == nil)
            #expect(folder.bytes("a.wav") == whole && folder.names == ["a.wav"])
            try FileManager.default.removeItem(atPath: folder.path("a.wav"))
            write += 1
        }
        #expect(write > 2)
    }

    @Test
    func `a transfer killed after the renaming is finished by the next run without the server`() async throws {
        let id = uniqueID()
        let wanted = TransferRequest(try server.address("/file?n=1000&id=\(id)"), to: folder.path("a.wav"))
        #expect(try await fetch(wanted, hooks: hooks(FailingCalls(.noRemoval))).result.error == nil)
        #expect(folder.names == ["a.wav", "a.wav.part", "a.wav.part.json"])
        #expect(try await fetch(wanted).result.error == nil)
        #expect(folder.names == ["a.wav"] && folder.bytes("a.wav") == content(1, 1000))
        #expect(try await server.requests(id).count == 1)
    }

    @Test
    func `a refused file is kept even on a disk without hard links`() async throws {
        struct NoSound: Error {}
        for count in [1000, 2000] {
            var wanted = TransferRequest(try server.address("/file?n=\(count)"), to: folder.path("a.wav"))
            wanted.rejectedPath = folder.path("a.rejected")
            wanted.check = { _ in throw NoSound() }
            let (result, events) = try await fetch(wanted, hooks: hooks(FailingCalls(.noSecondName)))
            #expect(result.error?.kind == .rejected && result.error?.remedy.contains("is kept: ") == true)
            guard case .failed(_, keptBytes: 0) = events.last else { throw TestFailure() }
            #expect(folder.names == ["a.rejected"] && folder.bytes("a.rejected") == content(1, count))
        }
    }
}
