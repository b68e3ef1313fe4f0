// The tables of modulations: the median and the worst of many draws, at every rate and speed asked for.
//
// The draws are divided among all processors, and give up the scheduling of a render thread for the rest of the run:
// nothing here depends on time.
import Dispatch
import Glibc
import SoundMeasures
import Synchronization

/// The conditions of the modulations' tables.
struct ModulationOptions: Sendable {
    /// The rates of `--rates all`, in Hz: those of sound cards.
    static let allRates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000]

    var sampleRates = [48_000]
    var speeds = [0.75, 0.5]
    var draws = 50
    /// Other seeds draw other pitches, swings and depths.
    var seed: UInt64 = 1

    /// Nil for words that are no options.
    init?(sampleRates: String?, speeds: String?, draws: String?, seed: String?) {
        if let sampleRates {
            let rates = sampleRates == "all" ? Self.allRates : Self.numbers(sampleRates)
            guard let rates, rates.allSatisfy({ (8000...192_000).contains($0) }) else { return nil }
            self.sampleRates = rates
        }
        if let speeds {
            guard let percents = Self.numbers(speeds), percents.allSatisfy({ (25...400).contains($0) }) else {
                return nil
            }
            self.speeds = percents.map { Double($0) / 100 }
        }
        if let draws {
            guard let count = Int(draws), (1...10_000).contains(count) else { return nil }
            self.draws = count
        }
        if let seed {
            guard let number = UInt64(seed) else { return nil }
            self.seed = number
        }
    }

    /// Whole numbers between commas.
    private static func numbers(_ text: String) -> [Int]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Int($0) }
        return numbers.count == words.count ? numbers : nil
    }
}

extension Report {
    /// Modulations of all contenders.
    func modulations(_ options: ModulationOptions) throws {
        for sampleRate in options.sampleRates {
            for speed in [1] + options.speeds { try check(options, speed: speed, sampleRate: sampleRate) }
            for speed in options.speeds { try modulations(options, speed: speed, sampleRate: sampleRate) }
        }
    }

    private func modulations(_ options: ModulationOptions, speed: Double, sampleRate: Int) throws {
        let contenders = Contender.presentForWholeSounds
        let draws = try Self.eachDraw(options, speed: speed, sampleRate: sampleRate) { draw, _ in
            try draw.errors(
                of: contenders.map { contender in
                    { sound in try contender.stretched([sound], speed: speed, sampleRate: sampleRate)[0] }
                })
        }
        var table = Table(
            title: "modulations at \(percent(speed)), \(sampleRate) Hz, \(options.draws) draws",
            benchmark: "stretch_modulation", speed: speed, sampleRate: sampleRate)
        for (quantity, value) in ModulationRow.quantities {
            // From the best to the worst.
            let values = contenders.indices.map { index in
                draws.map { value($0[index]) }.sorted { quantity.badness($0) < quantity.badness($1) }
            }
            func add(_ name: String, _ key: String, _ pick: ([Double]) -> Double) {
                table.add(
                    .init(
                        name: "\(quantity.name), \(name)", key: quantity.key + key, decimals: quantity.decimals,
                        better: quantity.better),
                    zip(contenders, values).map { ($0, pick($1)) })
            }
            add("median", "") { ($0[($0.count - 1) / 2] + $0[$0.count / 2]) / 2 }
            add("worst", "_worst") { $0[$0.count - 1] }
        }
        table.print(asJSON: isJSON)
    }

    /// Measures slow performances, at normal speed unchanged copies: every error must be 0.00, or no figure means
    /// anything.
    private func check(_ options: ModulationOptions, speed: Double, sampleRate: Int) throws {
        _ = try Self.eachDraw(options, speed: speed, sampleRate: sampleRate) { draw, number in
            guard let errors = draw.errorsOfPerformance() else { return }
            for (quantity, value) in ModulationRow.quantities {
                let error = value(errors)
                // A slow performance has no beats at the speed's rate.
                let isRight = if case .higher = quantity.better { error > 60 } else { error < 0.005 }
                guard isRight else {
                    throw WrongMeasure(
                        description: "A slow performance at \(percent(speed)), \(sampleRate) Hz, reads \(error) in "
                            + "the row “\(quantity.name)”, draw \(number) of seed \(options.seed).")
                }
            }
        }
    }

    /// Runs a function for every draw, several at a time.
    private static func eachDraw<Value: Sendable>(
        _ options: ModulationOptions, speed: Double, sampleRate: Int,
        _ body: @Sendable (ModulationDraw, Int) throws -> Value
    ) throws -> [Value] {
        let results = Mutex([Result<Value, any Error>?](repeating: nil, count: options.draws))
        DispatchQueue.concurrentPerform(iterations: options.draws) { number in
            var plain = sched_param()
            unsafe sched_setscheduler(0, SCHED_OTHER, &plain)
            let result = Result<Value, any Error> {
                let draw = ModulationDraw(
                    number, of: options.draws, seed: options.seed, speed: speed, sampleRate: sampleRate)
                return try body(draw, number)
            }
            results.withLock { $0[number] = result }
        }
        return try results.withLock { $0 }.compactMap { try $0?.get() }
    }

    struct WrongMeasure: Error, CustomStringConvertible {
        let description: String
    }
}
