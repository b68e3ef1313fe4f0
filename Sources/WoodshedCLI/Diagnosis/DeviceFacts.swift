// What `doctor` finds out about the output and the input.
import Woodshed

/// A device, and the result of opening it.
struct DeviceFacts {
    /// The name with which it was requested.
    let name: String
    /// The direction in which it would be used.
    let side: StreamIncident.Side
    /// Its settings, or why it could not be opened.
    let opening: Result<StreamConfiguration, DeviceError>
    /// The programs that have it open, if it is busy.
    var holders: [DeviceHolder] = []
    /// The controls of its mixer; none when it has none.
    var controls: [MixerControl] = []

    /// The name of the mixer.
    var mixer: String { mixerName(of: name) }
}

extension DeviceFacts {
    /// Opens an output, closes it at once, and reads its mixer. Nothing is played.
    init(_ device: OutputDevice, _ files: SystemFiles) {
        self.init("\(device)", .output, files) { request throws(DeviceError) in
            let stream = try openOutput(device, request)
            stream.stop()
            return stream.configuration
        }
        readMixer()
    }

    /// Opens an input, closes it at once, and reads its mixer. Nothing is recorded.
    init(_ device: InputDevice, _ files: SystemFiles) {
        self.init("\(device)", .input, files) { request throws(DeviceError) in
            let stream = try openInput(device, request)
            stream.stop()
            return stream.configuration
        }
        readMixer()
    }

    /// Opening a busy device is retried for a second, and a sound server may be slow; a device that takes longer does not answer.
    private static let patienceSeconds = 5.0

    /// Reads the mixer of a device that answers; it belongs to the same card or server.
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
