import AudioDevices
import AudioFiles
import Clips
import EngineHarness
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

@Suite("Hours of sound")
struct HoursTests {
    // In a separate process, with memory of its own. The thread sanitizer takes memory for itself.
    @Test(
        "a player that loops and seeks past frame 2^32 follows its score in constant memory",
        .enabled(if: HeapTraffic.isCounted))
    func soak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let run = try HoursRun(hours: HoursRun.hours, SeededGenerator(printedFor: "hours of sound"))
            print(try run.play() ? HoursRun.praise : "not as it should be")
        }
        // The output of a failed process is lost; so the process succeeds, and prints the result.
        let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print(said)
        #expect(said.contains(HoursRun.praise))
    }
}

/// Hours of playing on a card with a virtual clock, at a low sample rate, so that many hours take little real time.
final class HoursRun: Sendable {
    /// Telephone sound: hours of playing can break counters and memory, not quality.
    static let rate = 8000
    static let section = 1000..<14_601
    static let period = 1024
    static let cable: Int64 = 37

    static let praise = "all as the score says"

    static var hours: Double {
        let given = unsafe getenv("WOODSHED_SOAK_HOURS").flatMap { unsafe Double(String(cString: $0)) }
        return given ?? cases(2, few: 0.05)
    }

    private let rig: VirtualCardRig
    private let engine: Engine
    private let player: Player
    private let card: LoopedCard
    private let memory: MemoryWatch
    private let hours: Double
    private let begin = ContinuousClock.now

    init(hours: Double, _ generator: SeededGenerator) throws {
        self.hours = hours
        let frameCount = Int64(hours * 3600) * Int64(Self.rate)
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.loopbackDelayFrames = Self.cable
        // A minute before the first number beyond 32 bits; the engine reaches the number half a minute later.
        options.firstFrame = 1 << 32 - Int64(60 * Self.rate)
        rig = try VirtualCardRig(options)
        let origin: Int64 = 1 << 32 - Int64(90 * Self.rate)
        let clip = testClip(channels: 1, frames: 16_000, rate: Self.rate, seed: generator.seed)
        let plan = SeekPlan(generator, rate: Self.rate, section: Self.section)
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 1, periodFrames: Self.period, realtimePriority: nil)
        let deeds = SeekDeeds(plan, origin: origin)
        memory = MemoryWatch(frameCount: frameCount)
        card = try LoopedCard(
            rig, request, origin: origin, frameCount: frameCount,
            listener: LoopListener(
                clip: clip[0], section: Self.section, rate: Self.rate, cable: Self.cable, plan: plan)
        ) { [memory] frames in
            deeds.ask(before: frames.upperBound)
            memory.look(at: frames.lowerBound)
        }
        engine = Engine(opening: { [card] _, _ in card })
        let practice = PracticePlan(
            sections: [try Section(1000..<14_601)], passes: 100_000_000, joint: .hard)
        let score = try Score(practice, clipFrameCount: 16_000, sampleRate: Self.rate)
        player = try engine.makePlayer(try Clip.inMemory(clip, sampleRate: Self.rate), score: score)
        deeds.begin(player)
    }

    /// Plays the whole run, prints the results, and returns whether all results are right.
    func play() throws -> Bool {
        player.start(at: nil)
        try engine.start()
        try engine.waitUntilFinished()
        let heard = card.heard
        let wall = (ContinuousClock.now - begin) / .seconds(1)
        let size = "\(hours) h of sound (\(Self.rate) Hz, mono, \(Self.period) frames a block) in \(wall) s"
        let place = heard.firstMismatch.map { " from frame \($0)" } ?? ""
        print("\(size): \(heard.frame) frames, \(heard.seeks) seeks, \(heard.loops) loops,")
        print(
            "\(heard.mismatches) mismatches\(place), \(engine.statistics.xruns) dropouts, round trip \(heard.delays),")
        print("card at frame \(rig.truth(.capture).deviceFrame), \(memory)")
        let isWhole = heard.seeks >= Int64(hours * 3600) - 2 && heard.loops > 0 && heard.delays.count == 1
        let isAcross = rig.truth(.capture).deviceFrame > 1 << 32 && engine.statistics.xruns == 0
        return isWhole && isAcross && heard.mismatches == 0 && memory.isSteady
    }
}

/// Requests the seeks of a plan, each before its block.
final class SeekDeeds: @unchecked Sendable {
    // Unchecked: set up before the stream starts, used by the device thread alone from then on.
    private var plan: SeekPlan
    private var player: Player?
    private let origin: Int64

    init(_ plan: SeekPlan, origin: Int64) {
        self.plan = plan
        self.origin = origin
    }

    func begin(_ player: Player) { self.player = player }

    func ask(before frame: Int64) {
        while plan.next.frame < frame {
            // All targets of the plan are inside the section.
            try? player?.seek(toClipFrame: Int64(plan.next.clipFrame), at: origin + plan.next.frame)
            plan.advance()
        }
    }
}

/// Growth of the process's memory, from the end of the first tenth of a run to the end: on the heap, and resident.
final class MemoryWatch: @unchecked Sendable, CustomStringConvertible {
    // Unchecked: the device thread alone looks; tests read after this thread has ended.
    private let looks: [Int64]
    private var count = 0
    private var heap = (early: Int.max, late: Int.max)
    private var resident = (early: 0, late: Int.max)

    /// Forty looks in the second tenth, forty in the last tenth.
    init(frameCount: Int64) {
        // The first look leaves an allocation behind.
        _ = Self.residentBytes()
        looks = [10, 90].flatMap { tenth in
            (0..<40).map { frameCount * tenth / 100 + frameCount * Int64($0) / 410 }
        }
    }

    /// Short-lived allocations of other threads appear in some looks only: the minimum counts.
    func look(at frame: Int64) {
        guard count < looks.count, frame >= looks[count] else { return }
        // First, as memory freed by this look stays resident, and counts.
        let residentBytes = Self.residentBytes()
        // The last look waits for threads that were held up with short-lived memory during all late looks.
        if count == looks.count - 1 { _ = eventually { min(heap.late, HeapTraffic.bytesInUse) <= heap.early } }
        let heapBytes = HeapTraffic.bytesInUse
        if count < looks.count / 2 {
            heap.early = min(heap.early, heapBytes)
            resident.early = max(resident.early, residentBytes)
        } else {
            heap.late = min(heap.late, heapBytes)
            resident.late = min(resident.late, residentBytes)
        }
        count += 1
    }

    /// Whether the process keeps no additional memory.
    ///
    /// On the heap not a byte. The kernel counts resident memory in batches for each processor, so the count seems to
    /// grow by some hundred KiB in one run and not in the next, of any length; a page for each seek would be 28 MiB in
    /// two hours.
    var isSteady: Bool {
        count >= looks.count && heap.late <= heap.early && resident.late - resident.early <= 1 << 20
    }

    var description: String {
        "heap \(heap.early) and \(heap.late) bytes, resident \(resident.early / 1024) and \(resident.late / 1024) KiB"
    }

    private static func residentBytes() -> Int {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .max }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        return (words.dropFirst().first.flatMap { Int($0) } ?? .max / 4096) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
