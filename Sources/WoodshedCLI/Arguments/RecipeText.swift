// Recipes as typed, and the built-in recipes.
import Terminal
import WoodshedPractice

/// A recipe as typed: steps separated by `;`, each with `option=value` words.
struct RecipeText: Equatable, Sendable {
    /// The recipe as typed.
    let text: String
    private let steps: [Step]

    private struct Step: Equatable {
        var passes = 1
        var speed: SpeedText?
        var gap: GapText?
        var text: TextMoment?
    }

    /// Prefix of a recipe's line in the configuration: `recipe.morning = passes=2 speed=70%; passes=3`.
    static let prefix = "recipe."

    /// Limit on the number of steps: more would be a plan for a week.
    private static let mostSteps = 32

    init(parsing text: String) throws(ArgumentError) {
        self.text = text
        var steps: [Step] = []
        for words in text.split(separator: ";", omittingEmptySubsequences: false) {
            steps.append(try Self.step(words.split(separator: " ").map(String.init), of: text))
        }
        guard steps.count <= Self.mostSteps else {
            throw ArgumentError(
                "the recipe has \(steps.count) steps", remedy: "Write at most \(Self.mostSteps) steps.")
        }
        self.steps = steps
    }

    private static func step(_ words: [String], of text: String) throws(ArgumentError) -> Step {
        guard !words.isEmpty else {
            throw ArgumentError(
                "'\(text)' has an empty step", remedy: "Write steps as in passes=2 speed=70%; passes=3 gap=1.0x.")
        }
        var step = Step()
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                throw ArgumentError(
                    "'\(word)' sets nothing", remedy: "Write passes=, speed=, gap= or text= with a value.")
            }
            switch parts[0] {
            case "passes": step.passes = try boundedInteger(parts[1], in: 1...1000)
            case "speed": step.speed = try SpeedText(parsing: parts[1])
            case "gap": step.gap = try GapText(parsing: parts[1])
            case "text": step.text = try TextMoment(parsing: parts[1])
            default:
                throw ArgumentError("a step has no '\(parts[0])'", remedy: "Write passes, speed, gap or text.")
            }
        }
        return step
    }

    /// Returns the recipe for a recording.
    func recipe(in timeline: Timeline) throws(ScoreError) -> Recipe? {
        var steps: [Recipe.Step] = []
        for step in self.steps {
            let speed = try step.speed.map { text throws(ScoreError) in try Speed(factor: text.factor) }
            steps.append(
                Recipe.Step(
                    PassStep(passes: step.passes, speed: speed, gap: step.gap?.gap(in: timeline)), text: step.text))
        }
        return Recipe(steps)
    }

    /// Built-in recipes; a recipe of the same name in the configuration takes precedence.
    static let standard: [(name: String, text: String)] = [
        // Slow enough to hear every sound, then at the recorded speed.
        ("intensive", "passes=2 speed=75% text=after; passes=3 text=during"),
        // Listen, repeat aloud with the text, then without the text.
        ("shadow", "passes=1 text=during; passes=3 speed=85% gap=1.0x text=during; passes=3 gap=1.0x text=never"),
        // By ear alone; the text comes at the end, to check.
        ("blind", "passes=3 text=never; passes=1 text=after"),
    ]
}
