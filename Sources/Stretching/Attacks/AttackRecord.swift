/// The data that a stretcher needs to play across one onset, made at load time.
///
/// The old segment ends at the cut: windows before the cut contain the source up to each band's `early` and a linear
/// prediction afterwards. The new segment begins at the cut: windows after the cut contain the source from `whole` on
/// and a backward prediction before. The snippet is the difference between the source and both segments, and is copied.
/// So where windows are not rotated, segments and snippet add up to the source.
///
/// The record's memory belongs to the `AttackMaterial` that made the record, which must outlive the record. Real-time
/// safe: yes.
struct AttackRecord: BitwiseCopyable, Sendable {
    /// The frame at which the new segment takes over; no energy of the attack lies before this frame.
    let cut: Int64
    /// The frame that lands at its nominal position; at or after ``cut``.
    let attack: Int64
    /// The frame from which the sound is stretched again; the sound from ``cut`` to this frame is copied.
    let whole: Int64

    /// Length of the change from the old segment to the new segment, in frames.
    let change: Int
    /// True if a sound ends at ``cut``; then there is nothing to copy.
    let isStop: Bool

    /// The part played by one band, in that band's samples.
    struct Band: BitwiseCopyable, Sendable {
        /// End of the source that belongs to the old segment: later samples may ring from the attack.
        let early: Int64
        /// Start of the source that belongs to the new segment.
        let whole: Int64
        /// The old segment from `early` on.
        let ahead: PackedSamples
        /// The new segment up to `whole`.
        let behind: PackedSamples
    }

    let low: Band
    let middle: Band
    let high: Band
    /// The source minus the segments, at frames relative to the cut.
    let snippet: PackedSamples

    @inline(__always)
    func band(_ band: StretchBand) -> Band {
        switch band {
        case .low: low
        case .middle: middle
        case .high: high
        }
    }
}

/// A view of the records of a recording or a part of it, by rising cuts, for the render thread.
///
/// A trivial value: copy the list freely, but keep its owner, the `AttackTable`, as long as any copy is in use.
@safe
@usableFromInline package struct AttackList: BitwiseCopyable, @unchecked Sendable {
    private let records: UnsafePointer<AttackRecord>?
    /// Number of records.
    package let count: Int
    private let changes: UnsafePointer<SteadyChange>?
    private let changeCount: Int
    private let periods: UnsafePointer<VoicePeriod>?
    private let periodCount: Int
    /// The bands of the stretchers for which the records were made; a stretcher with other bands ignores the records.
    @usableFromInline package var bands: StretchBands { isDivided ? .three : .one }
    private let isDivided: Bool

    /// No records at all: nothing is treated as an attack.
    @usableFromInline package static let empty = unsafe AttackList(
        records: nil, count: 0, changes: nil, changeCount: 0, periods: nil, periodCount: 0, bands: .three)

    fileprivate init(
        records: UnsafePointer<AttackRecord>?, count: Int, changes: UnsafePointer<SteadyChange>?, changeCount: Int,
        periods: UnsafePointer<VoicePeriod>?, periodCount: Int, bands: StretchBands
    ) {
        unsafe self.records = records
        self.count = count
        unsafe self.changes = changes
        self.changeCount = changeCount
        unsafe self.periods = periods
        self.periodCount = periodCount
        isDivided = bands == .three
    }

    /// Returns true if both lists are the same piece of memory.
    @inline(__always)
    func isSame(as other: AttackList) -> Bool {
        unsafe records == other.records && count == other.count && isDivided == other.isDivided
    }

    /// Returns a record, by its place in the list.
    ///
    /// Real-time safe: yes.
    @inline(__always)
    subscript(index: Int) -> AttackRecord {
        guard let records = unsafe records, index >= 0, index < count else {
            preconditionFailure("There is no such record.")
        }
        return unsafe records[index]
    }

    /// Returns true if a band's sound is steady at a frame, so that long windows suit the sound. Complexity:
    /// logarithmic in the number of changes.
    ///
    /// Real-time safe: yes.
    func isSteady(_ band: StretchBand, at frame: Int64) -> Bool { steadyBands(at: frame).contains(band) }

    /// Returns true if the sound above the upper crossover is nothing but noise at a frame.
    ///
    /// Real-time safe: yes.
    func isNoise(at frame: Int64) -> Bool { steadyBands(at: frame).isNoise }

    private func steadyBands(at frame: Int64) -> SteadyBands {
        guard let changes = unsafe changes else { return SteadyBands(rawValue: 0) }
        var (lower, upper) = (0, changeCount)
        while lower < upper {
            let middle = (lower + upper) / 2
            if unsafe changes[middle].frame <= frame { lower = middle + 1 } else { upper = middle }
        }
        guard lower > 0 else { return SteadyBands(rawValue: 0) }
        return unsafe changes[lower - 1].bands
    }

    /// Returns the period in frames of the voice that dominates the treble at a frame, 0 without a voice. Complexity:
    /// logarithmic in the number of changes.
    ///
    /// Real-time safe: yes.
    func voicePeriod(at frame: Int64) -> Float {
        guard let periods = unsafe periods else { return 0 }
        var (lower, upper) = (0, periodCount)
        while lower < upper {
            let middle = (lower + upper) / 2
            if unsafe periods[middle].frame <= frame { lower = middle + 1 } else { upper = middle }
        }
        return unsafe lower > 0 ? periods[lower - 1].period : 0
    }

    /// Returns the number of records with a cut at or before a frame. Complexity: logarithmic in ``count``.
    ///
    /// Real-time safe: yes.
    func countOfCuts(through frame: Int64) -> Int {
        var (lower, upper) = (0, count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if self[middle].cut <= frame { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}

/// The records of one or several pieces of a recording in one list, and the owner of their memory.
///
/// Immutable. Keep the table as long as its ``list`` is in use.
@safe
package final class AttackTable: Sendable {
    /// For the render thread.
    package let list: AttackList
    private let materials: [AttackMaterial]

    /// Joins materials, in any order; of several records with the same cut, one is kept.
    ///
    /// - Parameter materials: Materials made for the same stretchers.
    ///
    /// Real-time safe: no.
    package init(_ materials: [AttackMaterial]) {
        let bands = materials.first?.bands ?? .three
        precondition(materials.allSatisfy { $0.bands == bands }, "All materials are made for the same stretchers.")
        self.materials = materials
        var records: [AttackRecord] = []
        for record in materials.flatMap(\.records).sorted(by: { $0.cut < $1.cut }) where record.cut != records.last?.cut
        {
            records.append(record)
        }
        let memory = UnsafeMutablePointer<AttackRecord>.allocate(capacity: max(1, records.count))
        for (index, record) in records.enumerated() { unsafe (memory + index).initialize(to: record) }
        let changes = SteadyChange.joined(materials.map(\.steadyChanges))
        let changeMemory = UnsafeMutablePointer<SteadyChange>.allocate(capacity: max(1, changes.count))
        for (index, change) in changes.enumerated() { unsafe (changeMemory + index).initialize(to: change) }
        let periods = materials.flatMap(\.voicePeriods).sorted { $0.frame < $1.frame }
        let periodMemory = UnsafeMutablePointer<VoicePeriod>.allocate(capacity: max(1, periods.count))
        for (index, period) in periods.enumerated() { unsafe (periodMemory + index).initialize(to: period) }
        list = unsafe AttackList(
            records: memory, count: records.count, changes: changeMemory, changeCount: changes.count,
            periods: periodMemory, periodCount: periods.count, bands: bands)
    }

    deinit { list.deallocate() }

    /// Bytes of memory, including all materials.
    package var byteCount: Int {
        materials.reduce(list.byteCount) { $0 + $1.byteCount }
    }
}

extension AttackList {
    fileprivate var byteCount: Int {
        count * MemoryLayout<AttackRecord>.stride + changeCount * MemoryLayout<SteadyChange>.stride
            + periodCount * MemoryLayout<VoicePeriod>.stride
    }

    fileprivate func deallocate() {
        unsafe records?.deallocate()
        unsafe changes?.deallocate()
        unsafe periods?.deallocate()
    }
}
