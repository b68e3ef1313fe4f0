internal import CALSA
internal import Explanations
internal import Glibc
internal import Realtime

/// The ALSA sequencer: a port of this program, connected to a controller by a given name or by `aconnect`.
@safe
package final class SequencerSource: ControllerSource, @unchecked Sendable {
    // One thread at a time: first the creator's, then the controllers' thread.
    private let sequencer: OpaquePointer
    private var ports: SequencerPorts
    private let ownPort: Int32
    /// The port to connect to; nil if other programs connect to ours.
    private var wanted: PortName?
    private var connected: SequencerPorts.Port?
    private var isTold = false
    package private(set) var descriptor: Int32 = -1

    /// Number of events after which the thread looks again for its end.
    private static let mostAtOnce = 1000

    /// - Parameter port: Number or name, as in `aconnect -l`; empty creates a port for connections by other programs.
    package init(port: String) throws(ControlError) {
        var opened: OpaquePointer?
        let code = Self.quietly { unsafe snd_seq_open(&opened, "default", SND_SEQ_OPEN_INPUT, SND_SEQ_NONBLOCK) }
        guard code >= 0, let sequencer = unsafe opened else { throw Self.opening(-code) }
        unsafe self.sequencer = unsafe sequencer
        ports = unsafe SequencerPorts(sequencer)
        wanted = port.isEmpty ? nil : PortName(port)
        unsafe snd_seq_set_client_name(sequencer, "Woodshed")
        ownPort = unsafe snd_seq_create_simple_port(
            sequencer, "control", UInt32(SND_SEQ_PORT_CAP_WRITE | SND_SEQ_PORT_CAP_SUBS_WRITE),
            UInt32(SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION))
        var request = pollfd()
        guard ownPort >= 0, unsafe snd_seq_poll_descriptors(sequencer, &request, 1, Int16(POLLIN)) == 1 else {
            let code = ownPort < 0 ? -ownPort : EIO
            unsafe snd_seq_close(sequencer)
            throw Self.opening(code)
        }
        descriptor = request.fd
        // The system announces new and removed ports.
        _ = unsafe snd_seq_connect_from(
            sequencer, ownPort, Int32(SND_SEQ_CLIENT_SYSTEM), Int32(SND_SEQ_PORT_SYSTEM_ANNOUNCE))
    }

    package func close() { unsafe snd_seq_close(sequencer) }

    private static func quietly<Result>(_ body: () -> Result) -> Result {
        // Uses the thread's own handler, so that the host program's handler for the process stays.
        let previous = unsafe snd_lib_error_set_local { _, _, _, _, _, _ in }
        defer { _ = unsafe snd_lib_error_set_local(previous) }
        return body()
    }

    private static func opening(_ code: Int32) -> ControlError {
        if let limit = SystemLimit(errno: code) { return ControlError(.io, limit, at: "the MIDI sequencer: ") }
        return switch code {
        case ENOENT, ENODEV, ENXIO:
            ControlError(
                .noSequencer, "this machine has no MIDI sequencer: there is no /dev/snd/seq",
                remedy:
                    "Load the sequencer with: sudo modprobe snd-seq; or name a raw device: --control midi:/dev/snd/midiC1D0; "
                    + "or leave controllers out: --control none.")
        case EACCES, EPERM:
            ControlError(
                .permissionDenied, "this user may not open the MIDI sequencer",
                remedy: AudioGroup.remedy)
        default:
            ControlError(
                .io, "the MIDI sequencer cannot be used: \(systemText(code))",
                remedy: "Name a raw device: --control midi:/dev/snd/midiC1D0; or leave controllers out: --control none."
            )
        }
    }

    // MARK: Events

    package func read() -> [ControllerArrival] {
        var arrivals: [ControllerArrival] = []
        var event: UnsafeMutablePointer<snd_seq_event_t>?
        var count = 0
        while true {
            let code = unsafe snd_seq_event_input(sequencer, &event)
            count += 1
            // Some events were lost; the following events are available.
            if code == -ENOSPC { continue }
            guard code >= 0, let event = unsafe event else { return arrivals }
            arrivals += unsafe take(event.pointee)
            // A program may send events faster than they are read. Events already fetched by the library are read
            // first, because poll() does not report them.
            if count >= Self.mostAtOnce, unsafe snd_seq_event_input_pending(sequencer, 0) <= 0 { return arrivals }
        }
    }

    private func take(_ event: snd_seq_event_t) -> [ControllerArrival] {
        let control = unsafe event.data.control
        let note = unsafe event.data.note
        switch unsafe UInt32(event.type) {
        case SND_SEQ_EVENT_CONTROLLER.rawValue:
            // Other programs can send numbers that no MIDI cable carries.
            guard control.param <= 127 else { return [] }
            return Self.message(.control(Int(control.param)), control.channel, Int(control.value))
        case SND_SEQ_EVENT_NOTEON.rawValue: return Self.message(.note(Int(note.note)), note.channel, Int(note.velocity))
        case SND_SEQ_EVENT_NOTEOFF.rawValue: return Self.message(.note(Int(note.note)), note.channel, 0)
        case SND_SEQ_EVENT_PGMCHANGE.rawValue: return Self.message(.program(Int(control.value)), control.channel, 127)
        case SND_SEQ_EVENT_PORT_START.rawValue, SND_SEQ_EVENT_PORT_CHANGE.rawValue: return connect()
        case SND_SEQ_EVENT_PORT_EXIT.rawValue:
            let address = unsafe event.data.addr
            guard let port = connected, port.client == Int32(address.client), port.number == Int32(address.port) else {
                return []
            }
            connected = nil
            // There may be another port of this name.
            return [.lost(port.name)] + connect()
        default: return []
        }
    }

    private static func message(_ part: ControllerMessage.Part, _ channel: UInt8, _ value: Int) -> [ControllerArrival] {
        [.message(ControllerMessage(part, channel: Int(channel & 0x0F) + 1, value: min(max(value, 0), 127)))]
    }

    // MARK: Connecting

    package func tryAgain() -> [ControllerArrival] { connect() }

    private func connect() -> [ControllerArrival] {
        guard let wanted else {
            defer { isTold = true }
            return isTold ? [] : [.connected("port \(unsafe snd_seq_client_id(sequencer)):\(ownPort)")]
        }
        guard connected == nil else { return [] }
        let all = ports.senders
        guard let port = wanted.match(all),
            unsafe snd_seq_connect_from(sequencer, ownPort, port.client, port.number) >= 0
        else {
            defer { isTold = true }
            return isTold ? [] : [.missing(wanted.text, others: all.map(\.name))]
        }
        isTold = true
        connected = port
        // After reconnection the port may have another number, but not another name.
        self.wanted = PortName(client: port.clientName, port: port.portName)
        return [.connected(port.name)]
    }
}
