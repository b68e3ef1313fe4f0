import Files
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// The outcome of a stream on a card with a schedule of faults.
struct FaultTrial {
    let schedule: FaultSchedule
    let rig: VirtualCardRig
    let error: DeviceError?
    let incidents: [StreamIncident]
    let statistics: StreamStatistics
    /// The elapsed real time, in nanoseconds.
    let elapsed: Int64

    init(_ schedule: FaultSchedule) throws {
        self.schedule = schedule
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.playbackFaults = schedule.playback
        options.captureFaults = schedule.capture
        let rig = try VirtualCardRig(options)
        self.rig = rig
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: schedule.period, periodCount: 4, realtimePriority: nil)
        let isPlaying = schedule.mode != .capture
        let backend = try ALSABackend(
            output: isPlaying ? rig.name : nil, input: schedule.mode != .playback ? rig.name : nil, request,
            now: { rig.time })
        let core = try StreamCore(backend, request)
        let begin = MonotonicTime.now()
        try core.start(
            StreamWork(
                DuplexCallbacks(process: { block in
                    for channel in 0..<block.output.channelCount {
                        unsafe block.output.channels[channel].update(repeating: 0.5, count: block.output.frameCount)
                    }
                    let frame = isPlaying ? block.output.outputFrame : block.input.inputFrame
                    return frame < Int64(FaultSchedule.frameCount) ? block.output.frameCount : 0
                })))
        var failure: DeviceError?
        do throws(DeviceError) { try core.waitUntilFinished() } catch { failure = error }
        elapsed = MonotonicTime.now() - begin
        error = failure
        incidents = core.ledger.takeIncidents()
        statistics = core.statistics
    }

    /// The stops of the card that the stream could notice, by the card's record.
    ///
    /// A stop of one side while the other's stop holds both is the same stop, and so is a stop of a side that had
    /// stopped already and was not started again in between.
    var interruptions: Int {
        let stops = rig.records.filter { ![.stall, .short, .freeze].contains($0.fault) }.sorted { $0.time < $1.time }
        var count = 0
        var first: VirtualRecord?
        var end = Int64.min
        for stop in stops {
            let isOneWithFirst = stop.time <= end && (first?.gapFrames == nil || first?.direction != stop.direction)
            if !isOneWithFirst {
                count += 1
                first = stop
            }
            let gap = stop.gapFrames.map { MonotonicTime.nanoseconds(ofFrames: $0, sampleRate: 48_000) }
            // Two nanoseconds, because times are rounded up and lengths down.
            end = max(end, gap.map { stop.time + $0 + 2 } ?? .max)
        }
        return count
    }

    /// A description of the fault found; nil if there is none.
    var complaint: String? {
        if let error, error.kind != .lost || error.lossCause == nil { return "ended by \(error)" }
        let standstills = incidents.count { $0.kind == .stalled }
        let stops = incidents.count - standstills
        let freezes = rig.records.count { $0.fault == .freeze }
        // An interrupted drain has nothing to resume.
        guard interruptions - stops == 0 || (error == nil && interruptions - stops == 1 && endedInDrain) else {
            return "\(stops) incidents for \(interruptions) interruptions"
        }
        if standstills > freezes { return "\(standstills) standstills reported of \(freezes)" }
        return complaintOfFrames ?? complaintOfWaking
    }

    /// Whether the last stop came after the last frame was passed on.
    private var endedInDrain: Bool {
        schedule.mode != .capture && (rig.records.last?.movedFrame ?? 0) >= Int64(FaultSchedule.frameCount / 2)
    }

    private var complaintOfFrames: String? {
        guard error == nil, schedule.frozenFrames == 0, !incidents.isEmpty, schedule.mode != .duplex else { return nil }
        let tolerance = Int64((incidents.count + 2) * schedule.period)
        if schedule.mode == .playback {
            let silent = rig.records.compactMap(\.gapFrames).reduce(0, +)
            let off = abs(statistics.lostFrames - silent)
            return off <= tolerance ? nil : "lost \(statistics.lostFrames) frames of output where it was \(silent)"
        }
        let truth = rig.truth(.capture)
        let missing = Int64(truth.framesMoved - truth.framesTransferred + truth.silentFrames)
        let off = abs(statistics.lostInputFrames - missing)
        return off <= tolerance ? nil : "lost \(statistics.lostInputFrames) frames of input where it was \(missing)"
    }

    /// A loop that spins checks its polls far more often than there are periods.
    private var complaintOfWaking: String? {
        let wakes = schedule.mode.directions.map { rig.truth($0).wakes }.reduce(0, +)
        let moved = schedule.mode.directions.map { rig.truth($0).framesMoved }.reduce(0, +)
        let limit = 4 * moved / schedule.period + 2000
        return wakes <= limit ? nil : "\(wakes) wakes for \(moved) frames"
    }
}

@Suite("Random schedules of faults")
struct FaultScheduleTests {
    @Test("a stream under twenty random faults goes on or ends with a cause, and never spins")
    func schedules() throws {
        var generator = SeededGenerator(printedFor: "schedules")
        let count = environmentCount("WOODSHED_FAULT_SCHEDULES", short: cases(20, few: 6))
        var (lost, incidents, slowest, complaints) = (0, 0, Int64(0), 0)
        for _ in 0..<count {
            let trial = try FaultTrial(FaultSchedule(&generator))
            lost += trial.error == nil ? 0 : 1
            incidents += trial.incidents.count
            slowest = max(slowest, trial.elapsed)
            guard let complaint = trial.complaint else { continue }
            complaints += 1
            if complaints <= 10 { Issue.record("\(complaint): \(trial.schedule)") }
        }
        print(
            "\(count) schedules of 20 faults: \(incidents) incidents, \(lost) ended with a cause, "
                + "\(complaints) complaints, the slowest took \(slowest / 1_000_000) ms")
        #expect(complaints == 0)
    }
}
