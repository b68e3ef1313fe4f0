/// One duplex stream in two halves, an output for a player and an input for a recorder, on one device thread.
///
/// Both run from the moment at which both are started; before that neither is heard. The end of the output ends both; the end of the
/// input leaves the output playing.
public struct LinkedStreams: Sendable {
    /// The half for a player.
    public let output: any OutputStream
    /// The half for a recorder.
    public let input: any InputStream
    private let link: StreamLink

    /// Splits a duplex stream that was not started. Real-time safe: no.
    public init(_ duplex: any DuplexStream) {
        link = StreamLink(duplex)
        output = LinkedOutput(link)
        input = LinkedInput(link)
    }

    /// The round trip: while frame *n* of the output leaves the device, frame *n* + `roundTripFrames` of the input is recorded; nil
    /// before the first block.
    ///
    /// It is ``DuplexBlock/roundTripFrames`` as of the last block, and changes when a device is restarted, and once in the half second after that. The
    /// latency of converters, cables and air is not included. Real-time safe: yes.
    public var roundTripFrames: Int64? { link.roundTripFrames }

    /// The round trip as of the block with this output frame, also if a device was restarted since; nil before the first block.
    ///
    /// The last 64 changes are remembered; frames before them get the oldest of these. Real-time safe: no.
    public func roundTripFrames(ofOutputFrame frame: Int64) -> Int64? { link.roundTripFrames(ofOutputFrame: frame) }

    /// Adds the input to what is played, as it arrives: the player hears themselves through the device, later by the round trip.
    ///
    /// - Parameter channels: The channels of the input that are heard, from 0: one is heard on every channel of the output, several each on the
    ///   output channel of the same place in this list. None ends it. Channels that the input does not have are left out. Real-time safe: no.
    public func monitor(_ channels: [Int]) { link.monitor(channels) }
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
    func waitUntilFinished() throws(DeviceError) { try link.waitForOutput() }
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
