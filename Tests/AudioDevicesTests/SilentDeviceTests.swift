import Glibc
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices

/// Devices without an answering server, and their effect on all other devices.
@Suite("Devices that do not answer")
struct SilentDeviceTests {
    private let request: StreamRequest

    init() throws {
        request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: 256, realtimePriority: nil)
    }

    /// Runs `body` on a thread of its own and returns whether `body` returned; two minutes are patience, not a measure.
    private func comesBack(_ body: @escaping @Sendable () throws(DeviceError) -> Void) -> Bool {
        do throws(DeviceError) {
            try PendingAnswer("test", body).wait(seconds: 120)
            return true
        } catch {
            Issue.record("\(error)")
            return false
        }
    }

    @Test("a device that never answers delays no stop of another stream, no opening and no list")
    func nobodyWaits() throws {
        let (healthy, other, silent) = (try VirtualCardRig(), try VirtualCardRig(), try VirtualCardRig())
        silent.silence(.playback, true)
        defer { silent.silence(.playback, false) }
        let stream = try openOutput(.system(healthy.name), request)
        try stream.start(StreamCallbacks(render: { $0.frameCount }))
        let (name, request) = (silent.name, request)
        let opening = PendingAnswer(name) { () throws(DeviceError) in try openOutput(.system(name), request).stop() }
        #expect(silent.waits { silent.truth(.playback).waiting == 1 })
        #expect(comesBack { () throws(DeviceError) in stream.stop() })
        #expect(!healthy.truth(.playback).isOpen)
        let otherName = other.name
        #expect(comesBack { () throws(DeviceError) in try openOutput(.system(otherName), request).stop() })
        #expect(comesBack { () throws(DeviceError) in _ = (availableOutputs(), availableInputs()) })
        #expect(comesBack { () throws(DeviceError) in _ = mixerControls("heard") })
        #expect(silent.truth(.playback).waiting == 1)
        // The caller goes on when an answer comes after all.
        silent.silence(.playback, false)
        try opening.wait(seconds: 120)
        #expect(silent.truth(.playback).opens == 1)
    }

    // Like a USB card that no longer answers: closing waits for the driver for five seconds.
    @Test(
        "a device that no longer answers during use is reported as lost before it can be closed",
        arguments: [TrialMode.playback, .capture])
    func closing(mode: TrialMode) throws {
        var options = VirtualCardOptions()
        // For hours: the device must not go on while the machine holds up its thread.
        let fault = "freeze@4800:10000000"
        if mode == .capture { options.captureFaults = fault } else { options.playbackFaults = fault }
        let rig = try VirtualCardRig(options)
        let core = try StreamCore(
            ALSABackend(
                output: mode == .capture ? nil : rig.name, input: mode == .playback ? nil : rig.name, request), request)
        for direction in mode.directions { rig.silence(direction, true) }
        try core.start(StreamWork(DuplexCallbacks(process: { max($0.output.frameCount, $0.input.frameCount) })))
        let end = PendingAnswer(rig.name) { () throws(DeviceError) in try core.waitUntilFinished() }
        let error = #expect(throws: DeviceError.self) { try end.wait(seconds: 120) }
        #expect(error?.lossCause == (mode == .capture ? .stoppedDelivering : .stoppedTaking))
        #expect(core.ledger.takeIncidents().last?.kind == .lost)
        #expect(mode.directions.allSatisfy { rig.truth($0).isOpen })
        // The device closes as soon as possible.
        for direction in mode.directions { rig.silence(direction, false) }
        #expect(rig.waits { mode.directions.allSatisfy { !rig.truth($0).isOpen } })
    }

    @Test("an output looking for its lost device can be stopped while the device does not answer")
    func silentReturn() throws {
        let rig = try VirtualCardRig()
        let output = try KeptOutput(
            .system(rig.name), request, policy: .wait,
            callbacks: KeeperCallbacks(
                interrupted: { _, _ in }, returned: { _, _, _ in }, missing: { _, _, _ in }, takesWish: { false }))
        try output.start(StreamCallbacks(render: { $0.frameCount }))
        rig.inject(.unplug, .playback)
        // The lost device is closed by then.
        #expect(rig.waits { output.interruptions == 1 })
        rig.silence(.playback, true)
        defer { rig.silence(.playback, false) }
        #expect(rig.waits { rig.truth(.playback).waiting == 1 })
        rig.plugIn()
        #expect(comesBack { () throws(DeviceError) in output.stop() })
        #expect(rig.truth(.playback).waiting == 1)
        // The device closes once it answers.
        rig.silence(.playback, false)
        #expect(rig.waits { rig.truth(.playback).opens == 2 && !rig.truth(.playback).isOpen })
    }

    @Test("a query of abilities reports an unresponsive device, and a later answer closes the device")
    func unresponsive() throws {
        let rig = try VirtualCardRig()
        rig.silence(.capture, true)
        let device = DeviceDescription(name: rig.name, description: "", side: .input, isDefault: false, kind: .system)
        let error = #expect(throws: DeviceError.self) { try device.abilities(within: 0.05) }
        #expect(error?.kind == .unresponsive && error?.message.contains(rig.name) == true)
        rig.silence(.capture, false)
        #expect(rig.waits { rig.truth(.capture).opens == 1 && !rig.truth(.capture).isOpen })
        #expect(try device.abilities(within: 120).channelCounts == 1...8)
    }

    @Test(
        "the wait for a device's answer may be any number",
        arguments: [Double.infinity, 1e10, 0, -1, -.infinity, .nan])
    func anyWait(seconds: Double) throws {
        let answer = PendingAnswer<Int>("test") { 7 }
        #expect(try answer.wait(seconds: 120) == 7)
        #expect(try answer.wait(seconds: seconds) == 7)
    }

    @Test("a device reports its formats, channels and rates, without those of the other direction")
    func abilities() throws {
        var options = VirtualCardOptions()
        options.formats = ["S16_LE", "S32_LE"]
        options.channels = 2...6
        options.rates = [44_100, 48_000, 96_000]
        let rig = try VirtualCardRig(options)
        for side in StreamIncident.Side.allCases {
            let device = DeviceDescription(name: rig.name, description: "", side: side, isDefault: false, kind: .system)
            let abilities = try device.abilities(within: 120)
            #expect(abilities.formats == ["S16_LE", "S32_LE"] && abilities.channelCounts == 2...6)
            #expect(abilities.sampleRates == 44_100...96_000 && abilities.usualRates == [44_100, 48_000, 96_000])
            #expect(abilities.description == "S16_LE, S32_LE; 2 to 6 channels; 44100 to 96000 Hz")
        }
        #expect(rig.truth(.playback).opens == 1 && rig.truth(.capture).opens == 1)
        #expect(!rig.truth(.playback).isOpen && !rig.truth(.capture).isOpen)
    }

    @Test("a device in use is reported as busy at once, a missing device as unknown; null supports all")
    func others() throws {
        let rig = try VirtualCardRig()
        let stream = try openOutput(.system(rig.name), request)
        defer { stream.stop() }
        func kind(_ name: String) -> DeviceError.Kind? {
            let device = DeviceDescription(name: name, description: "", side: .output, isDefault: false, kind: .system)
            return #expect(throws: DeviceError.self) { try device.abilities(within: 120) }?.kind
        }
        #expect(kind(rig.name) == .busy)
        #expect(kind("nosuch") == .unknownDevice)
        for device in (availableOutputs() + availableInputs()) where device.kind != .system {
            let abilities = try device.abilities(within: 120)
            #expect(abilities.channelCounts == 1...64 && abilities.sampleRates == 8000...768_000)
        }
    }

    @Test("devices of several kinds are opened and closed by many threads at once")
    func atOnce() async throws {
        let rigs = try (0..<4).map { _ in try VirtualCardRig() }
        let names = ["void", "integers", "slow", "nosuch"]
        let request = request
        let failures = await withTaskGroup(of: [String].self) { group in
            for thread in 0..<6 {
                group.addTask {
                    var failures: [String] = []
                    for round in 0..<cases(60, few: 20) {
                        // Each uses another rig, because an open rig is busy.
                        let name = thread < 4 && round % 2 == 0 ? rigs[thread].name : names[(thread + round) % 4]
                        do throws(DeviceError) {
                            let stream = try openOutput(.system(name), request)
                            if round % 3 == 0 { try stream.start(StreamCallbacks(render: { $0.frameCount })) }
                            stream.stop()
                        } catch {
                            if name != "nosuch" || error.kind != .unknownDevice { failures.append("\(name): \(error)") }
                        }
                        if round % 10 == thread { _ = (availableOutputs(), mixerControls("heard")) }
                    }
                    return failures
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(failures.isEmpty)
        for rig in rigs { #expect(rig.truth(.playback).opens > 0 && !rig.truth(.playback).isOpen) }
    }
}
