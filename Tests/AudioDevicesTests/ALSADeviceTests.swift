import CALSA
import Glibc
import Testing

@testable import AudioDevices

@Suite("Missing, picky and odd system devices")
struct ALSADeviceTests {
    private func request(rate: Int = 48_000, channels: Int = 2, clock: StreamClock = .real) throws -> StreamRequest {
        try StreamRequest(sampleRate: rate, channelCount: channels, periodFrames: 64, clock: clock)
    }

    private func failure(_ name: String, _ request: StreamRequest) -> DeviceError? {
        _ = ALSARig.directory
        return #expect(throws: DeviceError.self) { try openOutput(.system(name), request) }
    }

    @Test(
        "a device with an unknown name is refused, and the error names the remedy",
        arguments: ["nosuch", "nosuch:0,1", ""])
    func unknownDevice(name: String) throws {
        let error = failure(name, try request())
        #expect(error?.kind == .unknownDevice)
        #expect(error?.remedy.contains("woodshed devices") == true)
    }

    @Test("without a sound card the default device is refused, and the remedy names null and a file")
    func noCard() throws {
        _ = ALSARig.directory
        // A machine with cards has no card with the number of the rig's default.
        let expected: DeviceError.Kind = ALSALibrary.hasCard ? .unknownDevice : .noDevice
        let error = failure("default", try request())
        #expect(error?.kind == expected)
        guard expected == .noDevice else { return }
        #expect(error?.remedy.contains("null") == true && error?.remedy.contains("file:") == true)
    }

    @Test("alsa-lib's messages do not reach the terminal")
    func silence() async {
        await #expect(processExitsWith: .success) {
            _ = ALSARig.directory
            let path = temporaryPath()
            let file = unsafe open(path, O_RDWR | O_CREAT, 0o600)
            dup2(file, 1)
            dup2(file, 2)
            let request = try StreamRequest(sampleRate: 48_000, channelCount: 2)
            for name in ["default", "nosuch", "hw:30", "nothing"] { _ = try? openOutput(.system(name), request) }
            _ = availableOutputs()
            let isSilent = lseek(file, 0, SEEK_END) == 0
            unsafe unlink(path)
            exit(isSilent ? 0 : 1)
        }
    }

    @Test("a device that supports none of the formats is refused for its format")
    func refusedFormat() throws {
        #expect(failure("nothing", try request())?.kind == .formatRefused)
    }

    @Test("the virtual clock is refused for a system device, and the remedy names null and a file")
    func virtualClock() throws {
        let error = failure("void", try request(clock: .virtual))
        #expect(error?.kind == .invalidRequest)
        #expect(error?.remedy.contains("null") == true && error?.remedy.contains("file:") == true)
    }

    @Test("a device without floats is given the widest integers it supports")
    func nextFormat() throws {
        #expect(try play("integers", request()).formatName == "S32_LE")
    }

    @Test("a device of two channels keeps two when one or five are requested", arguments: [1, 2, 5])
    func nearestChannels(asked: Int) throws {
        _ = ALSARig.directory
        #expect(try openOutput(.system("pair"), request(channels: asked)).configuration.channelCount == 2)
    }

    @Test("a device that accepts no more frames is given up with a typed error, and without busy waiting")
    func deadDevice() async {
        await #expect(processExitsWith: .success) {
            _ = ALSARig.directory
            let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: 64)
            let stream = try openOutput(.system("pair"), request)
            // The start of the process does not count.
            let before = processorMicroseconds()
            try stream.start(TestSound(frameCount: .max, channelCount: 2).callbacks())
            do {
                try stream.waitUntilFinished()
                exit(1)
            } catch {
                guard (error as? DeviceError)?.kind == .lost else { exit(2) }
            }
            // The device waits for a second; polling without rest would take all of that second.
            exit(processorMicroseconds() - before < 500_000 ? 0 : 3)
        }
    }

    @Test("the rate is read back from the device, not taken from the request")
    func nearestRate() throws {
        #expect(try play("slow", request(rate: 48_000)).sampleRate == 44_100)
        #expect(try play("slow", request(rate: 44_100)).sampleRate == 44_100)
    }

    @Test(
        "a block is never longer than in the configuration, whatever period is requested",
        arguments: [1, 63, 64, 8192])
    func periods(period: Int) throws {
        _ = ALSARig.directory
        let sound = TestSound(frameCount: 20_001, channelCount: 2)
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: period, periodCount: 2)
        let stream = try openOutput(.system("void"), request)
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        #expect(sound.blockLengths.allSatisfy { $0 == stream.configuration.periodFrames })
        #expect(stream.configuration.periodFrames == period)
        #expect(stream.configuration.bufferFrames >= 2 * period)
        #expect(stream.position == StreamPosition(framesWritten: 20_001, delayFrames: 0))
    }

    @Test("an error number of ALSA gives the kind of error on which a caller can act")
    func kinds() {
        let kinds: [(Int32, DeviceError.Kind)] = [
            (EBUSY, .busy), (EACCES, .permissionDenied), (EPERM, .permissionDenied), (ECONNREFUSED, .noDevice),
            (ENOENT, .unknownDevice), (EINVAL, .unknownDevice), (ENOMEM, .io),
        ]
        _ = ALSARig.directory
        for (code, kind) in kinds {
            let error = ALSALibrary.quietly { DeviceError.opening("nosuch", .output, code: -code) }
            #expect(error.kind == kind)
            #expect(error.message.contains("nosuch") && !error.remedy.isEmpty)
            let input = ALSALibrary.quietly { DeviceError.opening("nosuch", .input, code: -code) }
            #expect(input.kind == kind && !input.remedy.contains("play to"))
        }
        #expect(DeviceError.failed("x", doing: "play", code: -ENODEV).kind == .lost)
    }

    @Test("the list of inputs has devices for both directions, and no device for output only")
    func inputs() {
        _ = ALSARig.directory
        let inputs = availableInputs()
        #expect(inputs.suffix(2).map(\.name) == ["null", "file:PATH"])
        #expect(inputs.dropLast(2).map(\.name).sorted() == ["default", "void"])
        // Only devices of real cards are listed with a direction.
        let directions: [String?] = [nil, "Input", "Output"]
        #expect(directions.map { ALSALibrary.belongs($0, to: .input) } == [true, true, false])
        #expect(directions.map { ALSALibrary.belongs($0, to: .output) } == [true, false, true])
        #expect(inputs.allSatisfy { $0.side == .input } && availableOutputs().allSatisfy { $0.side == .output })
    }

    @Test("the list of outputs ends with null and file, names no device twice, and marks the default")
    func enumeration() {
        _ = ALSARig.directory
        let outputs = availableOutputs()
        #expect(outputs.suffix(2).map(\.name) == ["null", "file:PATH"])
        #expect(outputs.suffix(2).map(\.kind) == [.null, .file])
        #expect(Set(outputs.map(\.name)).count == outputs.count)
        // The rig gives hints for these devices alone.
        #expect(outputs.dropLast(2).map(\.name).sorted() == ["default", "void"])
        #expect(outputs.filter(\.isDefault).map(\.name) == ["default"])
        #expect(outputs.first { $0.name == "void" }?.description == "Plays, into nothing")
        #expect(outputs.allSatisfy { !$0.description.contains("\n") })
    }

    /// Plays a little on a device and returns the accepted configuration.
    private func play(_ name: String, _ request: StreamRequest) throws -> StreamConfiguration {
        _ = ALSARig.directory
        let sound = TestSound(frameCount: 1000, channelCount: request.channelCount)
        let stream = try openOutput(.system(name), request)
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        #expect(stream.statistics.framesRendered == 1000)
        return stream.configuration
    }
}
