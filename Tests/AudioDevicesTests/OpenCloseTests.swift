import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("Opening and closing")
struct OpenCloseTests {
    @Test(
        "a wake signal that lacks descriptors closes the one it has once, because its number may soon belong to another",
        .enabled(if: !Sanitizers.watchThreads))
    func failedSignal() async {
        await #expect(processExitsWith: .success) {
            let next = dup(0)
            close(next)
            // There is one descriptor left, and the signal needs two.
            var limit = rlimit(rlim_cur: rlim_t(next + 1), rlim_max: rlim_t(next + 1))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            let thief = DescriptorThief()
            // What the runtime had open for a moment is given back later: then one more descriptor is taken.
            var taken = 0
            for _ in 0..<20_000 where (try? WakeSignal()) != nil {
                taken += 1
                if taken > 8 { exit(2) }
                _ = dup(0)
            }
            if thief.wasRobbed() { exit(3) }
        }
    }

    // In a process of its own, where no other test opens files or starts threads.
    @Test("many streams opened, started, stopped and closed leave no descriptor, no thread and no memory behind")
    func leaks() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let count = environmentCount("WOODSHED_OPEN_CLOSE", short: cases(1000, few: 200))
            let rig = try VirtualCardRig()
            let request = try StreamRequest(
                sampleRate: 48_000, channelCount: 2, periodFrames: 64, realtimePriority: nil)
            var before = Belongings()
            for round in 0..<count + 100 {
                // The first rounds warm up: alsa-lib, the C library and the allocator keep a few things for good.
                if round == 100 { before = Belongings() }
                switch round % 3 {
                case 0:
                    let stream = try openOutput(.system(rig.name), request)
                    try stream.start(StreamCallbacks(render: { $0.frameCount }))
                    stream.stop()
                case 1:
                    let stream = try openInput(.system(rig.name), request)
                    try stream.start(CaptureCallbacks(capture: { _ in true }))
                    stream.stop()
                default:
                    let stream = try openDuplex(output: .system(rig.name), input: .system(rig.name), request)
                    try stream.start(DuplexCallbacks(process: { $0.output.frameCount }))
                    stream.stop()
                }
            }
            var after = Belongings()
            // Threads that end are gone from /proc a little after they were joined.
            for _ in 0..<200 where after.threads > before.threads {
                usleep(10_000)
                after = Belongings()
            }
            print("\(count) streams: \(before) before, \(after) after")
            let opens = rig.truth(.playback).opens + rig.truth(.capture).opens
            // Memory in pages; what the allocator keeps for threads moves by less than a byte a stream.
            let isSame = after.descriptors <= before.descriptors && after.threads <= before.threads
            // The thread sanitizer remembers what was long given back.
            let isSmall = Sanitizers.watchThreads || after.pages - before.pages <= 256 + count / 4096
            print(isSame && isSmall && opens >= count ? "nothing is left" : "")
        }
        // What a process says that has failed is lost; so it ends well, and tells.
        let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print(said)
        #expect(said.contains("nothing is left"))
    }
}

/// What a process holds.
private struct Belongings: CustomStringConvertible {
    let descriptors = entryCount("/proc/self/fd")
    let threads = entryCount("/proc/self/task")
    let pages = Self.residentPages()

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(pages) pages" }

    private static func residentPages() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return .max }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&line, 128, file) != nil else { return .max }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return Int(text.split(separator: " ").dropFirst().first ?? "") ?? .max
    }
}
