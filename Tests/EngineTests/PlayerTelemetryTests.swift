import Realtime
import Synchronization
import Testing

@testable import Engine

@Suite("Reports of a player to the program")
struct PlayerTelemetryTests {
    /// The control side's reports, and the render side's ends of their rings.
    private struct Rig: ~Copyable {
        var telemetry: PlayerTelemetry
        var events: RingProducer<RenderEvent>
        var status: SnapshotWriter<PlayerStatus>
        var peaks: RingProducer<SIMD8<Float>>

        init() {
            let events = RingEnds<RenderEvent>(capacity: 64)
            let status = SnapshotEnds<PlayerStatus>(initial: PlayerStatus())
            let peaks = RingEnds<SIMD8<Float>>(capacity: 8)
            telemetry = PlayerTelemetry(
                events: events.consumer, status: status.reader, peaks: peaks.consumer, sampleRate: 8000)
            self.events = events.producer
            self.status = status.writer
            self.peaks = peaks.producer
        }

        mutating func post(_ code: RenderEvent.Code, at frame: Int64, detail: Int64 = 0) {
            _ = events.push(
                RenderEvent(
                    code: code, frame: frame, section: 0, sectionStart: 0, sectionEnd: 6000, pass: 0, passes: 1,
                    speed: 1, semitones: 0, clipFrame: 0, sound: .copy, isReversed: false, detail: detail))
        }
    }

    @Test("peaks combine until they are taken")
    func peaks() {
        var rig = Rig()
        _ = rig.peaks.push(SIMD8(0.5, 0.1, 0, 0, 0, 0, 0, 0))
        // A delivery collects the peaks, so that the ring has room again.
        rig.telemetry.deliver(startsAsked: { 0 })
        _ = rig.peaks.push(SIMD8(0.25, 0.75, 0, 0, 0, 0, 0, 0))
        let (highest, none) = (rig.telemetry.takePeaks(), rig.telemetry.takePeaks())
        #expect(highest == SIMD8(0.5, 0.75, 0, 0, 0, 0, 0, 0) && none == SIMD8(repeating: 0))
    }

    @Test("readers get each event once until the end, unless a later start was requested before its report")
    func end() {
        var rig = Rig()
        let told = Mutex<[Int64]>([])
        rig.telemetry.add(reader: { event in told.withLock { $0.append(event?.frame ?? -1) } })
        rig.post(.playbackStarted, at: 10)
        rig.telemetry.deliver(startsAsked: { 1 })
        rig.post(.finished, at: 20, detail: RenderEvent.detail(.completed, startsTaken: 1))
        rig.telemetry.deliver(startsAsked: { 2 })
        rig.post(.playbackStarted, at: 30)
        rig.post(.finished, at: 40, detail: RenderEvent.detail(.completed, startsTaken: 2))
        rig.telemetry.deliver(startsAsked: { 2 })
        rig.post(.playbackStarted, at: 50)
        rig.telemetry.deliver(startsAsked: { 3 })
        #expect(told.withLock { $0 } == [10, 20, 30, 40, -1])
        let hasReaders = rig.telemetry.hasReaders
        #expect(!hasReaders)
    }

    @Test("observers get all events of a delivery at once, and before the readers")
    func observers() {
        var rig = Rig()
        let told = Mutex<[[Int64]]>([])
        rig.telemetry.add(reader: { event in told.withLock { $0.append([event?.frame ?? -1]) } })
        rig.telemetry.add(observer: { events in told.withLock { $0.append(events.map(\.frame)) } })
        rig.post(.playbackStarted, at: 10)
        rig.post(.passStarted, at: 10)
        var status = PlayerStatus()
        status.outputFrame = 64
        rig.status.write(status)
        let latest = rig.telemetry.deliver(startsAsked: { 1 })
        #expect(told.withLock { $0 } == [[10, 10], [10], [10]])
        #expect(latest.outputFrame == 64)
    }
}
