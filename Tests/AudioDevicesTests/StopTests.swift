import Glibc
import Synchronization
import TestSupport
import Testing

@testable import AudioDevices

/// The devices on which every promise about stopping is tried; an ALSA device first opens alsa-lib's own null.
private enum Outlet: String, CaseIterable, Sendable {
    case null, file, alsa

    func open(_ request: StreamRequest, path: String) throws(DeviceError) -> any OutputStream {
        switch self {
        case .null: return try openOutput(.null, request)
        case .file: return try openOutput(.file(path: path), request)
        case .alsa:
            _ = ALSARig.directory
            return try openOutput(.system("void"), request)
        }
    }
}

/// The number of entries in a folder of /proc.
func entryCount(_ folder: String) -> Int {
    guard let directory = unsafe opendir(folder) else { return -1 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}

/// Ended threads leave /proc a little after their join, and threads of the library's pools after some idle seconds.
private func settles(_ folder: String, to expected: Int) -> Bool { eventually { entryCount(folder) <= expected } }

@Suite("Stopping")
struct StopTests {
    // In a process of its own, where no other test opens files or starts threads.
    @Test("200 streams stopped at random moments end, and leave no descriptor and no thread behind")
    func randomStops() async {
        await #expect(processExitsWith: .success) {
            guard waitForRuntimeDescriptors() else { exit(2) }
            var generator = SeededGenerator(printedFor: "randomStops")
            let path = temporaryPath()
            var descriptors = 0
            var threads = 0
            for round in 0..<203 {
                // The first three rounds warm up: alsa-lib and the C library keep a few things open for good.
                if round == 3 {
                    descriptors = entryCount("/proc/self/fd")
                    threads = entryCount("/proc/self/task")
                }
                let outlet = Outlet.allCases[round % 3]
                let clock: StreamClock = outlet == .alsa || round % 2 == 0 ? .real : .virtual
                let request = try StreamRequest(
                    sampleRate: 48_000, channelCount: 2,
                    periodFrames: Int.random(in: 1...8192, using: &generator),
                    periodCount: Int.random(in: 2...4, using: &generator), clock: clock)
                let stream = try outlet.open(request, path: path)
                let delay = UInt32.random(in: 0...3000, using: &generator)
                // A file without an end would fill the disk while the machine holds up this thread.
                let end: Int64 = outlet == .file ? 1 << 22 : .max
                if round % 10 != 9 {
                    try stream.start(StreamCallbacks(render: { $0.outputFrame < end ? $0.frameCount : 0 }))
                }
                usleep(delay)
                await withTaskGroup { group in
                    for _ in 0..<2 { group.addTask { stream.stop() } }
                }
                try stream.waitUntilFinished()
            }
            unsafe unlink(path)
            exit(settles("/proc/self/fd", to: descriptors) && settles("/proc/self/task", to: threads) ? 0 : 1)
        }
    }

    @Test("a stop wakes a thread that waits for the end of a long buffer, and cuts the buffer off")
    func stopWakes() throws {
        for outlet in [Outlet.null, .file] {
            // A thread held up for longer than the buffer lasts stops too late, but not each time.
            let isCut = try (0..<10).contains { _ in
                let path = temporaryPath()
                defer { unsafe unlink(path) }
                // All 100 000 frames fit into the buffer, which takes 12 s to play out.
                let request = try StreamRequest(
                    sampleRate: 8000, channelCount: 1, periodFrames: 8192, periodCount: 16, clock: .real)
                let stream = try outlet.open(request, path: path)
                try stream.start(TestSound(frameCount: 100_000, channelCount: 1).callbacks())
                let isWritten = eventually { stream.position.framesWritten >= 100_000 }
                stream.stop()
                try #require(isWritten)
                return stream.position.delayFrames > 0
            }
            #expect(isCut, "ten streams, and each was played to its end")
        }
    }

    @Test("a stop from a callback ends the stream after the callback's block, without a deadlock")
    func stopFromCallback() throws {
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 1, periodFrames: 64, clock: .virtual)
        let stream = try openOutput(.null, request)
        let held = Held()
        held.stream.withLock { $0 = stream }
        try stream.start(
            StreamCallbacks(
                prepare: { _ in held.stream.withLock { $0?.stop() } }, render: { $0.frameCount }))
        try stream.waitUntilFinished()
        #expect(stream.statistics.blocks == 1)
        held.stream.withLock { $0 = nil }
        stream.stop()
    }

    @Test("a stream plays once: a second start and a start after a stop are refused")
    func startsOnce() throws {
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 1, clock: .real)
        let stream = try openOutput(.null, request)
        let sound = TestSound(frameCount: .max, channelCount: 1)
        try stream.start(sound.callbacks())
        #expect(#expect(throws: DeviceError.self) { try stream.start(sound.callbacks()) }?.kind == .invalidRequest)
        stream.stop()
        stream.stop()
        #expect(#expect(throws: DeviceError.self) { try stream.start(sound.callbacks()) }?.kind == .invalidRequest)
    }

    @Test("a stream that was never started finishes at once, and a released stream ends its thread")
    func lettingGo() throws {
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 1, periodFrames: 64, clock: .real)
        try openOutput(.null, request).waitUntilFinished()
        weak var callbacksAlive: TestSound?
        do {
            let sound = TestSound(frameCount: .max, channelCount: 1)
            callbacksAlive = sound
            let stream = try openOutput(.null, request)
            try stream.start(sound.callbacks())
        }
        // The thread held the callbacks, and the thread has ended.
        #expect(callbacksAlive == nil)
    }

    private final class Held: Sendable {
        let stream = Mutex<(any OutputStream)?>(nil)
    }
}
