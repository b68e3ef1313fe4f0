// The three kinds of stream, with different properties and callbacks.

/// An output stream on any backend.
final class DeviceOutput: OutputStream, EndingStream {
    private let core: StreamCore

    init(_ core: StreamCore) { self.core = core }

    var clock: StreamClock { core.backend.clock }
    var configuration: StreamConfiguration { core.outputConfiguration }
    var position: StreamPosition { core.ledger.position }
    var statistics: StreamStatistics { core.statistics }
    var hasEnded: Bool { core.hasEnded }
    func takeIncidents() -> [StreamIncident] { core.ledger.takeIncidents() }
    func start(_ callbacks: StreamCallbacks) throws(DeviceError) { try core.start(StreamWork(callbacks)) }
    func stop() { core.stop() }
    func waitUntilFinished() throws(DeviceError) { try core.waitUntilFinished() }
}

/// An input stream on any backend.
final class DeviceInput: InputStream, ScheduledStream {
    private let core: StreamCore

    init(_ core: StreamCore) { self.core = core }

    var clock: StreamClock { core.backend.clock }
    var configuration: StreamConfiguration { core.backend.inputConfiguration }
    var position: CapturePosition { core.ledger.inputPosition }
    var statistics: StreamStatistics { core.statistics }
    var asksForPriority: Bool { core.asksForPriority }
    func takeIncidents() -> [StreamIncident] { core.ledger.takeIncidents() }
    func start(_ callbacks: CaptureCallbacks) throws(DeviceError) { try core.start(StreamWork(callbacks)) }
    func stop() { core.stop() }
    func waitUntilFinished() throws(DeviceError) { try core.waitUntilFinished() }
}

/// A duplex stream on any backend.
final class DeviceDuplex: DuplexStream, ScheduledStream {
    private let core: StreamCore

    init(_ core: StreamCore) { self.core = core }

    var clock: StreamClock { core.backend.clock }
    var outputConfiguration: StreamConfiguration { core.outputConfiguration }
    var inputConfiguration: StreamConfiguration { core.backend.inputConfiguration }
    var position: StreamPosition { core.ledger.position }
    var inputPosition: CapturePosition { core.ledger.inputPosition }
    var statistics: StreamStatistics { core.statistics }
    var asksForPriority: Bool { core.asksForPriority }
    func takeIncidents() -> [StreamIncident] { core.ledger.takeIncidents() }
    func start(_ callbacks: DuplexCallbacks) throws(DeviceError) { try core.start(StreamWork(callbacks)) }
    func stop() { core.stop() }
    func waitUntilFinished() throws(DeviceError) { try core.waitUntilFinished() }
}
