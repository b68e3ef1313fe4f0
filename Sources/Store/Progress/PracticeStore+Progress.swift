public import AudioFiles
internal import Database
public import Explanations
internal import Glibc
internal import Sections

/// The practice log, the reviews and the schedule. All of this data stays in the store, on this machine.
extension PracticeStore {
    // MARK: The practice log

    /// Writes an entry of the practice log. `PracticeLog` calls this method for a session.
    ///
    /// - Parameters:
    ///   - entry: The practice to log.
    ///   - number: The entry to replace, because the practice continued; nil for a new entry.
    ///   - recording: The recording; added to the store if unknown.
    /// - Returns: The number of the entry.
    @discardableResult
    package func log(
        _ entry: PracticeEntry, replacing number: Int? = nil, of recording: PracticeRecording
    ) throws(StoreError) -> Int {
        try change { (rows) throws(DatabaseError) in
            // The program that opens a file records the time and the path. An unknown recording is added here.
            let known = try rows.recording(recording.key)
            let row = if let known { known } else { try rows.see(recording, at: Int64(time(nil))) }
            return Int(try rows.write(entry, row: number.map(Int64.init), of: row.id))
        }
    }

    /// Returns the practice log, the oldest entry first.
    ///
    /// - Parameter key: A recording; nil for all.
    package func practiceLog(of key: RecordingKey? = nil) throws(StoreError) -> [PracticeEntry] {
        try read { (rows) throws(DatabaseError) in try rows.entries(of: key) } ?? []
    }

    // MARK: Reviews

    /// Rates a section, which decides when the section is due again. The first rating adds the section to the schedule.
    ///
    /// Days are those of the local calendar: from a rating yesterday at 22:00 to a rating today at 18:00 is one day. A
    /// day has passed once its midnight has passed.
    ///
    /// - Parameters:
    ///   - sectionID: The identity of a saved section of the recording. The review saves sections that the file brings
    ///     along.
    ///   - recording: The recording.
    ///   - rating: The rating.
    ///   - time: Time of the rating, in seconds since 1970.
    /// - Throws: `SectionError` of kind `unknown`, `StoreError`.
    @discardableResult
    public func review(
        section sectionID: Int, of recording: PracticeRecording, _ rating: ReviewRating, at time: Int64
    ) throws -> SectionReview {
        try review(
            section: sectionID, of: recording, rating, at: time, evidence: ReviewEvidence(), calendar: .local)
    }

    /// - Parameters:
    ///   - evidence: Measures of the playing. A missing speed becomes the fastest complete pass in the log of that day.
    ///   - calendar: The calendar that defines days.
    @discardableResult
    package func review(
        section sectionID: Int, of recording: PracticeRecording, _ rating: ReviewRating, at time: Int64,
        evidence: ReviewEvidence = ReviewEvidence(), calendar: PracticeCalendar = .local
    ) throws -> SectionReview {
        // A request with an unknown section creates no store.
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

    /// Returns the reviews in chronological order, including reviews of removed sections.
    ///
    /// - Parameter key: A recording; nil for all.
    public func reviews(of key: RecordingKey? = nil) throws(StoreError) -> [SectionReview] {
        try read { (rows) throws(DatabaseError) in try rows.reviews(of: key) } ?? []
    }

    // MARK: What is due

    /// Returns the due sections, the most overdue first.
    ///
    /// A section is due from the beginning of its day. A section without a rating, and a removed section, are never
    /// due. Undoing the removal restores the due day.
    ///
    /// - Parameters:
    ///   - time: Now, in seconds since 1970.
    ///   - key: A recording; nil for all.
    public func due(at time: Int64, of key: RecordingKey? = nil) throws(StoreError) -> [ScheduledSection] {
        try due(at: time, of: key, calendar: .local)
    }

    /// - Parameter calendar: The calendar that defines days.
    func due(
        at time: Int64, of key: RecordingKey? = nil, calendar: PracticeCalendar
    ) throws(StoreError) -> [ScheduledSection] {
        try schedule(at: time, of: key, calendar: calendar).filter(\.isDue)
    }

    /// Returns all existing sections with a rating, the most overdue first.
    ///
    /// - Parameters:
    ///   - time: Now, in seconds since 1970.
    ///   - key: A recording; nil for all.
    ///   - calendar: The calendar that defines days.
    package func schedule(
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

    /// Orders the most overdue section first; among sections due on one day, the least remembered. The order is total,
    /// so always the same.
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
