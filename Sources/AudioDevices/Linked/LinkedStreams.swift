/// One duplex stream in two halves, an output for a player and an input for a recorder, on one device thread.
///
/// Both run from the moment at which both were started; until then neither is heard. The output's end ends both; the input's
/// own end leaves the output playing.
public struct LinkedStreams: Sendable {
    /// What plays.
    public let output: any OutputStream
    /// What records.
    public let input: any InputStream
    private let link: StreamLink

    /// Takes a duplex stream apart that was not started. Real-time safe: no.
    public init(_ duplex: any DuplexStream) {
        link = StreamLink(duplex)
        output = LinkedOutput(link)
        input = LinkedInput(link)
    }

    /// The output's frame *n* leaves the device while it records the input's frame *n* + this; nil before the first block.
    ///
    /// It is ``DuplexBlock/roundTripFrames`` as of the last block, and changes only when a device was started again. What
    /// converters, cables and air add is not in it. Real-time safe: yes.
    public var roundTripFrames: Int64? { link.roundTripFrames }
}

/// The output of a link.
final class LinkedOutput: OutputStream {
    private let link: StreamLink

    init(_ link: StreamLink) { self.link = link }

    var configuration: StreamConfiguration { link.duplex.outputConfiguration }
    var position: StreamPosition { link.duplex.position }
    var statistics: StreamStatistics { link.duplex.statistics }
    func takeIncidents() -> [StreamIncident] { link.duplex.takeIncidents() }
    func start(_ callbacks: StreamCallbacks) throws(DeviceError) { try link.start(output: callbacks) }
    func stop() { link.stop() }
    func waitUntilFinished() throws(DeviceError) { try link.duplex.waitUntilFinished() }
}

/// The input of a link. Incidents of the device are reported once, by the output.
final class LinkedInput: InputStream {
    private let link: StreamLink

    init(_ link: StreamLink) { self.link = link }

    var configuration: StreamConfiguration { link.duplex.inputConfiguration }
    var position: CapturePosition { link.duplex.inputPosition }
    var statistics: StreamStatistics { link.duplex.statistics }
    func takeIncidents() -> [StreamIncident] { [] }
    func start(_ callbacks: CaptureCallbacks) throws(DeviceError) { try link.start(input: callbacks) }
    func stop() { link.stopInput() }
    func waitUntilFinished() throws(DeviceError) { try link.waitForInput() }
}
