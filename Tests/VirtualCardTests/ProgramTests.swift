import CALSA
import Glibc
import ProcessHandles
import Realtime
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

/// A program running beside the test.
private final class Program {
    private var process: pid_t = 0
    private let handle: ProcessHandle
    private var hasEnded = false

    init(_ words: [String]) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The program's output does not mix with the test's.
        for descriptor in [1 as Int32, 2] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        let code = unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ)
        guard code == 0, let handle = ProcessHandle(process) else { throw ALSACode(code: code) }
        self.handle = handle
    }

    /// Waits for the end; returns the exit code, or -1.
    func exitCode() -> Int32 {
        var status: Int32 = 0
        hasEnded = eventually { unsafe waitpid(process, &status, WNOHANG) == process }
        guard hasEnded else {
            end()
            return -1
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : -1
    }

    /// Kills the program, if it has not ended. A process that nothing waits for would keep tests with processes of
    /// their own waiting for ever.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        var status: Int32 = 0
        handle.send(SIGKILL)
        unsafe waitpid(process, &status, 0)
    }

    deinit { end() }
}

/// Another program does not have the thread sanitizer's runtime, which the plug-in needs if built with the sanitizer.
private let programsCanLoadPlugIn: ConditionTrait = .disabled(
    if: Sanitizers.watchThreads, "aplay cannot load the plug-in")

@Suite("Other programs on a card")
struct ProgramTests {
    private func temporaryFile() -> String {
        var template = Array("\(ALSAConfiguration.directory)/sound-XXXXXX".utf8CString)
        let file = unsafe mkstemp(&template)
        if file >= 0 { close(file) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func bytes(of path: String, from first: Int = 0) -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else { return [] }
        defer { unsafe fclose(file) }
        unsafe fseek(file, first, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: 1 << 22)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    @Test(
        "sound played by aplay arrives in another process, bit for bit and at its frames",
        programsCanLoadPlugIn, arguments: [false, true])
    func aplay(isPlugged: Bool) throws {
        let path = temporaryFile()
        defer { unsafe unlink(path) }
        var generator = SeededGenerator(seed: 5)
        let sound = samples(SND_PCM_FORMAT_S16_LE, count: 2 * 24_000, &generator)
        let file = try unsafe #require(fopen(path, "w"))
        unsafe fwrite(sound, 1, sound.count, file)
        unsafe fclose(file)
        // A busy machine may keep either program from its buffer, but not each time.
        let cameUndisturbed = try (0..<20).contains { _ in try isRecorded(sound, from: path, isPlugged: isPlugged) }
        #expect(cameUndisturbed, "20 runs, and none without an xrun")
    }

    /// Compares aplay's sound with the recording, if neither had an xrun.
    private func isRecorded(_ sound: [UInt8], from path: String, isPlugged: Bool) throws -> Bool {
        let rig = try VirtualCardRig()
        var setup = Stream.Setup()
        setup.format = SND_PCM_FORMAT_S16_LE
        setup.channelCount = 2
        setup.periodFrames = 4096
        setup.periodCount = 8
        let recorder = try Stream(rig.name, .capture, setup)
        try #require(recorder.start() == 0)
        let name = isPlugged ? rig.pluggedName : rig.name
        let program = try Program(
            ["aplay", "-q", "-D", name, "-t", "raw", "-f", "S16_LE", "-c", "2", "-r", "48000", path])
        var recorded: [UInt8] = []
        // Starting a program takes time: the recording includes the silence before the sound, for two minutes at most.
        var end = 4 * 48_000 * 120
        while recorded.count < end {
            guard recorder.wait() == 1, let bytes = try? recorder.read(4096) else { return false }
            recorded += bytes
            guard rig.truth(.playback).starts > 0 else { continue }
            end = Int(rig.truth(.playback).startFrame - rig.truth(.capture).startFrame) * 4 + sound.count
        }
        #expect(program.exitCode() == 0)
        let truth = rig.truth(.playback)
        guard truth.xruns == 0 else { return false }
        let offset = Int(truth.startFrame - rig.truth(.capture).startFrame) * 4
        try #require(truth.opens == 1 && offset > 0)
        #expect(Array(recorded.dropFirst(offset).prefix(sound.count)) == sound)
        return true
    }

    @Test("aplay is refused a card in use, and ends with an error when its card is unplugged", programsCanLoadPlugIn)
    func aplayFails() throws {
        var options = VirtualCardOptions()
        options.playbackFaults = "unplug@9600"
        let rig = try VirtualCardRig(options)
        let words = ["aplay", "-q", "-D", rig.name, "-t", "raw", "-f", "S16_LE", "-c", "2", "-r", "48000", "/dev/zero"]
        do {
            let player = try Stream(rig.name, .playback)
            #expect(try Program(words).exitCode() == 1)
            #expect(player.state == SND_PCM_STATE_PREPARED)
        }
        #expect(try Program(words).exitCode() == 1)
        #expect(rig.truth(.playback).faults == [.unplug: 1] && rig.truth(.playback).framesMoved == 9600)
    }

    @Test("two processes on one virtual clock lose no frame to each other's haste", programsCanLoadPlugIn)
    func sharedVirtualClock() throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        let path = temporaryFile()
        defer { unsafe unlink(path) }
        options.recordPath = path
        let rig = try VirtualCardRig(options)
        var setup = Stream.Setup()
        setup.format = SND_PCM_FORMAT_S16_LE
        let recorder = try Stream(rig.name, .capture, setup)
        // The recorder comes first: time does not pass beyond the buffer of an unserved recorder, so the other program
        // does not end unheard.
        try #require(recorder.start() == 0)
        let program = try Program(
            ["aplay", "-q", "-D", rig.name, "-t", "raw", "-f", "S16_LE", "-r", "48000", "-d", "600", "/dev/urandom"])
        // The recording before the sound is discarded.
        func skip() -> Bool { recorder.wait() == 1 && (try? recorder.read(256)) != nil }
        var isServed = true
        let isPlaying = rig.waits {
            isServed = isServed && skip()
            return !isServed || rig.truth(.playback).isRunning
        }
        try #require(isPlaying && isServed)
        func offsetOfNext() -> Int {
            Int(rig.truth(.capture).startFrame - rig.truth(.playback).startFrame) + recorder.framesRead
        }
        while offsetOfNext() < 0 { try #require(skip()) }
        let offset = offsetOfNext()
        var recorded: [UInt8] = []
        while recorded.count < 2 * 48_000 {
            try #require(recorder.wait() == 1)
            recorded += try recorder.read(256)
        }
        _ = recorder.drop()
        program.end()
        try #require(offset >= 0)
        let played = Array(bytes(of: path, from: offset * 2).prefix(recorded.count))
        #expect(played == Array(recorded.prefix(played.count)) && played.count > 48_000)
        #expect(rig.truth(.playback).xruns == 0 && rig.truth(.capture).xruns == 0)
    }

    @Test("a killed program no longer holds the virtual clock", programsCanLoadPlugIn)
    func killedOnVirtualClock() throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        let rig = try VirtualCardRig(options)
        let recorder = try Stream(rig.name, .capture)
        try #require(recorder.start() == 0)
        let program = try Program(
            ["aplay", "-q", "-D", rig.name, "-t", "raw", "-f", "S16_LE", "-r", "48000", "/dev/zero"])
        func skip() -> Bool { recorder.wait() == 1 && (try? recorder.read(256)) != nil }
        var isServed = true
        let isPlaying = rig.waits {
            isServed = isServed && skip()
            return !isServed || rig.truth(.playback).isRunning
        }
        try #require(isPlaying && isServed)
        program.end()
        // Five seconds, longer than the killed program's buffer lasts.
        for _ in 0..<1000 { try #require(skip()) }
    }

    @Test(
        "signals that interrupt a blocking program's waits cost the program no frame",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"))
    func signals() async {
        await #expect(processExitsWith: .success) {
            // Where the machine itself delays the program for too long, the test tries again.
            var code: Int32 = 0
            for _ in 0..<10 {
                code = try Self.playBesideSignals()
                if code == 0 { break }
            }
            exit(code)
        }
    }

    /// Signals taken by the playing thread.
    private static let interruptions = Atomic<Int>(0)

    /// Plays while signals come. The alarm and its timer belong to the end of a process that hangs (Tests/CExitTests).
    ///
    /// - Returns: 0, or a number for the error.
    private static func playBesideSignals() throws -> Int32 {
        let rig = try VirtualCardRig()
        // Two thirds of a second, so that the machine's own delays are seldom taken for lost frames.
        var setup = Stream.Setup()
        (setup.periodFrames, setup.periodCount) = (4096, 8)
        let player = try Stream(rig.name, .playback, setup, mode: 0)
        let first = interruptions.load(ordering: .relaxed)
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in ProgramTests.interruptions.add(1, ordering: .relaxed) }
        guard unsafe sigaction(SIGUSR1, &action, nil) == 0 else { return 5 }
        // Threads of the test library block signals, which would then all come to the main thread.
        var number = sigset_t()
        unsafe sigemptyset(&number)
        unsafe sigaddset(&number, SIGUSR1)
        unsafe pthread_sigmask(SIG_UNBLOCK, &number, nil)
        let playing = pthread_self()
        let isOver = Atomic<Bool>(false)
        let sender = PlainThread(name: "sender") {
            while !isOver.load(ordering: .acquiring) {
                pthread_kill(playing, SIGUSR1)
                usleep(700)
            }
        }
        guard let sender else { return 6 }
        defer {
            isOver.store(true, ordering: .releasing)
            sender.join()
        }
        var generator = SeededGenerator(seed: 6)
        let sound = samples(SND_PCM_FORMAT_S32_LE, count: 60_000, &generator)
        guard player.write(Array(sound.prefix(32_768 * 4))) == 32_768, player.start() == 0 else { return 1 }
        guard player.write(Array(sound.dropFirst(32_768 * 4))) == 60_000 - 32_768 else { return 2 }
        guard unsafe snd_pcm_drain(player.pcm) == 0 else { return 3 }
        let truth = rig.truth(.playback)
        guard truth.xruns == 0, truth.framesTransferred == 60_000, truth.framesMoved == 60_000 else { return 4 }
        // Of some 1,700 in the time of the sound. A busy machine may delay the sender.
        return interruptions.load(ordering: .relaxed) >= first + 20 ? 0 : 7
    }
}
