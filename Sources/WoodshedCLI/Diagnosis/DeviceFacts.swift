// Findings of `doctor` about the output and the input.
import Woodshed

/// A device, and the result of opening the device.
struct DeviceFacts {
    /// The requested name.
    let name: String
    /// The intended direction.
    let side: StreamIncident.Side
    /// The device's settings, or the error from opening it.
    let opening: Result<StreamConfiguration, DeviceError>
    /// Programs holding a busy device open.
    var holders: [DeviceHolder] = []
    /// Controls of the device's mixer; empty without a mixer.
    var controls: [MixerControl] = []

    /// The name of the mixer.
    var mixer: String { mixerName(of: name) }
}

extension DeviceFacts {
    /// Opens an output, closes it at once, and reads its mixer. Plays nothing.
    init(_ device: OutputDevice, _ files: SystemFiles) {
        self.init("\(device)", .output, files) { request throws(DeviceError) in
            let stream = try openOutput(device, request)
            stream.stop()
            return stream.configuration
        }
        readMixer()
    }

    /// Opens an input, closes it at once, and reads its mixer. Records nothing.
    init(_ device: InputDevice, _ files: SystemFiles) {
        self.init("\(device)", .input, files) { request throws(DeviceError) in
            let stream = try openInput(device, request)
            stream.stop()
            return stream.configuration
        }
        readMixer()
    }

    /// Timeout of a device, in seconds. Opening a busy device is retried for a second, and a sound server may be slow.
    /// A slower device counts as unresponsive.
    private static let patienceSeconds = 5.0

    /// Reads the mixer, unless the device is unresponsive: mixer and device belong to the same card or server.
    private mutating func readMixer() {
        if case .failure(let error) = opening, error.kind == .unresponsive { return }
        if name != "null", !name.hasPrefix("file:") { controls = mixerControls(mixer) }
    }

    private init(
        _ name: String, _ side: StreamIncident.Side, _ files: SystemFiles,
        opened: @escaping @Sendable (StreamRequest) throws(DeviceError) -> StreamConfiguration
    ) {
        self.name = name
        self.side = side
        do throws(DeviceError) {
            let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, realtimePriority: nil)
            let answer = PendingAnswer(name) { () throws(DeviceError) in try opened(request) }
            opening = .success(try answer.wait(seconds: Self.patienceSeconds))
        } catch {
            opening = .failure(error)
            if error.kind == .busy { holders = files.holders(of: name, side) }
        }
    }
}
