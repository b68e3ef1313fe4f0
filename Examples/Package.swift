// swift-tools-version: 6.2
import PackageDescription

// A separate package: each program sees only one product, as an embedder's program does.
let package = Package(
    name: "woodshed-examples",
    dependencies: [.package(name: "woodshed", path: "..")],
    targets: [
        .executableTarget(name: "Looper", dependencies: [.product(name: "Woodshed", package: "woodshed")]),
        .executableTarget(name: "LevelMeter", dependencies: [.product(name: "Woodshed", package: "woodshed")]),
        .executableTarget(name: "TakeReport", dependencies: [.product(name: "Woodshed", package: "woodshed")]),
        .executableTarget(name: "Trainer", dependencies: [.product(name: "WoodshedPractice", package: "woodshed")]),
        .executableTarget(name: "Shelf", dependencies: [.product(name: "WoodshedLibrary", package: "woodshed")]),
        .executableTarget(name: "Monitor", dependencies: [.product(name: "Woodshed", package: "woodshed")]),
    ],
    swiftLanguageModes: [.v6]
)
