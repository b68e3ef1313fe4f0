public import Explanations

/// A problem, known before the start, that will disturb an engine. The library prints nothing: show the warning to the
/// user.
public enum EngineWarning: Explained, Hashable, CaseIterable {
    /// A build without optimisation, the default of `swift build` and `swift run`. Computing a block takes about
    /// seventy times as long, and a stretched block takes longer than its playing time.
    case unoptimisedBuild

    /// The cause, in words.
    public var message: String {
        switch self {
        case .unoptimisedBuild:
            "this program was built without optimisation, and computes sound about seventy times slower"
        }
    }

    /// The remedy, in words.
    public var remedy: String {
        switch self {
        case .unoptimisedBuild: "Build the program with: swift build -c release"
        }
    }
}

extension Engine {
    /// Warnings for the user or author of this program; usually none.
    ///
    /// Real-time safe: no.
    public var warnings: [EngineWarning] { Self.warnings(isOptimised: Self.isOptimised) }

    static func warnings(isOptimised: Bool) -> [EngineWarning] { isOptimised ? [] : [.unoptimisedBuild] }

    /// True if this module was optimised. Usually the whole program shares this property, because packages are built in
    /// one way.
    private static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }
}
