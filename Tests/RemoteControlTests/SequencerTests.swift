// The ALSA sequencer, where the machine has a sequencer: another client plays the controller.
import CALSA
import Glibc
import TestSupport
import Testing

@testable import RemoteControl

/// A client of the sequencer that sends.
@safe
private final class MadeUpController {
    private let sequencer: OpaquePointer
    private let port: Int32

    init?(_ name: String) {
        var opened: OpaquePointer?
        guard unsafe snd_seq_open(&opened, "default", SND_SEQ_OPEN_OUTPUT, 0) >= 0, let sequencer = unsafe opened else {
            return nil
        }
        unsafe self.sequencer = unsafe sequencer
        unsafe snd_seq_set_client_name(sequencer, name)
        port = unsafe snd_seq_create_simple_port(
            sequencer, "out", UInt32(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ),
            UInt32(SND_SEQ_PORT_TYPE_MIDI_GENERIC))
    }

    deinit { unsafe snd_seq_close(sequencer) }

    func send(control: UInt32, value: Int32) {
        var event = unsafe snd_seq_event_t()
        unsafe event.type = UInt8(SND_SEQ_EVENT_CONTROLLER.rawValue)
        unsafe event.queue = UInt8(SND_SEQ_QUEUE_DIRECT)
        unsafe event.source.port = UInt8(port)
        unsafe event.dest.client = UInt8(SND_SEQ_ADDRESS_SUBSCRIBERS)
        unsafe event.data.control.param = control
        unsafe event.data.control.value = value
        _ = unsafe snd_seq_event_output_direct(sequencer, &event)
    }
}

@Suite(
    "Pedals on the sequencer", .serialized,
    .enabled(if: unsafe access("/dev/snd/seq", R_OK | W_OK) == 0, "this machine has no MIDI sequencer (/dev/snd/seq)"))
struct SequencerTests {
    /// The first arrivals from a source, up to a count.
    private func arrivals(_ source: SequencerSource, count: Int) -> [ControllerArrival] {
        var all: [ControllerArrival] = []
        _ = eventually {
            all += source.read()
            return all.count >= count
        }
        return all
    }

    @Test(
        "a controller is heard by its name, reported when lost, and heard again under another number"
    )
    func unplugging() throws {
        let name = "Woodshed Test \(getpid())"
        let source = try SequencerSource(port: name)
        defer { source.close() }
        let missing = source.tryAgain()
        guard case .missing(name, _)? = missing.first else {
            Issue.record("\(missing)")
            return
        }
        for _ in 0..<2 {
            var controller = MadeUpController(name)
            let came = arrivals(source, count: 1)
            guard case .connected(let text)? = came.first else {
                Issue.record("\(came)")
                return
            }
            #expect(text.contains(name))
            controller?.send(control: 64, value: 127)
            controller?.send(control: 64, value: 0)
            #expect(
                arrivals(source, count: 2)
                    == [127, 0].map {
                        .message(ControllerMessage(.control(64), channel: 1, value: $0))
                    })
            controller = nil
            guard case .lost? = arrivals(source, count: 1).first else {
                Issue.record("not told")
                return
            }
        }
    }
}
