// What `doctor` finds out of the devices that would be played on and recorded from.
import Woodshed

/// A device, and what became of opening it.
struct DeviceFacts {
    /// The name it was asked for by.
    let name: String
    /// What would be done with it.
    let side: StreamIncident.Side
    /// What it agreed to, or why it could not be opened.
    let opening: Result<StreamConfiguration, DeviceError>
    /// The program that has it open, when it is busy.
    var holders: [DeviceHolder] = []
    /// The controls of its mixer; none when it has none.
    var controls: [MixerControl] = []

    /// What the mixer is called.
    var mixer: String { mixerName(of: name) }
}

extension DeviceFacts {
    /// Opens a device, closes it at once, and looks at its mixer. Nothing is played.
    init(_ device: OutputDevice, _ files: SystemFiles) {
        self.init("\(device)", .output, files) { request throws(DeviceError) in
            let stream = try openOutput(device, request)
            stream.stop()
            return stream.configuration
        }
        readMixer()
    }

    /// Opens a device to record from, closes it at once, and looks at its mixer. Nothing is recorded.
    init(_ device: InputDevice, _ files: SystemFiles) {
        self.init("\(device)", .input, files) { request throws(DeviceError) in
            let stream = try openInput(device, request)
            stream.stop()
            return stream.configuration
        }
        readMixer()
    }

    /// A device that is busy is waited for by a second, a sound server may be slow; one that takes longer does not answer.
    private static let patienceSeconds = 5.0

    /// Of a device that answers, and of its mixer: it belongs to the same card or server.
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
