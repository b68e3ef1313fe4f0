public import Engine

/// How a section is learnt: steps that follow one another, each with its passes, its speed, its gap, and when the section's text is shown.
public struct Recipe: Sendable, Hashable {
    /// One step.
    public struct Step: Sendable, Hashable {
        /// Passes, their speed and their gap.
        public var passes: PassStep
        /// When the text is shown; nil leaves that to the user.
        public var text: TextMoment?

        /// A step; it is checked when a score is made from it.
        public init(_ passes: PassStep, text: TextMoment? = nil) { (self.passes, self.text) = (passes, text) }
    }

    /// At least one.
    public let steps: [Step]

    /// - Returns: nil without a step, or if a step has no pass.
    public init?(_ steps: [Step]) {
        guard !steps.isEmpty, steps.allSatisfy({ $0.passes.passes >= 1 }) else { return nil }
        self.steps = steps
    }

    /// What the engine plays.
    public var passSteps: [PassStep] { steps.map(\.passes) }

    /// When the text is shown in a pass.
    ///
    /// - Parameter pass: from 1.
    public func text(inPass pass: Int) -> TextMoment? {
        var rest = pass
        for step in steps {
            rest -= step.passes.passes
            if rest <= 0 { return step.text }
        }
        return steps.last?.text
    }
}

/// When a section's text is shown.
public enum TextMoment: String, Sendable, Hashable, CaseIterable {
    /// When the pass begins.
    case during
    /// When the pass has ended.
    case after
    /// Not at all: the section is practised by ear.
    case never
}
