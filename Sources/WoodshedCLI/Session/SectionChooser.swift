// Choosing a section in the list while another one plays.

/// The place of the choice in the list.
struct SectionChooser: Equatable {
    /// What a key made of it.
    enum Outcome: Equatable {
        case goesOn
        /// Play this section, by its index.
        case play(Int)
        case left
    }

    /// The index of the section that is chosen.
    private(set) var index: Int

    init(at index: Int) { self.index = index }

    /// Follows a list that has changed.
    mutating func clamp(to count: Int) { index = min(max(0, index), max(0, count - 1)) }

    /// - Parameters:
    ///   - count: The sections in the list, 1 or more.
    ///   - page: The sections that stand on the screen at once.
    mutating func take(_ action: ListAction, count: Int, page: Int) -> Outcome {
        switch action {
        case .play: return .play(index)
        case .leave: return .left
        case .up: index -= 1
        case .down: index += 1
        case .pageUp: index -= max(1, page)
        case .pageDown: index += max(1, page)
        case .first: index = 0
        case .last: index = count - 1
        }
        clamp(to: count)
        return .goesOn
    }
}
