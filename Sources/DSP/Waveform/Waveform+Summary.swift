// The query behind every picture.

extension Waveform {
    /// Returns the columns of a picture of `frames`, adjacent and of equal length.
    ///
    /// Each column sums up every bin with a frame in the column, so no peak is lost between two columns. If the
    /// columns' edges lie on bins, the result is exact. Columns shorter than a bin repeat the bin: draw such columns
    /// from samples, with `Clip.columns(frames:count:channel:waveform:)`. Columns outside the recording are empty.
    ///
    /// - Parameters:
    ///   - frames: In absolute frames; may reach beyond the recording on both sides.
    ///   - count: The number of columns.
    ///   - channel: One channel from 0, or `nil` for the extremes and the mean power of all.
    /// - Returns: `count` columns. Takes some dozen bins per column, at most 14 on every third level of the pyramid.
    ///
    /// Real-time safe: no.
    public func summary(frames: Range<Int64>, columns count: Int, channel: Int? = nil) -> [WaveformColumn] {
        let asked = channel.map { [channels[$0]] } ?? channels
        return ListViews.with(asked.flatMap { $0 }) { bins in
            ListViews.with(tones) { tones in
                var columns: [WaveformColumn] = []
                columns.reserveCapacity(count)
                for column in ColumnFrames(of: frames, count: count) {
                    let part = column.clamped(to: 0..<frameCount)
                    var sum = ColumnSum()
                    if !part.isEmpty {
                        for place in 0..<asked.count { addBins(part, of: bins, from: place * levelCount, to: &sum) }
                        addTones(part, of: tones, to: &sum)
                    }
                    columns.append(sum.column)
                }
                return columns
            }
        }
    }

    /// Returns the colour of a range of frames; `nil` without tones, or outside the recording.
    package func tone(frames: Range<Int64>) -> WaveformTone? {
        let part = frames.clamped(to: 0..<frameCount)
        if part.isEmpty || !hasTones { return nil }
        var sum = ColumnSum()
        ListViews.with(tones) { addTones(part, of: $0, to: &sum) }
        return sum.storedTone
    }

    /// Returns a column computed from samples, for zooms where a column is shorter than a bin. Samples that are not
    /// finite count as silence, as in the bins.
    package static func column(ofSamples samples: Span<Float>, tone: WaveformTone?) -> WaveformColumn {
        var sum = ColumnSum()
        for index in samples.indices { sum.add(samples[index]) }
        var column = sum.column
        column.tone = column.isEmpty ? nil : tone
        return column
    }

    // MARK: - Trees

    /// Returns the places with any of `frames`, which are not below 0; a place has a power of two frames.
    @inline(__always)
    private static func places(_ frames: Range<Int64>, framesPerPlace: Int) -> Range<Int> {
        let exponent = framesPerPlace.trailingZeroBitCount
        return Int(frames.lowerBound) >> exponent..<(Int(frames.upperBound) + framesPerPlace - 1) >> exponent
    }

    /// The distance between the levels read. Runs of bins are contiguous, while the levels lie far apart in memory:
    /// reading up to seven bins of every third level takes half the time of reading the fewest bins of all levels.
    /// Tones are more expensive to sum up.
    private static let (binStep, toneStep) = (3, 2)
    /// Number of columns by which memory is prefetched ahead.
    private static let columnsAhead = 4

    /// Prefetches the two lowest levels at the end of a later column, where the column after it begins.
    @inline(__always)
    private func fetchAhead<Element>(
        _ places: Range<Int>, of levels: ListViews<Element>, from lowest: Int, step: Int
    ) {
        // Columns of few places are contiguous, so the processor itself prefetches such columns.
        if places.count >> (2 * step) == 0 { return }
        let place = places.upperBound + Self.columnsAhead * places.count
        levels.fetchAhead(lowest, (place >> step) << step, length: 1 << step)
        levels.fetchAhead(lowest + step, (place >> (2 * step)) << step, length: 1 << step)
    }

    /// Adds the bins of a channel, whose levels start at `lowest`.
    @inline(__always)
    private func addBins(
        _ frames: Range<Int64>, of levels: ListViews<WaveformBin>, from lowest: Int, to sum: inout ColumnSum
    ) {
        let places = Self.places(frames, framesPerPlace: Self.framesPerBin)
        fetchAhead(places, of: levels, from: lowest, step: Self.binStep)
        var climb = Climb(over: places, levels: levelCount, step: Self.binStep)
        while let (level, left, right) = climb.next() {
            // Places lie within the recording, so all exist; only the last one of a level may have fewer frames.
            let size = Int64(Self.framesPerBin) << Int64(level)
            for run in 0..<2 {
                for index in run == 0 ? left : right {
                    sum.add(levels[lowest + level, index], frames: min(size, frameCount - Int64(index) * size))
                }
            }
        }
    }

    @inline(__always)
    private func addTones(_ frames: Range<Int64>, of levels: ListViews<WaveformTone>, to sum: inout ColumnSum) {
        if !hasTones { return }
        let places = Self.places(frames, framesPerPlace: framesPerTone)
        fetchAhead(places, of: levels, from: 0, step: Self.toneStep)
        let hops = levels.count(0)
        var climb = Climb(over: places, levels: toneLevelCount, step: Self.toneStep)
        while let (level, left, right) = climb.next() {
            for run in 0..<2 {
                for index in run == 0 ? left : right {
                    sum.add(levels[level, index], hops: min(1 << level, hops - index << level))
                }
            }
        }
    }
}

/// Runs of places on every `step`th level of a pyramid, from the lowest level up, which together cover a range of
/// places of level 0.
private struct Climb {
    private var (start, end, level): (Int, Int, Int)
    private let (levelCount, step): (Int, Int)

    @inline(__always)
    init(over places: Range<Int>, levels: Int, step: Int) {
        (start, end, level) = (places.lowerBound, places.upperBound, 0)
        (levelCount, self.step) = (levels, step)
    }

    /// Returns two runs of one level; the levels above cover the places between the runs.
    @inline(__always)
    mutating func next() -> (level: Int, left: Range<Int>, right: Range<Int>)? {
        if start >= end { return nil }
        let (above, below) = ((start + (1 << step) - 1) >> step, end >> step)
        if level + step >= levelCount || above >= below {
            defer { start = end }
            return (level, start..<end, end..<end)
        }
        defer { (start, end, level) = (above, below, level + step) }
        return (level, start..<above << step, below << step..<end)
    }
}
