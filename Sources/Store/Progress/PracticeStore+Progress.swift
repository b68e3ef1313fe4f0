public import AudioFiles
internal import Database
internal import Glibc
internal import Sections

/// What was practised, how it went, and when it is due again. All of it stays in the store, on this machine.
extension PracticeStore {
    // MARK: The practice log

    /// Writes down what was practised; `PracticeLog` does so for a session.
    ///
    /// - Parameters:
    ///   - entry: What was practised.
    ///   - number: The entry that it replaces, because practising went on; nil for a new one.
    ///   - recording: The recording; the store gets to know it.
    /// - Returns: The number of the entry.
    @discardableResult
    public func log(
        _ entry: PracticeEntry, replacing number: Int? = nil, of recording: PracticeRecording
    ) throws(StoreError) -> Int {
        try change { (rows) throws(DatabaseError) in
            // When it was seen, and where, is told by who opens it; here only what is not known at all.
            let known = try rows.recording(recording.key)
            let row = if let known { known } else { try rows.see(recording, at: Int64(time(nil))) }
            return Int(try rows.write(entry, row: number.map(Int64.init), of: row.id))
        }
    }

    /// What was practised, the oldest first.
    ///
    /// - Parameter key: A recording; nil for all.
    public func practiceLog(of key: RecordingKey? = nil) throws(StoreError) -> [PracticeEntry] {
        try read { (rows) throws(DatabaseError) in try rows.entries(of: key) } ?? []
    }

    // MARK: Reviews

    /// Rates how a section went, which decides when it is due again. The first rating puts a section into the schedule.
    ///
    /// Days are those of the calendar: what was rated yesterday at 22:00 and is rated today at 18:00 was rated a day ago. A day counts as
    /// gone by only if its midnight has passed.
    ///
    /// - Parameters:
    ///   - sectionID: The identity of one of the recording's saved sections. Sections that its file brings along become saved ones.
    ///   - recording: The recording.
    ///   - rating: How it went.
    ///   - time: When, in seconds since 1970.
    ///   - evidence: What is known of the playing. Without a speed it is that of the fastest whole pass in the log of that day.
    ///   - calendar: Whose days count.
    /// - Throws: `SectionError` of kind `unknown`, `StoreError`.
    @discardableResult
    public func review(
        section sectionID: Int, of recording: PracticeRecording, _ rating: ReviewRating, at time: Int64,
        evidence: ReviewEvidence = ReviewEvidence(), calendar: PracticeCalendar = .local
    ) throws -> SectionReview {
        // A section that is not there makes no store.
        guard try sections(of: recording).number(ofID: sectionID) != nil else { throw Self.unknown(sectionID) }
        return try change { (rows) throws(DatabaseError) -> Result<SectionReview, any Error> in
            let known = try rows.recording(recording.key)
            if let known, let error = recording.conflict(with: known.stored.recording) { return .failure(error) }
            var list =
                try known.map { (row) throws(DatabaseError) in
                    try rows.sections(of: row, in: recording)
                } ?? recording.noSections
            let brought = recording.bringSections(into: &list)
            guard list.number(ofID: sectionID) != nil else { return .failure(Self.unknown(sectionID)) }
            let row = try rows.see(recording, at: Int64(Glibc.time(nil)))
            if let brought {
                try rows.write(brought, nextSection: list.nextID, of: row.id)
                try rows.append(brought, to: row)
            }
            let last = try rows.reviews(of: recording.key, section: sectionID).last
            let day = calendar.day(of: time)
            let after =
                last.map { $0.after.rated(rating, afterDays: day - calendar.day(of: $0.time)) }
                ?? MemoryState(first: rating)
            var evidence = evidence
            if evidence.speed == nil {
                evidence.speed = try rows.entries(of: recording.key)
                    .filter { $0.sectionID == sectionID && calendar.day(of: $0.began) == day }
                    .compactMap(\.speeds?.highest).max()
            }
            let review = SectionReview(
                key: recording.key, sectionID: sectionID, time: time, rating: rating, before: last?.after,
                after: after, intervalDays: after.intervalDays, evidence: evidence)
            try rows.add(review, of: row.id)
            return .success(review)
        }.get()
    }

    /// The reviews, in the order in which they were made; also those of sections that were removed.
    ///
    /// - Parameter key: A recording; nil for all.
    public func reviews(of key: RecordingKey? = nil) throws(StoreError) -> [SectionReview] {
        try read { (rows) throws(DatabaseError) in try rows.reviews(of: key) } ?? []
    }

    // MARK: What is due

    /// The sections that are due, the most overdue first.
    ///
    /// A section is due from the beginning of its day. One that was never rated, or was removed, is never due; one that is brought back by
    /// undo is due as before.
    ///
    /// - Parameters:
    ///   - time: Now, in seconds since 1970.
    ///   - key: A recording; nil for all.
    ///   - calendar: Whose days count.
    public func due(
        at time: Int64, of key: RecordingKey? = nil, calendar: PracticeCalendar = .local
    ) throws(StoreError) -> [ScheduledSection] {
        try schedule(at: time, of: key, calendar: calendar).filter(\.isDue)
    }

    /// All sections that were ever rated and are still there, the most overdue first.
    ///
    /// - Parameters: as for `due(at:of:calendar:)`.
    public func schedule(
        at time: Int64, of key: RecordingKey? = nil, calendar: PracticeCalendar = .local
    ) throws(StoreError) -> [ScheduledSection] {
        let today = calendar.day(of: time)
        let scheduled = try read { (rows) throws(DatabaseError) -> [ScheduledSection] in
            var found: [ScheduledSection] = []
            let replaced = try rows.replacedRecordings()
            let byRecording = Dictionary(grouping: try rows.reviews(of: key), by: \.key)
            for (key, reviews) in byRecording {
                guard let row = try rows.recording(key) else { continue }
                let (list, speeds) = (try rows.sections(of: row), try rows.lastSpeeds(of: row.id))
                let bySection = Dictionary(grouping: reviews, by: \.sectionID)
                for (index, section) in list.sections.enumerated() {
                    guard let reviews = bySection[section.id], let last = reviews.last else { continue }
                    let day = calendar.day(of: last.time)
                    found.append(
                        ScheduledSection(
                            recording: row.stored.recording, section: section, number: index + 1, review: last,
                            reviewCount: reviews.count, dueDay: day + last.intervalDays,
                            overdueDays: today - day - last.intervalDays,
                            retrievability: last.after.retrievability(afterDays: today - day),
                            lastSpeed: speeds[Int64(section.id)], isReplaced: replaced.contains(key)))
                }
            }
            return found
        }
        return (scheduled ?? []).sorted(by: Self.comesFirst)
    }

    /// The most overdue first; of those due on one day, the one that is remembered least. Always the same order.
    private static func comesFirst(_ left: ScheduledSection, _ right: ScheduledSection) -> Bool {
        if left.dueDay != right.dueDay { return left.dueDay < right.dueDay }
        if left.retrievability != right.retrievability { return left.retrievability < right.retrievability }
        let (first, second) = (left.recording.key, right.recording.key)
        return (first.high, first.low, left.section.id) < (second.high, second.low, right.section.id)
    }

    private static func unknown(_ id: Int) -> SectionError {
        SectionError(.unknown, "there is no saved section \(id)", remedy: "List the sections of the recording.")
    }
}
