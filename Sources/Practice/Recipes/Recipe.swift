package import Engine

/// The method for learning a section: consecutive steps, each with its passes, speed and gap, and the moment for
/// showing the section's text.
package struct Recipe: Sendable, Hashable {
    /// A step of a recipe.
    package struct Step: Sendable, Hashable {
        /// Passes, their speed and their gap.
        package var passes: PassStep
        /// The moment for showing the text; nil leaves the choice to the user.
        package var text: TextMoment?

        /// Creates a step; the score checks the values.
        package init(_ passes: PassStep, text: TextMoment? = nil) { (self.passes, self.text) = (passes, text) }
    }

    /// The steps; at least one.
    package let steps: [Step]

    /// - Returns: nil without a step, or if a step has no pass.
    package init?(_ steps: [Step]) {
        guard !steps.isEmpty, steps.allSatisfy({ $0.passes.passes >= 1 }) else { return nil }
        self.steps = steps
    }

    /// The steps for the engine.
    package var passSteps: [PassStep] { steps.map(\.passes) }

    /// Returns the moment for showing the text in a pass.
    ///
    /// - Parameter pass: from 1.
    package func text(inPass pass: Int) -> TextMoment? {
        var rest = pass
        for step in steps {
            rest -= step.passes.passes
            if rest <= 0 { return step.text }
        }
        return steps.last?.text
    }
}

/// The moment for showing a section's text.
package enum TextMoment: String, Sendable, Hashable, CaseIterable {
    /// At the beginning of the pass.
    case during
    /// At the end of the pass.
    case after
    /// Never: the section is practised by ear.
    case never
}
