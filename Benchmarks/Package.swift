// swift-tools-version: 6.2
// Benchmarks and the libraries they compare with: a package of its own, so that the engine depends on none of them.
import PackageDescription

// As in the engine's own package: CI sets this.
let warningsAreErrors = Context.environment["WOODSHED_WARNINGS_AS_ERRORS"] != nil

let settings: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "woodshed", path: "..")],
    targets: [
        .target(name: "BenchmarkRows", swiftSettings: settings),
        .target(name: "RingPeers", linkerSettings: [.linkedLibrary("jack")]),
        .target(
            name: "StretchPeers",
            linkerSettings: [.linkedLibrary("rubberband"), .linkedLibrary("SoundTouch"), .linkedLibrary("sonic")]),
        .target(name: "MeterPeers", linkerSettings: [.linkedLibrary("ebur128")]),
        .target(
            name: "DecodePeers",
            linkerSettings: [.linkedLibrary("sndfile"), .linkedLibrary("mpg123"), .linkedLibrary("fftw3f")]),
        // aubio is loaded on request, and left out where not installed.
        .target(name: "PitchPeers", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "PortAudioPeer", linkerSettings: [.linkedLibrary("portaudio")]),
        .executableTarget(
            name: "CardFaultBenchmark",
            dependencies: [
                "PortAudioPeer", .product(name: "ProcessHandles", package: "woodshed"),
                .product(name: "VirtualCardPlugIn", package: "woodshed"),
                .product(name: "VirtualCardSupport", package: "woodshed"),
                .product(name: "Woodshed", package: "woodshed"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "MeterBenchmark",
            dependencies: [
                "BenchmarkRows", "MeterPeers", .product(name: "AllocationCounter", package: "woodshed"),
                .product(name: "DSP", package: "woodshed"), .product(name: "SoundMeasures", package: "woodshed"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "CompareBenchmark",
            dependencies: [
                "BenchmarkRows", "PitchPeers", .product(name: "DSP", package: "woodshed"),
                .product(name: "SoundMeasures", package: "woodshed"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "CallBenchmark",
            dependencies: [
                "BenchmarkRows", .product(name: "CWoodshed", package: "woodshed"),
                .product(name: "Woodshed", package: "woodshed"),
            ],
            swiftSettings: settings, linkerSettings: [.linkedLibrary("dl")]),
        .executableTarget(
            name: "FetchBenchmark", dependencies: [.product(name: "WoodshedLibrary", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "RingBenchmark",
            dependencies: ["BenchmarkRows", "RingPeers", .product(name: "Realtime", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "EngineBenchmark",
            dependencies: ["BenchmarkRows", .product(name: "Woodshed", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "RecordBenchmark",
            dependencies: ["BenchmarkRows", .product(name: "Woodshed", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "WaveformBenchmark",
            dependencies: [
                "BenchmarkRows", "DecodePeers", .product(name: "DSP", package: "woodshed"),
                .product(name: "Woodshed", package: "woodshed"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: ["BenchmarkRows", .product(name: "WoodshedLibrary", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "LongFileBenchmark", dependencies: [.product(name: "Woodshed", package: "woodshed")],
            swiftSettings: settings),
        .executableTarget(
            name: "StretchBenchmark",
            dependencies: [
                "BenchmarkRows", "StretchPeers", .product(name: "AllocationCounter", package: "woodshed"),
                .product(name: "SoundMeasures", package: "woodshed"), .product(name: "Woodshed", package: "woodshed"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
