/// One duplex stream in two halves, an output for a player and an input for a recorder, on one device thread.
///
/// Both halves run once both are started; before, neither is heard. The end of the output ends both; the end of the
/// input leaves the output playing.
public struct LinkedStreams: Sendable {
    /// The half for a player.
    package let output: any OutputStream
    /// The half for a recorder.
    package let input: any InputStream
    private let link: StreamLink

    /// Splits a duplex stream before the start. Real-time safe: no.
    public init(_ duplex: any DuplexStream) {
        link = StreamLink(duplex)
        output = LinkedOutput(link)
        input = LinkedInput(link)
    }

    /// The round trip: while frame *n* of the output leaves the device, frame *n* + `roundTripFrames` of the input is
    /// recorded; nil before the first block.
    ///
    /// The value is ``DuplexBlock/roundTripFrames`` as of the last block, and changes when a device is restarted, and
    /// at most once more afterwards, usually within half a second of the restart. Excludes the latency of converters,
    /// cables and air. Real-time safe: yes.
    public var roundTripFrames: Int64? { link.roundTripFrames }

    /// The round trip as of the block with this output frame, also if a device was restarted since; nil before the
    /// first block.
    ///
    /// The last 64 changes are remembered; earlier frames get the oldest remembered value. Real-time safe: no.
    package func roundTripFrames(ofOutputFrame frame: Int64) -> Int64? { link.roundTripFrames(ofOutputFrame: frame) }

    /// Adds the input to the output, as it arrives: the players hear themselves through the device, later by the round
    /// trip.
    ///
    /// - Parameter channels: The audible channels of the input, from 0. A single channel is heard on every channel of
    ///   the output; of several channels, each is heard on the output channel at the same place in this list. An empty
    ///   list ends the monitoring. Channels missing in the input are left out. Real-time safe: no.
    public func monitor(_ channels: [Int]) { link.monitor(channels) }
}

/// The output of a link.
final class LinkedOutput: OutputStream, EndingStream {
    private let link: StreamLink

    init(_ link: StreamLink) { self.link = link }

    var clock: StreamClock { link.duplex.clock }
    var configuration: StreamConfiguration { link.duplex.outputConfiguration }
    var position: StreamPosition { link.duplex.position }
    var statistics: StreamStatistics { link.duplex.statistics }
    var hasEnded: Bool { link.hasEnded }
    func takeIncidents() -> [StreamIncident] { link.duplex.takeIncidents() }
    func start(_ callbacks: StreamCallbacks) throws(DeviceError) { try link.start(output: callbacks) }
    func stop() { link.stop() }
    func waitUntilFinished() throws(DeviceError) { try link.waitForOutput() }
}

/// The input of a link. Incidents of the device are reported once, by the output.
final class LinkedInput: InputStream, ScheduledStream {
    private let link: StreamLink

    init(_ link: StreamLink) { self.link = link }

    var clock: StreamClock { link.duplex.clock }
    var configuration: StreamConfiguration { link.duplex.inputConfiguration }
    var position: CapturePosition { link.duplex.inputPosition }
    var statistics: StreamStatistics { link.duplex.statistics }
    var asksForPriority: Bool { (link.duplex as? any ScheduledStream)?.asksForPriority == true }
    func takeIncidents() -> [StreamIncident] { [] }
    func start(_ callbacks: CaptureCallbacks) throws(DeviceError) { try link.start(input: callbacks) }
    func stop() { link.stopInput() }
    func waitUntilFinished() throws(DeviceError) { try link.waitForInput() }
}
