// The one query that every picture is drawn from.

extension Waveform {
    /// Columns of a picture of `frames`, side by side and of equal length.
    ///
    /// Each column sums up every bin that has a frame in it, so no peak is lost between two; where the columns' edges fall on
    /// bins it is exact. Columns shorter than a bin repeat it: draw those from samples
    /// (``column(ofSamples:tone:)`` and ``tone(frames:)``). Frames outside the recording are empty columns.
    ///
    /// - Parameters:
    ///   - frames: In absolute frames; may reach beyond the recording on both sides.
    ///   - count: How many columns.
    ///   - channel: One channel from 0, or `nil` for the extremes and the mean power of all.
    /// - Returns: `count` columns. Takes some dozen bins a column, at most 14 on every third level of the pyramid.
    ///
    /// Real-time safe: no.
    public func summary(frames: Range<Int64>, columns count: Int, channel: Int? = nil) -> [WaveformColumn] {
        precondition(count >= 0, "A picture has 0 or more columns.")
        let asked = (channel.map { [channels[$0]] } ?? channels).map { $0.map(\.view) }
        let toneLevels = tones.map(\.view)
        return withExtendedLifetime(self) {
            (0..<count).map { index in
                var sum = ColumnSum()
                let part = Self.part(index, of: count, in: frames).clamped(to: 0..<frameCount)
                if part.isEmpty { return .empty }
                for levels in asked { addBins(part, of: levels, to: &sum) }
                addTones(part, of: toneLevels, to: &sum)
                return sum.column
            }
        }
    }

    /// The colour of a stretch of sound; `nil` without tones, or outside the recording.
    public func tone(frames: Range<Int64>) -> WaveformTone? {
        let part = frames.clamped(to: 0..<frameCount)
        if part.isEmpty || !hasTones { return nil }
        var sum = ColumnSum()
        withExtendedLifetime(self) { addTones(part, of: tones.map(\.view), to: &sum) }
        return sum.storedTone
    }

    /// One column of samples that were read, for zooms where a column is shorter than a bin.
    public static func column(ofSamples samples: Span<Float>, tone: WaveformTone?) -> WaveformColumn {
        var sum = ColumnSum()
        for index in samples.indices { sum.add(samples[index]) }
        var column = sum.column
        column.tone = column.isEmpty ? nil : tone
        return column
    }

    /// The frames of column `index` of `count` over `frames`: every frame belongs to one column, and no column is empty as long as
    /// there are as many frames as columns.
    public static func part(_ index: Int, of count: Int, in frames: Range<Int64>) -> Range<Int64> {
        func edge(_ index: Int) -> Int64 {
            let (high, low) = UInt64(frames.count).multipliedFullWidth(by: UInt64(index))
            return frames.lowerBound + Int64(UInt64(count).dividingFullWidth((high, low)).quotient)
        }
        let start = edge(index)
        return start..<max(start + (frames.isEmpty ? 0 : 1), edge(index + 1))
    }

    // MARK: - Trees

    private static func places(_ frames: Range<Int64>, framesPerPlace: Int) -> Range<Int> {
        let size = Int64(framesPerPlace)
        return Int(frames.lowerBound / size)..<Int((frames.upperBound + size - 1) / size)
    }

    /// From a level that is read to the next one. Runs of bins lie side by side, while each level is far away from the others: reading
    /// up to seven bins of every third level takes half the time that the fewest bins of all levels do. Tones are dearer to sum up.
    private static let (binStep, toneStep) = (3, 2)
    /// How many columns ahead memory is asked for.
    private static let columnsAhead = 4

    /// Runs of places of every `step`th level that make up `places` of level 0.
    @inline(__always)
    private func forEachRun(
        of places: Range<Int>, levels: Int, step: Int, _ body: (_ level: Int, _ run: Range<Int>) -> Void
    ) {
        var (start, end, level) = (places.lowerBound, places.upperBound, 0)
        while start < end {
            // What lies between is left to the levels above.
            let (above, below) = ((start + (1 << step) - 1) >> step, end >> step)
            if level + step >= levels || above >= below { return body(level, start..<end) }
            body(level, start..<above << step)
            body(level, below << step..<end)
            (start, end, level) = (above, below, level + step)
        }
    }

    /// Asks for what lies on the two lowest levels where a later column ends and the next one begins.
    @inline(__always)
    private func fetchAhead<Element>(_ places: Range<Int>, of levels: [ListView<Element>], step: Int) {
        // Columns of few places lie side by side, and the processor sees by itself what comes next.
        if places.count >> (2 * step) == 0 { return }
        let place = places.upperBound + Self.columnsAhead * places.count
        levels[0].fetchAhead((place >> step) << step, length: 1 << step)
        levels[step].fetchAhead((place >> (2 * step)) << step, length: 1 << step)
    }

    @inline(__always)
    private func addBins(_ frames: Range<Int64>, of levels: [ListView<WaveformBin>], to sum: inout ColumnSum) {
        let places = Self.places(frames, framesPerPlace: Self.framesPerBin)
        fetchAhead(places, of: levels, step: Self.binStep)
        forEachRun(of: places, levels: levels.count, step: Self.binStep) { level, run in
            // Places lie within the recording, so that all are there; only the last one of a level may have fewer frames.
            let size = Int64(Self.framesPerBin) << Int64(level)
            for index in run { sum.add(levels[level][index], frames: min(size, frameCount - Int64(index) * size)) }
        }
    }

    @inline(__always)
    private func addTones(_ frames: Range<Int64>, of levels: [ListView<WaveformTone>], to sum: inout ColumnSum) {
        if levels.isEmpty { return }
        let places = Self.places(frames, framesPerPlace: framesPerTone)
        fetchAhead(places, of: levels, step: Self.toneStep)
        let hops = tones[0].count
        forEachRun(of: places, levels: levels.count, step: Self.toneStep) { level, run in
            for index in run { sum.add(levels[level][index], hops: min(1 << level, hops - index << level)) }
        }
    }
}
