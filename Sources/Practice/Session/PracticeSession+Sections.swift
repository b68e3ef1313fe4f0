public import Engine

extension PracticeSession {
    /// Moves by sections of the plan, and leaves the loop.
    ///
    /// - Parameter count: 1 is the next section, -1 the previous one. Outside the plan nothing happens.
    public func skip(by count: Int) {
        let status = player.status
        _ = try? change(listens: false) { (state, _) throws(SessionError) in
            state.skip(by: count, status: status)
        }
    }

    /// Goes to the start of a section, and leaves the loop.
    ///
    /// - Parameter number: one of ``sections``, from 1. Outside of them nothing happens.
    public func go(toSection number: Int) {
        _ = try? change(listens: false) { (state, _) throws(SessionError) in state.go(to: number) }
    }

    /// Plays other sections from now on, as after the saved ones have changed. The pass that plays goes on in its section, wherever
    /// that is in the new list; if the section is gone, its pass is played to the end, and the next one follows. A loop that is set by
    /// ear goes on.
    ///
    /// - Parameters:
    ///   - sections: Frames of the clip; at least one section.
    ///   - savedIDs: The identities of the saved sections that they come from, in the same order; nil for those not saved.
    /// - Throws: `SessionError` if there is none, or a section cannot be played; everything goes on as before then.
    public func setSections(_ sections: [Section], savedIDs: [Int?] = []) throws(SessionError) {
        guard !sections.isEmpty else { throw .noSections }
        let status = player.status
        let ids = savedIDs.count == sections.count ? savedIDs : Array(repeating: nil, count: sections.count)
        try change(listens: false) { (state, _) throws(SessionError) in
            state.follow(sections, savedIDs: ids, status: status)
        }
    }
}
