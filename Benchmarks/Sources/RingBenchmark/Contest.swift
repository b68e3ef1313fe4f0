// All contenders in turn, window after window, and the figures.
import BenchmarkRows
import Glibc
import Realtime
import RingPeers
import Synchronization

/// The parameters of a measurement: the blocks, the number of windows, the output format.
struct Contest: Sendable {
    /// The real-time priority of the contenders' threads, where the system grants it.
    static let priority = 10

    let windows: Int
    let isJSON: Bool

    /// Measures and prints everything; whether every frame of everyone came out as written.
    func run() -> Bool {
        var isSound = true
        for (index, block) in [1, 64, 512].enumerated() {
            var rates: [Contender: [Double]] = [:]
            var scheduling = RealtimeReport.Scheduling.ordinary
            for _ in 0..<windows {
                for contender in Contender.allCases {
                    do throws(RealtimeThreadError) {
                        let window = try Window(of: contender, block: block)
                        rates[contender, default: []].append(window.megaframesPerSecond)
                        scheduling = window.scheduling
                        if !window.isIntact { print("\(contender.rawValue), block \(block): the ramp came out wrong") }
                        isSound = isSound && window.isIntact
                    } catch {
                        print("\(error.message); \(error.remedy)")
                        return false
                    }
                }
            }
            if index == 0, !isJSON { printHead(scheduling) }
            printRow(block: block, rates)
        }
        return isSound
    }

    private func printHead(_ scheduling: RealtimeReport.Scheduling) {
        let kind = scheduling == .ordinary ? "ordinary scheduling, expect noise" : "real-time scheduling"
        print("ring, Mframes/s: median of \(windows) windows (best); two pinned threads, \(kind); ramp checked")
    }

    private func printRow(block: Int, _ rates: [Contender: [Double]]) {
        let medians = rates.mapValues { median($0) }
        let peer = max(medians[.jack] ?? 0, medians[.boost] ?? 0)
        let ratio = text((medians[.ours] ?? 0) / peer, decimals: 2)
        for contender in Contender.allCases {
            record(
                "ring", "\(contender.rawValue), block \(block)", unit: "Mframes/s", .higher, rates[contender] ?? [])
        }
        if isJSON {
            let fields = Contender.allCases.map { "\"\($0.rawValue)\":\(text(medians[$0] ?? 0, decimals: 2))" }
            print(
                "{\"v\":1,\"benchmark\":\"ring\",\"block\":\(block),\"unit\":\"Mframes/s\","
                    + "\(fields.joined(separator: ",")),\"ratio_to_better_peer\":\(ratio)}")
        } else {
            let columns = Contender.allCases.map { contender in
                let best = text(rates[contender]?.max() ?? 0, decimals: 1)
                return "\(contender.rawValue) \(text(medians[contender] ?? 0, decimals: 1)) (\(best))"
            }
            print("  block \(block): \(columns.joined(separator: "   "));  ours to the better peer: \(ratio)")
        }
    }
}

/// The result of one contender in one window of about 15 ms.
struct Window {
    let megaframesPerSecond: Double
    let isIntact: Bool
    let scheduling: RealtimeReport.Scheduling

    /// Runs `contender` for one window.
    init(of contender: Contender, block: Int) throws(RealtimeThreadError) {
        let go = StopFlag()
        let stop = StopFlag()
        let result = Outcome()
        let loops = contender.makeLoops(block: block, stop: stop)
        let configuration = RealtimeThread.Configuration(priority: Contest.priority, locksMemory: false)
        let producer = try RealtimeThread(name: "producer", configuration: configuration) {
            _ = ring_pin(0)
            while !go.isSet { usleep(100) }
            loops.produce()
        }
        let consumer = try RealtimeThread(name: "consumer", configuration: configuration) {
            _ = ring_pin(1)
            while !go.isSet { usleep(100) }
            let found = loops.consume()
            result.value.withLock { $0 = found }
        }
        go.set()
        // The threads look every 100 µs: up to 0.7 % of the window, the same for all.
        let clock = ContinuousClock()
        let start = clock.now
        usleep(15_000)
        stop.set()
        let elapsed = start.duration(to: clock.now)
        producer.join()
        consumer.join()
        let (frames, intact) = result.value.withLock { $0 }
        megaframesPerSecond = Double(frames) / (elapsed / .seconds(1)) / 1e6
        isIntact = intact
        scheduling = consumer.report.scheduling
    }
}

/// Carries a result from a thread to the thread's creator.
private final class Outcome: Sendable {
    let value = Mutex<(frames: UInt64, intact: Bool)>((0, false))
}

/// The middle of the values; 0 of none.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let upper = sorted.dropFirst(sorted.count / 2).first else { return 0 }
    return (upper + sorted[(sorted.count - 1) / 2]) / 2
}

/// A number with at most so many decimals.
func text(_ number: Double, decimals: Int) -> String {
    let scale = pow(10, Double(decimals))
    return String((number * scale).rounded() / scale)
}
