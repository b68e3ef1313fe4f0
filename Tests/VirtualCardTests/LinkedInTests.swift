import CALSA
import Glibc
import Testing
import VirtualCard
import VirtualCardSupport

@Suite("A linked-in virtual card")
struct LinkedInTests {
    /// A name that a sweep takes for a name of this process.
    private static func name(_ what: String) -> String { "\(what)-\(getpid())-0" }

    /// Opens a direction without any configuration; the card is made from the options if there is none.
    private func open(
        _ name: String, _ stream: snd_pcm_stream_t, clock: String? = nil
    ) throws -> Opened {
        var handle: OpaquePointer?
        var code: Int32 = 0
        if let clock {
            code = unsafe clock.withCString { clock in
                var options = unsafe virtual_card_defaults()
                unsafe options.clock = clock
                return unsafe virtual_card_open(&handle, name, &options, Int32(stream.rawValue), SND_PCM_NONBLOCK)
            }
        } else {
            code = unsafe virtual_card_open(&handle, name, nil, Int32(stream.rawValue), SND_PCM_NONBLOCK)
        }
        guard code == 0, let pcm = unsafe handle else { throw ALSACode(code: -code) }
        return unsafe Opened(pcm: pcm)
    }

    /// A stream, closed with the last reference.
    @safe
    private final class Opened {
        let pcm: OpaquePointer
        init(pcm: OpaquePointer) { unsafe self.pcm = pcm }
        deinit { unsafe snd_pcm_close(pcm) }
    }

    @Test("a linked-in card opens without a configuration, by its name, and plays into its own input")
    func loopback() throws {
        let name = Self.name("linked")
        defer { _ = unsafe virtual_card_remove(name) }
        let output = try open(name, SND_PCM_STREAM_PLAYBACK, clock: "virtual")
        // The second direction finds the card as the first direction made it.
        let input = try open(name, SND_PCM_STREAM_CAPTURE)
        for stream in [output, input] {
            #expect(
                unsafe snd_pcm_set_params(
                    stream.pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 1, 48_000, 0, 20_000) == 0)
        }
        let sound = (0..<480).map { Int16($0 * 7 - 1000) }
        #expect(unsafe snd_pcm_start(input.pcm) == 0)
        #expect(unsafe snd_pcm_writei(output.pcm, sound, 480) == 480)
        #expect(unsafe snd_pcm_start(output.pcm) == 0)
        var heard = [Int16](repeating: 0, count: 480)
        var count = 0
        for _ in 0..<100 where count < 480 {
            _ = unsafe snd_pcm_wait(input.pcm, 100)
            let more = unsafe heard.withUnsafeMutableBufferPointer { buffer in
                unsafe snd_pcm_readi(
                    input.pcm, buffer.baseAddress.map { unsafe $0 + count }, snd_pcm_uframes_t(480 - count))
            }
            if more > 0 { count += more }
        }
        #expect(heard == sound)
    }

    @Test("a linked-in card refuses a second use of a direction, an impossible name and wrong options")
    func refusals() throws {
        let name = Self.name("linked-once")
        defer { _ = unsafe virtual_card_remove(name) }
        let output = try open(name, SND_PCM_STREAM_PLAYBACK, clock: "real")
        #expect(throws: ALSACode(code: EBUSY)) { try open(name, SND_PCM_STREAM_PLAYBACK) }
        #expect(throws: ALSACode.self) { try open("no/such", SND_PCM_STREAM_PLAYBACK, clock: "real") }
        #expect(throws: ALSACode.self) { try open(Self.name("odd"), SND_PCM_STREAM_PLAYBACK, clock: "sundial") }
        withExtendedLifetime(output) {}
    }

    @Test("the cards of dead processes are swept away, and no other cards")
    func sweep() throws {
        // No process can have this number; this test's parent is alive. Another process of tests has other names.
        let (dead, living, byHand) = ("test-4194399-\(getpid())", "test-\(getppid())-\(getpid())", "mine\(getpid())")
        defer { for name in [dead, living, byHand] { _ = unsafe virtual_card_remove(name) } }
        for name in [dead, living, byHand] {
            var card: OpaquePointer?
            let code = unsafe "virtual".withCString { clock in
                var options = unsafe virtual_card_defaults()
                unsafe options.clock = clock
                return unsafe virtual_card_create(&card, name, &options)
            }
            #expect(code == 0)
            unsafe virtual_card_detach(card)
        }
        let swept = VirtualCardRig.sweep()
        // Another test process may have removed the dead names first.
        #expect(!swept.contains(living) && !swept.contains(byHand))
        #expect(!exists("woodshed-card.\(dead)") && !exists("woodshed-clock.\(dead)"))
        #expect(exists("woodshed-card.\(living)") && exists("woodshed-card.\(byHand)"))
    }

    private func exists(_ file: String) -> Bool { unsafe access("/dev/shm/" + file, F_OK) == 0 }
}
