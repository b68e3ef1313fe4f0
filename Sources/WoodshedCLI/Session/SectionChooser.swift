// Selection of a section in the list while another section plays.

/// The position of the selection in the list.
struct SectionChooser: Equatable {
    /// Result of a key.
    enum Outcome: Equatable {
        case goesOn
        /// Play the section with this index.
        case play(Int)
        case left
    }

    /// Index of the selected section.
    private(set) var index: Int

    init(at index: Int) { self.index = index }

    /// Adapts the selection to a changed list.
    mutating func clamp(to count: Int) { index = min(max(0, index), max(0, count - 1)) }

    /// - Parameters:
    ///   - count: The sections in the list, 1 or more.
    ///   - page: Number of sections on the screen at once.
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
