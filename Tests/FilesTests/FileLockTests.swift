// Locks of files, and the lock file as a replacement where locks are unavailable.
import Foundation
import Testing

@testable import Files

@Suite("File locks")
struct FileLockTests {
    @Test("a process id names a running program of ours only if such a process exists")
    func programs() {
        #expect(NotedProcess.own.isRunning && NotedProcess.own.isOwn)
        for number in [0, -1, Int32.max] { #expect(!NotedProcess(number: number, place: nil).isRunning) }
        // As in files of earlier versions.
        #expect(NotedProcess(number: getpid(), place: nil).isRunning)
    }

    @Test("a process id of another container, computer or boot says nothing here")
    func places() {
        let elsewhere = NotedProcess(number: getpid(), place: "another")
        #expect(!elsewhere.isRunning && !elsewhere.isOwn && !elsewhere.countsHere)
        #expect(NotedProcess.own.place?.contains("pid:[") ?? false)
    }

    @Test("a shared lock keeps out only programs that ask for an exclusive lock")
    func shared() throws {
        let folder = NSTemporaryDirectory() + "woodshed-lock-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func asked() -> FileLock.Outcome { FileLock.asking(forFolder: folder) { $0 } }
        let descriptors = (0..<2).map { _ in unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        for descriptor in descriptors { #expect(try FileLock.take(descriptor, isShared: true) == .taken) }
        #expect(asked() == .held)
        FileLock.release(descriptors[0])
        #expect(asked() == .held)
        FileLock.release(descriptors[1])
        // Each request releases the lock.
        for _ in 0..<2 { #expect(asked() == .taken) }
        let (first, second) = FileLock.asking(forFolder: folder) { ($0, asked()) }
        #expect(first == .taken && second == .held)
        let none = FileLock.asking(forFolder: folder + "/none") { $0 }
        #expect(none == .unsupported)
    }
}
