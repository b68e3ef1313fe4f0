// Opening: chooses the backend for a device, a sound card or a stand-in.
internal import RunLog

/// Opens an output for playing.
///
/// The device stays open until the stream is stopped, has ended or is released. Without a sound card, `default` fails
/// at once with `noDevice`. If another program holds the device, opening is retried for up to a second, then throws
/// `busy`. A file is created here, under a temporary name until the stream ends.
/// Throws the error of the device, with the remedy. Real-time safe: no.
public func openOutput(
    _ device: OutputDevice, _ request: StreamRequest = StreamRequest()
) throws(DeviceError) -> any OutputStream {
    try logged("output \(device)") { () throws(DeviceError) -> any OutputStream in
        switch device {
        case .system(let name):
            return try DeviceOutput(StreamCore(ALSABackend(output: name, request), request))
        case .null, .file:
            return try DeviceOutput(StreamCore(ClockedBackend(output: device, request), request))
        }
    } shown: {
        $0.configuration.logText
    }
}

/// Opens an input for recording.
///
/// The device stays open until the stream is stopped, has ended or is released. If another program holds the device,
/// opening is retried for up to a second, then throws `busy`. A file is opened here, and keeps its own rate and
/// channels whatever the request; its end ends the stream. Throws the error of the device, with the remedy. Real-time
/// safe: no.
public func openInput(
    _ device: InputDevice, _ request: StreamRequest = StreamRequest()
) throws(DeviceError) -> any InputStream {
    try logged("input \(device)") { () throws(DeviceError) -> any InputStream in
        switch device {
        case .system(let name):
            return try DeviceInput(StreamCore(ALSABackend(input: name, request), request))
        case .null, .file:
            return try DeviceInput(StreamCore(ClockedBackend(input: device, request), request))
        }
    } shown: {
        $0.configuration.logText
    }
}

/// Opens an output and an input that run together.
///
/// Both must be system devices, or both files or `null`. Two system devices without a common clock (see `clocks`) run
/// on one thread each. The input is converted to the output's rate and clock, within ± 1000 ppm of its nominal rate;
/// ``StreamStatistics/inputClockPPM`` is the measured difference. With one clock, rates that cannot be made equal throw
/// `formatRefused`. An input file is converted to the output's rate, and is silent after its end. `channelCount` of the
/// request is the output's; `inputChannelCount` is the input's, by default the same. Throws the error of the device,
/// with the remedy. Real-time safe: no.
public func openDuplex(
    output: OutputDevice, input: InputDevice, inputChannelCount: Int? = nil, clocks: DuplexClocks = .automatic,
    _ request: StreamRequest = StreamRequest()
) throws(DeviceError) -> any DuplexStream {
    try logged("output \(output) and input \(input)") { () throws(DeviceError) -> any DuplexStream in
        let inputRequest = try inputChannelCount.map { (count) throws(DeviceError) in
            try request.with(channelCount: count)
        }
        switch (output, input) {
        case (.system(let outputName), .system(let inputName)):
            return try ALSABackend.duplex(
                output: outputName, input: inputName, request, inputRequest: inputRequest ?? request, clocks: clocks)
        case (.system, _), (_, .system):
            throw DeviceError(
                kind: .invalidRequest, message: "\(output) and \(input) have no clock in common",
                remedy: "Play and record on one card, or use files and null for both.")
        default:
            let backend = try ClockedBackend(
                output: output, input: input, request, inputRequest: inputRequest ?? request)
            return try DeviceDuplex(StreamCore(backend, request))
        }
    } shown: {
        $0.outputConfiguration.logText
    }
}

/// Opens a device, and logs the result.
private func logged<Stream>(
    _ what: String, _ open: () throws(DeviceError) -> Stream, shown: (Stream) -> String
) throws(DeviceError) -> Stream {
    do throws(DeviceError) {
        let stream = try open()
        RunLog.note(.audio, .info, "opened \(what): \(shown(stream))")
        return stream
    } catch {
        RunLog.note(.audio, .error, "cannot open \(what): \(error.message)")
        throw error
    }
}

extension StreamConfiguration {
    fileprivate var logText: String {
        "\(sampleRate) Hz, \(channelCount) channels, \(periodFrames) of \(bufferFrames) frames, \(formatName), \(accessName)"
    }
}
