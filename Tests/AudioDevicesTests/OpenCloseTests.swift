import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("Opening and closing")
struct OpenCloseTests {
    @Test(
        "a wake signal that lacks descriptors closes the one it has exactly once",
        .enabled(if: !Sanitizers.watchThreads))
    func failedSignal() async {
        await #expect(processExitsWith: .success) {
            guard waitForRuntimeDescriptors() else { exit(2) }
            let thief = DescriptorThief()
            var spare = (0..<8).map { _ in dup(0) }
            let next = dup(0)
            close(next)
            // There is one descriptor left, and the signal needs two.
            var limit = rlimit(rlim_cur: rlim_t(next + 1), rlim_max: rlim_t(next + 1))
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            // The runtime opens and closes descriptors at any time: then this process gives one up, or takes one more.
            var (failures, opened) = (0, thief.openedCount)
            while failures < 20_000 {
                if (try? WakeSignal()) != nil {
                    spare.append(dup(0))
                    continue
                }
                failures += 1
                guard failures % 1000 == 0 else { continue }
                if thief.openedCount == opened, let file = spare.popLast() { close(file) }
                opened = thief.openedCount
            }
            if thief.wasRobbed() { exit(3) }
        }
    }

    // In a process of its own, where no other test opens files or starts threads.
    @Test("many streams opened, started, stopped and closed leave no descriptor, thread or memory behind")
    func leaks() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            #expect(waitForRuntimeDescriptors())
            let between = max(1, environmentCount("WOODSHED_OPEN_CLOSE", short: cases(400, few: 200)) / 4)
            let count = between * 4
            let rig = try VirtualCardRig()
            let request = try StreamRequest(
                sampleRate: 48_000, channelCount: 2, periodFrames: 64, realtimePriority: nil)
            // The first rounds warm up: alsa-lib, the C library and the allocator keep a few things for good.
            let warmUp = 100
            var looks: [Belongings] = []
            for round in 0..<count + warmUp {
                if round >= warmUp, (round - warmUp) % between == 0 { looks.append(Belongings()) }
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
            // Ended threads leave /proc a little after their join.
            let before = looks[0]
            _ = eventually {
                after = Belongings()
                return after.threads <= before.threads && after.descriptors <= before.descriptors
            }
            looks.append(after)
            print("\(count) streams: " + looks.map(\.description).joined(separator: "; "))
            let opens = rig.truth(.playback).opens + rig.truth(.capture).opens
            let isSame = after.descriptors <= before.descriptors && after.threads <= before.threads
            let isSmall = Belongings.areSteady(looks, streamsBetween: between)
            print(isSame && isSmall && opens >= count ? "nothing is left" : "")
        }
        // Output of a failed process is lost, so the process exits successfully and prints the failure.
        let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print(said)
        #expect(said.contains("nothing is left"))
    }
}

/// The resources that a process holds.
private struct Belongings: CustomStringConvertible {
    let descriptors = entryCount("/proc/self/fd")
    let threads = entryCount("/proc/self/task")
    let heapBytes = HeapTraffic.bytesInUse
    let pages = Self.residentPages()

    var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(heapBytes) bytes of heap, \(pages) pages"
    }

    /// Whether memory does not grow with the number of streams.
    ///
    /// A leak grows between any two readings. The allocator's memory for threads grows in steps, when many threads
    /// allocate at once; so does resident memory, and more on a busy machine. So the smallest step counts: of the heap,
    /// where it is counted, less than 64 bytes a stream; of everything else a page for every four streams.
    static func areSteady(_ looks: [Self], streamsBetween: Int) -> Bool {
        // The thread sanitizer remembers memory long freed.
        guard !Sanitizers.watchThreads else { return true }
        let steps = zip(looks, looks.dropFirst())
        let heap = steps.map { $1.heapBytes - $0.heapBytes }.min() ?? .max
        let pages = steps.map { $1.pages - $0.pages }.min() ?? .max
        return heap < streamsBetween * 64 && pages < streamsBetween / 4
    }

    private static func residentPages() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return .max }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&line, 128, file) != nil else { return .max }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return Int(text.split(separator: " ").dropFirst().first ?? "") ?? .max
    }
}
