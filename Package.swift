// swift-tools-version: 6.2
import PackageDescription

// CI sets this so that a warning fails the build; a newer compiler's new warnings must not stop anyone else.
let warningsAreErrors = Context.environment["WOODSHED_WARNINGS_AS_ERRORS"] != nil

// Set for the tests under the thread sanitizer.
let sanitizesThreads = Context.environment["WOODSHED_SANITIZES_THREADS"] != nil
let settings: [SwiftSetting] =
    [
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    // The compiler checks @_noLocks and @_noAllocation only with whole-module optimisation, so only in release builds.
    // What reports a failed check of the standard library, which the tests under the thread sanitizer contain, would
    // not pass.
    + (sanitizesThreads ? [] : [.define("REALTIME_CHECKS", .when(configuration: .release))])
    + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

// Set to the real-time sanitizer's runtime for the tests under that sanitizer. The runtime is linked whole, because
// nothing refers to the interceptors by name, and exported, so that the shared libraries find them.
let realtimeSanitizer: [LinkerSetting] =
    (Context.environment["WOODSHED_REALTIME_SANITIZER"].map { runtime in
        let flags = ["--whole-archive", runtime, "--no-whole-archive", "--export-dynamic"]
        return [.unsafeFlags(flags.flatMap { ["-Xlinker", $0] })]
    }) ?? []

// Set for the command as it ships, with the standard library inside. The package manager's own option for that compiles
// each module anew.
let shipped: [LinkerSetting] =
    Context.environment["WOODSHED_STATIC_STDLIB"] == nil ? [] : [.unsafeFlags(["-static-stdlib"])]

// Code that computes no sound, and that nobody waits for, gains nothing from optimisation, which is most of the time of
// a release build: the command, the library of recordings, transfers, and tests that only call, wait and compare. What
// such tests test is optimised all the same. docs/architecture.md has the modules and their times.
let unoptimised =
    settings + [
        .unsafeFlags(["-Onone"], .when(configuration: .release))
    ]
// Tests that share memory with a render thread: the thread sanitizer does not see what unoptimised generic code does.
let testsOfThreads = sanitizesThreads ? settings : unoptimised

// The thread sanitizer finds nothing in tests of one thread: these, and the folders OneThread.
// scripts/checks/modules.py holds them to it.
let oneThread: Set = [
    "AnkiTests", "DatabaseTests", "DrawingTests", "FilesTests", "FuzzTests", "LibrariesTests", "SectionsTests",
    "SettingsTests", "TextFormatsTests", "UserStateTests",
]
// The command, and the library of recordings, which no other module needs, share memory only as the compiler checks,
// but for what scripts/checks/modules.py lists; the soak runs them there all the same. The command's tests only start
// the command, and run as built without the sanitizer.
let commandOnly: Set =
    Context.environment["WOODSHED_THREADS_EVERYWHERE"] ?? "" != ""
    ? ["WoodshedCLITests"]
    : [
        "Catalogue", "Drawing", "Library", "LibraryTests", "Settings", "Terminal", "TextFormats", "WoodshedCLI",
        "WoodshedCLITests", "WoodshedCommand", "WoodshedLibrary", "woodshed",
    ]
// These share memory only as the compiler checks, too, but tests of threads need them. The thread sanitizer finds the
// same in them without optimisation; with it, and with the checks of unoptimised code, they take four times as long to
// compile.
let compilerChecked: Set = ["Catalogue", "Sections", "Store", "TextFormats"]
let oneThreadFolder = sanitizesThreads ? ["OneThread"] : []

// Set by scripts/soak/fuzz.sh. The fuzzer consists of the readers of the tests that replay its corpus.
let fuzzes = Context.environment["WOODSHED_FUZZES"] != nil
let fuzzed: [Target.Dependency] = [
    "AudioFiles", "Catalogue", "Explanations", "Files", "JSON", "Library", "RemoteControl", "Sections", "TextFormats",
    "Transfers",
]

let sanitizerSupport: [Target.Dependency] = sanitizesThreads ? ["CSanitizerSupport"] : []

let package = Package(
    name: "woodshed",
    products: [
        // The engine: recordings, loops, queues, takes, waveforms.
        .library(name: "Woodshed", targets: ["Woodshed"]),
        // Sessions of practice, and the store of sections and takes. Brings `Woodshed` along.
        .library(name: "WoodshedPractice", targets: ["WoodshedPractice"]),
        // A collection of recordings: playlists, fetching, backups. Plays nothing.
        .library(name: "WoodshedLibrary", targets: ["WoodshedLibrary"]),
        // Only rings and threads, without audio and its libraries.
        .library(name: "Realtime", targets: ["Realtime"]),
        // Only for the benchmarks' packages: replaces malloc in the program that links it with a version that counts.
        .library(name: "AllocationCounter", targets: ["CAllocationCounter"]),
        // Only for the benchmarks' packages: known signals, and measures of a time stretcher's output.
        .library(name: "SoundMeasures", targets: ["SoundMeasures"]),
        // Only for the benchmarks' packages: creates virtual cards.
        .library(name: "VirtualCardSupport", targets: ["VirtualCardSupport"]),
        // For tests: the virtual card in the form that alsa-lib loads. Built next to the test binary, where the tests
        // look for it.
        .library(name: "VirtualCardPlugIn", type: .dynamic, targets: ["VirtualCardPlugIn"]),
        // Only for the benchmarks' packages: signals to the programs that they start.
        .library(name: "ProcessHandles", targets: ["ProcessHandles"]),
        // Only meters and the time stretcher: computations on samples, without files or devices.
        .library(name: "DSP", targets: ["DSP", "Stretching", "Transforms"]),
        // Pictures of audio, without code that makes or plays it.
        .library(name: "Drawing", targets: ["Drawing"]),
        .executable(name: "woodshed", targets: ["WoodshedCommand"]),
        // The header for C, for the benchmark that calls the library.
        .library(name: "CWoodshed", targets: ["CWoodshed"]),
        // The shared library for C is linked from this by scripts/build-library.sh.
        .library(name: "WoodshedC", type: .static, targets: ["CInterface"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        .systemLibrary(name: "CLinux", path: "CSources/CLinux"),
        .systemLibrary(name: "CTimerFD", path: "CSources/CTimerFD"),
        .systemLibrary(name: "CALSA", path: "CSources/CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(
            name: "CSndFile", path: "CSources/CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(
            name: "CMPG123", path: "CSources/CMPG123", pkgConfig: "libmpg123", providers: [.apt(["libmpg123-dev"])]),
        .systemLibrary(
            name: "CFFTW", path: "CSources/CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
        .systemLibrary(name: "CSoxr", path: "CSources/CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
        .systemLibrary(
            name: "CSampleRate", path: "CSources/CSampleRate", pkgConfig: "samplerate",
            providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(
            name: "CXXHash", path: "CSources/CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .target(name: "CRealtime", path: "CSources/CRealtime"),
        .target(name: "CSampleSums", path: "CSources/CSampleSums"),
        .target(name: "CSampleLoops", path: "CSources/CSampleLoops"),
        .target(name: "CLibraryTable", path: "CSources/CLibraryTable"),
        .target(name: "CPangoCairo", dependencies: ["CLibraryTable"], path: "CSources/CPangoCairo"),
        .target(name: "CSQLite", dependencies: ["CLibraryTable"], path: "CSources/CSQLite"),
        .target(name: "CCrypto", dependencies: ["CLibraryTable"], path: "CSources/CCrypto"),
        .target(name: "CCurl", dependencies: ["CLibraryTable"], path: "CSources/CCurl"),
        .target(name: "CSDBus", dependencies: ["CLibraryTable"], path: "CSources/CSDBus"),
        .target(name: "CLibXML", dependencies: ["CLibraryTable"], path: "CSources/CLibXML"),
        .target(name: "VirtualCard", dependencies: ["CALSA"], path: "CSources/VirtualCard"),
        .target(name: "VirtualCardPlugIn", dependencies: ["VirtualCard"], path: "CSources/VirtualCardPlugIn"),
        // Replaces malloc in programs that link it: for tests and benchmarks, never for a product that ships.
        .target(name: "CAllocationCounter", path: "CSources/CAllocationCounter"),
        // Reports the operations of Swift's Mutex to the thread sanitizer: only for tests.
        .target(name: "CSanitizerSupport", path: "CSources/CSanitizerSupport"),
        // Binds threads to processors: only for tests.
        .target(name: "CProcessors", path: "CSources/CProcessors"),

        .target(name: "Explanations", swiftSettings: settings),
        .target(name: "RunLog", dependencies: ["Explanations"], swiftSettings: settings),
        .target(name: "Realtime", dependencies: ["Explanations", "CRealtime"], swiftSettings: settings),
        .target(name: "Samples", dependencies: ["Realtime"], swiftSettings: settings),
        .target(name: "Transforms", dependencies: ["Realtime", "Samples", "CFFTW"], swiftSettings: settings),
        .target(
            name: "DSP", dependencies: ["Explanations", "Samples", "Transforms", "CSampleLoops", "CSampleSums"],
            swiftSettings: settings),
        .target(name: "Stretching", dependencies: ["Samples", "Transforms", "CSampleLoops"], swiftSettings: settings),
        .target(
            name: "Drawing", dependencies: ["Explanations", "DSP", "Files", "Libraries", "CPangoCairo"],
            swiftSettings: settings),
        .target(name: "Sections", dependencies: ["Explanations", "JSON"], swiftSettings: settings),
        .target(name: "Libraries", dependencies: ["Explanations", "CLibraryTable"], swiftSettings: settings),
        .target(
            name: "Database", dependencies: ["Explanations", "Files", "Libraries", "RunLog", "CSQLite"],
            swiftSettings: settings),
        .target(name: "Files", dependencies: ["Explanations", "RunLog", "CLinux"], swiftSettings: settings),
        .target(name: "JSON", swiftSettings: settings),
        .target(name: "Anki", dependencies: ["Database", "Explanations", "Files", "JSON"], swiftSettings: unoptimised),
        .target(name: "UserState", dependencies: ["Explanations", "Files", "JSON"], swiftSettings: settings),
        .target(name: "Settings", dependencies: ["Explanations", "UserState"], swiftSettings: settings),
        .target(
            name: "AudioFiles",
            dependencies: [
                "Explanations", "Realtime", "Files", "JSON", "CSndFile", "CMPG123", "CSoxr", "CXXHash", "Samples",
            ],
            swiftSettings: settings),
        .target(name: "Clips", dependencies: ["Realtime", "DSP", "AudioFiles", "Samples"], swiftSettings: settings),
        .target(
            name: "Takes", dependencies: ["Explanations", "Files", "JSON", "UserState", "AudioFiles"],
            swiftSettings: settings),
        .target(
            name: "Waveforms",
            dependencies: [
                "Explanations", "Realtime", "DSP", "Files", "JSON", "UserState", "AudioFiles", "Clips", "Samples",
            ],
            swiftSettings: settings),
        .target(
            name: "AudioDevices",
            dependencies: [
                "Explanations", "Realtime", "Files", "RunLog", "AudioFiles", "Clips", "CALSA", "CLinux", "CSampleRate",
                "CTimerFD", "Samples",
            ],
            swiftSettings: settings),
        .target(
            name: "Recording",
            dependencies: [
                "Explanations", "Realtime", "DSP", "Files", "JSON", "UserState", "AudioFiles", "Takes", "AudioDevices",
                "Samples",
            ],
            swiftSettings: settings),
        .target(
            name: "Engine",
            dependencies: [
                "Explanations", "Realtime", "DSP", "AudioFiles", "Clips", "AudioDevices", "Samples", "Stretching",
                "CSampleLoops",
            ],
            swiftSettings: settings),
        .target(
            name: "Queue", dependencies: ["Explanations", "Realtime", "AudioFiles", "Clips", "Engine", "Samples"],
            swiftSettings: settings),
        .target(
            name: "Store",
            dependencies: [
                "AudioFiles", "Database", "Explanations", "Files", "JSON", "RunLog", "Sections", "UserState",
            ],
            swiftSettings: settings),
        .target(
            name: "Practice",
            dependencies: [
                "Explanations", "Realtime", "DSP", "Files", "Sections", "UserState", "Database", "AudioFiles", "Clips",
                "Takes", "AudioDevices", "Recording", "Engine", "Anki", "Samples", "Stretching", "Store",
            ],
            swiftSettings: settings),
        .target(
            name: "RemoteControl", dependencies: ["Explanations", "Realtime", "Files", "JSON", "CALSA"],
            swiftSettings: unoptimised),
        .target(
            name: "Transfers",
            dependencies: ["Explanations", "Realtime", "Files", "JSON", "Libraries", "RunLog", "CCrypto", "CCurl"],
            swiftSettings: unoptimised),
        .target(
            name: "DesktopBus", dependencies: ["Explanations", "Realtime", "Files", "Libraries", "RunLog", "CSDBus"],
            swiftSettings: unoptimised),
        .target(
            name: "Catalogue",
            dependencies: [
                "AudioFiles", "Database", "Explanations", "Files", "JSON", "Realtime", "RunLog", "Store", "UserState",
            ],
            swiftSettings: settings),
        .target(
            name: "TextFormats",
            dependencies: ["Explanations", "AudioFiles", "Files", "JSON", "Libraries", "CLibXML"],
            swiftSettings: settings),
        .target(
            name: "Library",
            dependencies: [
                "Explanations", "Realtime", "DSP", "Files", "Sections", "JSON", "UserState", "Database",
                "AudioFiles", "Clips", "Transfers", "Store", "Catalogue", "TextFormats",
            ],
            swiftSettings: unoptimised),
        .target(
            name: "Woodshed",
            dependencies: [
                "Explanations", "Realtime", "DSP", "AudioFiles", "Clips", "Takes", "Waveforms", "AudioDevices",
                "Recording",
                "Engine", "Queue",
            ],
            swiftSettings: settings),
        .target(
            name: "WoodshedPractice", dependencies: ["Practice", "Sections", "Store", "Woodshed"],
            swiftSettings: settings),
        .target(
            name: "WoodshedLibrary",
            dependencies: [
                "AudioFiles", "Catalogue", "Explanations", "Library", "Sections", "Store", "Transfers",
            ],
            swiftSettings: settings),
        // The interface for C: the header, and the functions behind it.
        .target(name: "CWoodshed", path: "CSources/CWoodshed", exclude: ["libwoodshed.map", "woodshed.pc.in"]),
        .target(
            name: "CInterface",
            dependencies: [
                "AudioDevices", "AudioFiles", "CWoodshed", "Clips", "DSP", "Engine", "Explanations", "Files",
                "Practice", "Realtime", "Recording", "Sections", "Takes", "Waveforms", "Woodshed", "Store",
            ],
            swiftSettings: settings),
        .target(
            name: "Terminal", dependencies: ["Explanations", "Files", "AudioFiles", "DSP"], swiftSettings: settings),
        .target(
            name: "WoodshedCLI",
            dependencies: [
                "AudioFiles", "DesktopBus", "Drawing", "Engine", "Explanations", "Files", "JSON", "Library", "Practice",
                "Realtime", "RemoteControl", "RunLog", "Samples", "Settings", "Terminal", "TextFormats", "UserState",
                "Woodshed", "WoodshedLibrary", "WoodshedPractice",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: unoptimised),
        .executableTarget(
            name: "WoodshedCommand",
            dependencies: ["Explanations", "Terminal", "Woodshed", "WoodshedCLI"] + sanitizerSupport,
            swiftSettings: settings, linkerSettings: shipped + realtimeSanitizer),

        .target(name: "CCrashVFS", path: "Tests/CCrashVFS"),
        // Linked by all tests: all are in one program.
        .target(name: "CExitTests", path: "Tests/CExitTests"),
        .target(
            name: "TestSupport",
            dependencies: [
                "CAllocationCounter", "CCrashVFS", "CExitTests", "CSanitizerSupport", "Files", "ProcessHandles",
            ],
            path: "Tests/TestSupport", swiftSettings: settings, linkerSettings: realtimeSanitizer),
        .target(
            name: "ProcessHandles", dependencies: ["CLinux"], path: "Tests/ProcessHandles", swiftSettings: settings),
        .target(
            name: "SoundMeasures", dependencies: ["DSP", "TestSupport", "Samples", "Stretching", "Transforms"],
            path: "Tests/SoundMeasures", swiftSettings: settings),
        .target(
            name: "SoundFileSupport", dependencies: ["AudioFiles", "Files", "TestSupport"],
            path: "Tests/SoundFileSupport", swiftSettings: settings),
        .target(
            name: "VirtualCardSupport", dependencies: ["VirtualCard"], path: "Tests/VirtualCardSupport",
            swiftSettings: settings),
        .testTarget(
            name: "VirtualCardTests",
            dependencies: [
                "CALSA", "ProcessHandles", "Realtime", "VirtualCard", "VirtualCardSupport", "TestSupport",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "RunLogTests", dependencies: ["RunLog", "TestSupport"], swiftSettings: unoptimised),
        .testTarget(name: "RealtimeTests", dependencies: ["Realtime", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "SettingsTests", dependencies: ["Settings", "UserState", "TestSupport"], swiftSettings: unoptimised),
        .target(name: "CConformance", dependencies: ["CWoodshed"], path: "Tests/CConformance"),
        .testTarget(
            name: "CInterfaceTests",
            dependencies: [
                "AudioFiles", "CConformance", "CInterface", "CWoodshed", "Practice", "Sections", "SoundFileSupport",
                "TestSupport", "Store",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SectionsTests", dependencies: ["Explanations", "Sections", "TestSupport"], swiftSettings: unoptimised
        ),
        .testTarget(
            name: "FilesTests", dependencies: ["Files", "ProcessHandles", "TestSupport"], swiftSettings: unoptimised),
        .testTarget(
            name: "RemoteControlTests",
            dependencies: ["CALSA", "Explanations", "Files", "JSON", "RemoteControl", "TestSupport"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "TransfersTests",
            dependencies: ["CCurl", "Explanations", "Files", "JSON", "Libraries", "Transfers", "TestSupport"],
            exclude: ["Servers"], swiftSettings: unoptimised),
        .testTarget(
            name: "DesktopBusTests",
            dependencies: ["DesktopBus", "Explanations", "Files", "ProcessHandles", "TestSupport"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "TextFormatsTests", dependencies: ["AudioFiles", "JSON", "TextFormats", "TestSupport"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "AudioFiles", "Clips", "Database", "Engine", "Explanations", "Files", "JSON", "Library", "Practice",
                "Sections", "SoundFileSupport", "TestSupport", "Transfers", "Store", "Catalogue", "TextFormats",
            ],
            exclude: ["Podcasts/Servers"] + oneThreadFolder, swiftSettings: unoptimised),
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed, exclude: ["Corpus", "Fuzzer"], swiftSettings: unoptimised),
        .testTarget(name: "DatabaseTests", dependencies: ["Database", "TestSupport"], swiftSettings: unoptimised),
        .testTarget(
            name: "AnkiTests", dependencies: ["Anki", "Database", "Files", "JSON", "TestSupport"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "UserStateTests", dependencies: ["JSON", "UserState", "TestSupport"], swiftSettings: unoptimised),
        .target(
            name: "DSPHarness", dependencies: ["DSP", "Samples", "SoundMeasures", "Stretching", "TestSupport"],
            path: "Tests/DSPHarness", swiftSettings: settings),
        .testTarget(
            name: "DSPTests",
            dependencies: [
                "CSampleLoops", "DSP", "DSPHarness", "SoundMeasures", "TestSupport", "Samples", "Stretching",
                "Transforms",
            ],
            // The other tests compute on one thread, so the thread sanitizer cannot find anything in them.
            sources: sanitizesThreads ? ["SharedTableTests.swift"] : nil, swiftSettings: testsOfThreads),
        .target(name: "PictureReading", path: "Tests/PictureReading", linkerSettings: [.linkedLibrary("cairo")]),
        .testTarget(
            name: "DrawingTests", dependencies: ["Drawing", "DSP", "PictureReading", "TestSupport"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "LibrariesTests", dependencies: ["Libraries", "CLibraryTable", "TestSupport"],
            swiftSettings: unoptimised),
        // The chunks that marks are read from are written by Takes.
        .testTarget(
            name: "AudioFilesTests",
            dependencies: ["AudioFiles", "Files", "SoundFileSupport", "Takes", "TestSupport", "Samples"],
            // The other tests decode on one thread.
            sources: sanitizesThreads
                ? ["BadInputTests.swift", "EncodedFileTests.swift", "FFmpegFaultTests.swift"] : nil,
            swiftSettings: unoptimised),
        .testTarget(
            name: "ClipsTests",
            dependencies: ["AudioFiles", "Clips", "DSP", "Realtime", "SoundFileSupport", "TestSupport", "Samples"],
            swiftSettings: unoptimised),
        .testTarget(
            name: "TakesTests",
            dependencies: ["AudioFiles", "Files", "SoundFileSupport", "Takes", "TestSupport", "UserState"],
            exclude: oneThreadFolder, swiftSettings: unoptimised),
        .testTarget(
            name: "WaveformsTests",
            dependencies: [
                "AudioFiles", "Clips", "DSP", "Files", "SoundFileSupport", "SoundMeasures", "TestSupport", "Waveforms",
                "Explanations",
            ],
            exclude: oneThreadFolder, swiftSettings: unoptimised),
        .testTarget(
            name: "AudioDevicesTests",
            dependencies: [
                "AudioDevices", "AudioFiles", "CALSA", "Clips", "DSP", "Files", "Realtime", "TestSupport",
                "VirtualCardSupport", "Samples",
            ],
            exclude: oneThreadFolder, swiftSettings: unoptimised),
        .testTarget(
            name: "RecordingTests",
            dependencies: [
                "AudioDevices", "AudioFiles", "Clips", "DSP", "Engine", "Explanations", "Realtime", "Recording",
                "SoundFileSupport", "Takes", "TestSupport", "VirtualCardSupport", "Waveforms", "Samples",
            ],
            swiftSettings: unoptimised),
        // Optimised for its slow reference, which only tests of one thread compare with.
        .target(
            name: "EngineHarness", dependencies: ["Clips", "DSP", "Engine", "TestSupport", "Samples", "Stretching"],
            path: "Tests/EngineHarness", exclude: oneThreadFolder, swiftSettings: settings),
        .testTarget(
            name: "PracticeTests",
            dependencies: [
                "Anki", "AudioDevices", "AudioFiles", "Clips", "Database", "Engine", "EngineHarness", "Explanations",
                "Files", "Practice", "Realtime", "Recording", "Sections", "SoundFileSupport", "Store", "Takes",
                "TestSupport", "VirtualCardSupport",
            ],
            exclude: ["Schedules", "Stores"] + oneThreadFolder, swiftSettings: unoptimised),
        .testTarget(
            name: "EngineTests",
            dependencies: [
                "Engine", "EngineHarness", "AudioFiles", "AudioDevices", "CProcessors", "Clips", "Files", "Realtime",
                "SoundMeasures", "TestSupport", "VirtualCardSupport", "Samples", "Stretching", "Transforms",
                "Explanations",
            ],
            exclude: ["OneThread/Renders/table.txt"] + oneThreadFolder, swiftSettings: testsOfThreads),
        .testTarget(
            name: "QueueTests",
            dependencies: [
                "AudioDevices", "AudioFiles", "Clips", "DSP", "Engine", "EngineHarness", "Queue", "Realtime",
                "SoundFileSupport", "TestSupport", "Samples",
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "WoodshedCLITests",
            dependencies: [
                "DSP", "Database", "Drawing", "JSON", "ProcessHandles", "Realtime", "RemoteControl", "Settings",
                "Terminal", "TestSupport", "UserState", "VirtualCardSupport", "Woodshed", "WoodshedCLI",
                "WoodshedLibrary",
                "WoodshedPractice",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Golden"], swiftSettings: unoptimised),
    ],
    swiftLanguageModes: [.v6]
)

if sanitizesThreads {
    package.targets.removeAll { oneThread.union(commandOnly).contains($0.name) }
    package.products.removeAll { commandOnly.contains($0.name) }
    for target in package.targets where compilerChecked.contains(target.name) { target.swiftSettings = unoptimised }
}

if fuzzes {
    package.targets.removeAll { $0.type == .test }
    package.targets.append(
        .executableTarget(
            name: "woodshed-fuzz", dependencies: fuzzed, path: "Tests/FuzzTests",
            exclude: ["Corpus", "CorpusTests.swift"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}
