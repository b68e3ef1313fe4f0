// The tables, for people and for programs.
import BenchmarkRows
import CAllocationCounter
import DSP
import Glibc
import MeterPeers
import SoundMeasures

struct Report {
    let isJSON: Bool

    /// Seconds of processor time of the calling thread.
    private func clock() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    private func seconds(_ body: () -> Void) -> Double {
        let begin = clock()
        body()
        return clock() - begin
    }

    // MARK: Speed

    private struct Job: Sendable {
        let name: String
        let key: String
        let ours: @Sendable (Sound) -> Void
        let peer: (@Sendable (Sound) -> Void)?
    }

    private static let jobs = [
        Job(name: "M + S + I + LRA", key: "loudness", ours: { _ = $0.loudness() }) {
            _ = $0.peer(loudness: true, truePeak: false)
        },
        Job(
            name: "the same with true peak", key: "loudness_true_peak",
            ours: {
                _ = $0.loudness()
                _ = $0.truePeak()
            }
        ) { _ = $0.peer(loudness: true, truePeak: true) },
        Job(name: "all meters", key: "all", ours: { _ = $0.programme() }, peer: nil),
    ]

    /// Times real time, for sounds of different kinds: a true peak costs most where the peaks never end.
    func speeds(rounds: Int) {
        let length = 30.0
        let noise = [3, 4].map { TestSignals.noise(seconds: length, seed: $0, amplitude: 0.25) }
        let tone = TestSignals.sine(seconds: length, amplitude: 1)
        let sounds = [
            Sound("music", TestSignals.wideMusic(seconds: length)), Sound("noise", noise),
            Sound("full-scale tone", [tone, tone]),
        ]
        if !isJSON {
            print("times real time, 44.1 kHz stereo                  woodshed   libebur128    ratio")
        }
        for job in Report.jobs {
            for sound in sounds {
                var (ours, peers): ([Double], [Double]) = ([], [])
                for _ in 0..<rounds {
                    ours.append(length / seconds { job.ours(sound) })
                    if let peer = job.peer { peers.append(length / seconds { peer(sound) }) }
                }
                let name = "\(job.name), \(sound.name)"
                record("meters", "woodshed, \(name)", unit: "x real time", .higher, ours)
                if job.peer != nil { record("meters", "libebur128, \(name)", unit: "x real time", .higher, peers) }
                show(job, sound, median(ours), peers.isEmpty ? nil : median(peers))
            }
        }
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func show(_ job: Job, _ sound: Sound, _ ours: Double, _ peer: Double?) {
        if isJSON {
            let peerText = peer.map { text($0, decimals: 1) } ?? "null"
            return print(
                #"{"v":1,"benchmark":"meter_speed","meters":"\#(job.key)","sound":"\#(sound.name)","#
                    + #""woodshed":\#(text(ours, decimals: 1)),"libebur128":\#(peerText)}"#)
        }
        let columns = [
            text(ours, decimals: 0), peer.map { text($0, decimals: 0) } ?? "-",
            peer.map { text(ours / $0, decimals: 1) } ?? "",
        ]
        print(padded("\(job.name), \(sound.name)", 46) + zip(columns, [12, 13, 9]).map { leading($0, $1) }.joined())
    }

    // MARK: True peak

    /// The error of each case of Tech 3341, in dB.
    func truePeakErrors() {
        if !isJSON { print("\ntrue peak, error in dB on Tech 3341               woodshed   libebur128") }
        var (ours, peers): ([Double], [Double]) = ([], [])
        for signal in TestSignals.peakCases() {
            let sound = Sound("case", [signal.samples], sampleRate: 48_000)
            let peer = sound.peer(loudness: false, truePeak: true).map { 20 * log10($0.true_peak) } ?? .nan
            ours.append(sound.truePeak() - signal.trueDecibels)
            peers.append(peer - signal.trueDecibels)
            show("case \(signal.number)", "\(signal.number)", ours[ours.count - 1], peers[peers.count - 1])
        }
        record("true peak", "largest error on Tech 3341", unit: "dB", .lower, [ours.map(abs).max() ?? .nan])
        show("the largest", "largest", ours.map(abs).max() ?? .nan, peers.map(abs).max() ?? .nan)
    }

    private func show(_ name: String, _ key: String, _ ours: Double, _ peer: Double) {
        if isJSON {
            return print(
                #"{"v":1,"benchmark":"true_peak_error","case":"\#(key)","woodshed":\#(text(ours, decimals: 4)),"#
                    + #""libebur128":\#(text(peer, decimals: 4))}"#)
        }
        print(padded(name, 46) + leading(text(ours, decimals: 3), 12) + leading(text(peer, decimals: 3), 13))
    }

    // MARK: Capture

    /// The time of a block of 64 frames and 8 channels: peaks, squares and overs, half of the channels driven into
    /// clipping.
    func captureThread() {
        let count = 64 * 20_000
        let quiet = TestSignals.noise(seconds: Double(count) / 44_100 + 1, seed: 5, amplitude: 0.2)
        let channels = (0..<8).map { channel in
            (0..<count).map { channel < 4 ? quiet[$0] : max(-1, min(1, 5 * quiet[$0])) }
        }
        let sound = Sound("capture", channels)
        var meter = LevelMeter(channelCount: 8)
        var times = [Double](repeating: 0, count: count / 64)
        var block = 0
        let allocations = allocation_counter_allocations()
        unsafe sound.inBlocks(of: 64) { samples, frameCount in
            times[block] = seconds {
                unsafe meter.process(samples, frameCount: frameCount)
                for channel in 0..<8 { _ = meter.takeLevels(channel: channel) }
            }
            block += 1
        }
        // The one allocation is the list of pointers that passes the blocks.
        let counted = Int(allocation_counter_allocations() - allocations) - 1
        times.sort()
        let (middle, high, most) = (times[times.count / 2], times[times.count * 999 / 1000], times[times.count - 1])
        record("level meter", "64 frames, 8 channels, median", unit: "us", .lower, [middle * 1e6])
        record("level meter", "64 frames, 8 channels, p99.9", unit: "us", .lower, [high * 1e6])
        record("level meter", "allocations", unit: "", .lower, [Double(counted)])
        if isJSON {
            return print(
                #"{"v":1,"benchmark":"capture_meter","p50_us":\#(text(middle * 1e6, decimals: 2)),"#
                    + #""p999_us":\#(text(high * 1e6, decimals: 2)),"max_us":\#(text(most * 1e6, decimals: 2)),"#
                    + #""allocations":\#(counted)}"#)
        }
        print(
            "\nlevel meter, 64 frames × 8 channels: median \(text(middle * 1e6, decimals: 1)) µs, p99.9 "
                + "\(text(high * 1e6, decimals: 1)) µs, longest \(text(most * 1e6, decimals: 1)) µs, \(counted) allocations"
        )
    }
}

/// A number with so many decimals.
func text(_ number: Double, decimals: Int) -> String {
    guard number.isFinite else { return "null" }
    let scale = pow(10, Double(decimals))
    let units = Int64((abs(number) * scale).rounded())
    let digits = String(units)
    let sign = number < 0 && units > 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    let whole = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return sign + whole.dropLast(decimals) + "." + whole.suffix(decimals)
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

private func leading(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}
