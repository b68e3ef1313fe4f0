// The tables of the practice log and the reviews: version 4 of the store.

extension StoreSchema {
    /// Speeds are in millionths. A row of `practice` grows while its section is practised; a row of `review` never
    /// changes. Rows survive the removal of their section, whose identity is never reused. Rows move with sections
    /// adopted by another recording.
    static let progress = [
        """
        CREATE TABLE practice (
            id INTEGER PRIMARY KEY,
            recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
            section INTEGER,
            name TEXT NOT NULL,
            first INTEGER NOT NULL,
            past INTEGER NOT NULL CHECK (past >= first),
            began INTEGER NOT NULL,
            ended INTEGER NOT NULL,
            milliseconds INTEGER NOT NULL CHECK (milliseconds >= 0),
            passes INTEGER NOT NULL CHECK (passes >= 0),
            lowest INTEGER,
            highest INTEGER,
            last INTEGER
        ) STRICT
        """,
        "CREATE INDEX practice_by_recording ON practice (recording, section)",
        """
        CREATE TABLE review (
            id INTEGER PRIMARY KEY,
            recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
            section INTEGER NOT NULL CHECK (section > 0),
            time INTEGER NOT NULL,
            rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 4),
            before TEXT,
            after TEXT NOT NULL,
            interval INTEGER NOT NULL CHECK (interval > 0),
            evidence TEXT NOT NULL
        ) STRICT
        """,
        "CREATE INDEX review_by_recording ON review (recording, section)",
    ]
}
