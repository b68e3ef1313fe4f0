public import Engine
public import Explanations

extension PracticeSession {
    /// Moves by sections of the plan, and leaves the loop.
    ///
    /// - Parameter count: 1 is the next section, -1 the previous. Outside of the plan nothing happens.
    public func skip(by count: Int) {
        let status = player.statusAfterMoves
        _ = try? change(listens: false) { (state, _) throws(SessionError) in
            state.skip(by: count, status: status)
        }
    }

    /// Goes to the start of a section, and leaves the loop.
    ///
    /// - Parameter number: the number of a section in ``sections``, from 1. Other numbers have no effect.
    public func go(toSection number: Int) {
        _ = try? change(listens: false) { (state, _) throws(SessionError) in state.go(to: number) }
    }

    /// Plays other sections from now on, for example after a change of the saved sections. The current pass continues
    /// in its section, at the section's place in the new list. If the section is gone, the pass plays to its end, and
    /// the next section follows. A loop set by ear continues.
    ///
    /// - Parameters:
    ///   - sections: Frames of the clip; at least one section.
    ///   - savedIDs: The identities of the saved sections, in the same order; nil for unsaved sections.
    /// - Throws: `SessionError` if there is no section, or a section cannot be played; the session then continues
    ///   unchanged.
    public func setSections(_ sections: [Section], savedIDs: [Int?] = []) throws(SessionError) {
        guard !sections.isEmpty else { throw .noSections }
        let ids = savedIDs.count == sections.count ? savedIDs : Array(repeating: nil, count: sections.count)
        try change(listens: false) { (state, _) throws(SessionError) in
            state.follow(sections, savedIDs: ids, status: player.statusAfterMoves)
        }
    }
}
