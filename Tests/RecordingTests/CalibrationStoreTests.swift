import AudioDevices
import Explanations
import Glibc
import Realtime
import TestSupport
import Testing

@testable import Recording

/// A store in a separate folder, removed with the last reference.
private final class StoreFolder: Sendable {
    let path: String
    var store: CalibrationStore { CalibrationStore(path: path + "/state/woodshed/calibrations.json") }

    init() {
        var name = Array("/tmp/woodshed-calibrations-XXXXXX".utf8CString)
        _ = unsafe mkdtemp(&name)
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for ending in ["", ".damaged", ".lock", ".new"] { _ = unsafe unlink(store.path + ending) }
        for folder in ["/state/woodshed", "/state", ""] { _ = unsafe rmdir(path + folder) }
    }

    func exists(_ ending: String = "") -> Bool { unsafe access(store.path + ending, F_OK) == 0 }

    func write(_ text: String, ending: String = "") throws {
        let file = try unsafe #require(unsafe fopen(store.path + ending, "w"))
        unsafe fputs(text, file)
        unsafe fclose(file)
    }

    func read() throws -> String {
        let file = try unsafe #require(unsafe fopen(store.path, "r"))
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

@Suite("Stored round trips")
struct CalibrationStoreTests {
    private let folder = StoreFolder()
    private var store: CalibrationStore { folder.store }

    private func trip(_ output: String, period: Int = 256, frames: Double = 1234.5, time: Int64 = 7) -> RoundTrip {
        RoundTrip(
            setup: RoundTrip.Setup(output: output, input: "in", sampleRate: 48_000, periodFrames: period),
            frames: frames, reportedFrames: 1000, spreadFrames: 0.125, repeats: 5, inputChannel: 2,
            gainDecibels: -3.5, isInverted: true, time: time)
    }

    @Test("a stored round trip is found again, one for each set-up, and removed by its devices' names")
    func keeps() throws {
        #expect(try store.contents() == CalibrationStore.Contents(roundTrips: [], isDamaged: false))
        #expect(try store.forget(output: .system("a"), input: .system("in")) == 0)
        #expect(unsafe access(folder.path + "/state", F_OK) != 0, "reading made a folder")
        let odd = trip("hw:\"\\é\u{1}", time: 9)
        for kept in [trip("a"), trip("a", period: 64, time: 8), odd, trip("a", frames: 0.1)] {
            #expect(try store.keep(kept) == nil)
        }
        let kept = try store.contents()
        #expect(kept.roundTrips.map(\.time) == [9, 8, 7] && !kept.isDamaged)
        #expect(try store.roundTrip(for: odd.setup) == odd)
        #expect(try store.roundTrip(for: trip("a").setup)?.frames == 0.1)
        #expect(try store.roundTrip(for: trip("b").setup) == nil)
        #expect(try store.forget(output: .system("a"), input: .system("in")) == 2)
        #expect(try store.forget(output: .system("a"), input: .system("in")) == 0)
        #expect(try store.contents().roundTrips == [odd])
        #expect(folder.exists() && !folder.exists(".new"))
    }

    @Test(
        "a damaged file of round trips is reported, set aside at the next change, and never fatal",
        arguments: [
            "", "{", "[]", "nonsense", "\u{0}", #"{"v":2}"#, #"{"v":0,"calibrations":[]}"#,
            #"{"v":2,"calibrations":[{}]}"#,
            #"{"v":"1","calibrations":[]}"#, String(repeating: "[", count: 100_000),
            String(repeating: " ", count: 2_000_000),
        ].map(ShortText.init))
    func damaged(damage: ShortText) throws {
        try store.keep(trip("x"))
        try folder.write(damage.text)
        #expect(try store.contents() == CalibrationStore.Contents(roundTrips: [], isDamaged: true))
        #expect(try store.keep(trip("a")) == store.path + ".damaged")
        #expect(try store.contents() == CalibrationStore.Contents(roundTrips: [trip("a")], isDamaged: false))
        #expect(folder.exists(".damaged"))
    }

    @Test("a file of round trips with one broken entry keeps the other entries")
    func partlyDamaged() throws {
        for output in ["a", "b", "c"] { try store.keep(trip(output)) }
        let text = try folder.read()
        // Entries are lines; the second gets an invalid value.
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines[2] = lines[2].replacing("\"sample_rate\":48000", with: "\"sample_rate\":-1")
        try folder.write(lines.joined(separator: "\n"))
        #expect(try store.contents().isDamaged)
        #expect(try store.forget(output: .system("c"), input: .system("in")) == 1)
        #expect(try store.contents().roundTrips.map(\.setup.output) == ["a"] && folder.exists(".damaged"))
    }

    @Test("round trips of version 0.2.0 do not hold any more")
    func older() throws {
        try store.keep(trip("x"))
        try folder.write(try folder.read().replacing("{\"v\":2,", with: "{\"v\":1,"))
        #expect(try store.contents() == CalibrationStore.Contents(roundTrips: [], isDamaged: false))
        #expect(try store.keep(trip("a")) == nil)
        #expect(try store.contents() == CalibrationStore.Contents(roundTrips: [trip("a")], isDamaged: false))
    }

    @Test("a file of round trips of a later version is neither read nor touched")
    func newer() throws {
        try store.keep(trip("x"))
        let text = #"{"v":3,"calibrations":{"better":true}}"#
        try folder.write(text)
        for attempt in [{ _ = try store.contents() }, { _ = try store.keep(trip("a")) }] as [() throws -> Void] {
            let error = #expect(throws: CalibrationError.self) { try attempt() }
            #expect(error?.kind == .storeIsNewer && error?.message.contains(store.path) == true)
        }
        #expect(try folder.read() == text && !folder.exists(".damaged"))
    }

    @Test("two programs that store round trips at the same time lose neither")
    func atOnce() throws {
        let (store, kept) = (store, ["a", "b"].map { output in (1...20).map { trip(output, period: $0) } })
        let threads = kept.map { trips in
            PlainThread(name: "test-keeping") {
                for trip in trips {
                    // A refusal comes if another program has the lock for more than two seconds, as on a busy machine.
                    for _ in 0..<60 {
                        do {
                            try store.keep(trip)
                            break
                        } catch {}
                    }
                }
            }
        }
        for thread in threads { thread?.join() }
        #expect(try Set(store.contents().roundTrips) == Set(kept.joined()))
    }

    @Test("a half-written file of a killed process is not read, and is removed by the next change")
    func leftBehind() throws {
        try store.keep(trip("x"))
        try folder.write(#"{"v":1,"cali"#, ending: ".new")
        #expect(try store.contents().roundTrips == [trip("x")])
        try store.keep(trip("a"))
        #expect(try store.contents().roundTrips.count == 2 && !folder.exists(".new"))
    }

    @Test("a change waits while another program has the lock, and is refused after two seconds")
    func locked() throws {
        try store.keep(trip("x"))
        let other = unsafe open(store.path + ".lock", O_RDWR | O_CLOEXEC)
        try #require(flock(other, LOCK_EX) == 0)
        let error = #expect(throws: CalibrationError.self) { try store.keep(trip("a")) }
        #expect(error?.kind == .store && error?.message.contains("another program") == true)
        // A program being started by another test shares the descriptor until it runs.
        flock(other, LOCK_UN)
        close(other)
        try store.keep(trip("a"))
        #expect(try store.contents().roundTrips.count == 2)
    }

    /// Expects an error from keeping a round trip in an unwritable folder.
    private static func expectRefusal(_ kind: CalibrationError.Kind, in place: String) {
        let error = #expect(throws: CalibrationError.self) {
            try CalibrationStore(path: place + "/calibrations.json").keep(CalibrationStoreTests().trip("a"))
        }
        #expect(error?.kind == kind && error?.message.contains(place) == true && error?.remedy.isEmpty == false)
    }

    @Test("a folder for round trips that cannot be written is reported by name and by cause")
    func unwritable() async {
        Self.expectRefusal(.store, in: "/dev/null/x")
        // In a separate process: the system forbids root nothing, and the process gives up all privileges for good.
        await #expect(processExitsWith: .success) {
            #expect(Privileges.giveUp())
            let folder = StoreFolder()
            unsafe chmod(folder.path, 0o500)
            CalibrationStoreTests.expectRefusal(.storePermission, in: folder.path + "/x")
        }
    }

    @Test("a store of round trips without a free descriptor names the limit of open files, with the status 75")
    func noDescriptor() async {
        // In a separate process, which may open no more descriptors.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            // Opening fails before the name is looked up, so nothing is created.
            let error = #expect(throws: CalibrationError.self) {
                try CalibrationStore(path: "/tmp/calibrations.json").keep(CalibrationStoreTests().trip("a"))
            }
            #expect(error?.kind == .store && error?.message == "/tmp/calibrations.json: \(SystemLimit.files.cause)")
            #expect(error?.remedy == SystemLimit.files.remedy && error?.exitStatus == .tryAgain)
        }
    }
}
