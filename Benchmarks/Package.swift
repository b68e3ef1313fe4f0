// swift-tools-version: 6.2
// Benchmarks, and the rivals they need: a package of its own, so that none of this is a dependency of the engine.
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "woodshed", path: "..")],
    targets: [
        .target(name: "RingPeers", linkerSettings: [.linkedLibrary("jack")]),
        .executableTarget(
            name: "RingBenchmark", dependencies: ["RingPeers", .product(name: "Realtime", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "EngineBenchmark", dependencies: [.product(name: "Woodshed", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "LongFileBenchmark", dependencies: [.product(name: "Woodshed", package: "woodshed")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
