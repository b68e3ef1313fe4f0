public import Explanations

/// What will keep an engine from doing its work well, known before it starts. Nothing is printed by the library: show it.
public enum EngineWarning: Explained, Hashable, CaseIterable {
    /// The program was built without optimisation, as `swift build` and `swift run` do by themselves: every block takes about seventy
    /// times as long to compute, and a stretched one longer than it sounds.
    case unoptimisedBuild

    /// The cause, in words.
    public var message: String {
        switch self {
        case .unoptimisedBuild:
            "this program was built without optimisation, and computes sound about seventy times slower"
        }
    }

    /// What to do about it, in words.
    public var remedy: String {
        switch self {
        case .unoptimisedBuild: "Build it with: swift build -c release"
        }
    }
}

extension Engine {
    /// What is to be told to whoever builds or starts this program; none as a rule.
    ///
    /// Real-time safe: no.
    public var warnings: [EngineWarning] { Self.warnings(isOptimised: Self.isOptimised) }

    static func warnings(isOptimised: Bool) -> [EngineWarning] { isOptimised ? [] : [.unoptimisedBuild] }

    /// Whether this module was optimised; its users mostly were, too, as packages are built in one way.
    private static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}
