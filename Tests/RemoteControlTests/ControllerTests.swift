// Pedals and buttons: names, bytes, presses, and controllers that come and go.
import Explanations
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import RemoteControl

/// Messages that a test makes.
private final class MadeUpSource: ControllerSource {
    private let pipe: (read: Int32, write: Int32)
    private let arrivals = Mutex<[ControllerArrival]>([])
    private let isThere = Mutex(true)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe Glibc.pipe(&ends)
        pipe = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(pipe.read)
        Glibc.close(pipe.write)
    }

    var descriptor: Int32 { isThere.withLock { $0 } ? pipe.read : -1 }

    func send(_ arrived: [ControllerArrival]) {
        arrivals.withLock { $0 += arrived }
        var byte: UInt8 = 1
        _ = unsafe write(pipe.write, &byte, 1)
    }

    func read() -> [ControllerArrival] {
        var byte: UInt8 = 0
        _ = unsafe Glibc.read(pipe.read, &byte, 1)
        return arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
    }

    func tryAgain() -> [ControllerArrival] { [] }
    func close() {}
}

@Suite("Pedals and controllers")
struct ControllerTests {
    private let folder = Folder()

    @Test(
        "a press of a controller has a name",
        arguments: ["cc64", "note60", "program5", "ch2.cc64", "ch16.note0", "cc0.up", "ch1.note127.up"])
    func names(name: String) throws {
        #expect(try #require(ControllerTrigger(name)).description == name)
        #expect(ControllerTrigger(name.uppercased())?.description == name)
    }

    @Test(
        "a name that no controller can have is refused",
        arguments: [
            "", "cc", "cc128", "cc-1", "cc1.5", "ch0.cc1", "ch17.cc1", "ch.cc1", "note", "program5.up", "cc64.down",
            "x.cc64", "cc64.up.up", "cc٣",
        ])
    func wrongNames(name: String) { #expect(ControllerTrigger(name) == nil) }

    @Test("a press has the meaning set for its channel, or otherwise for any channel")
    func map() throws {
        var map = ControllerMap()
        map[try #require(ControllerTrigger("cc64"))] = "pause"
        map[try #require(ControllerTrigger("ch2.cc64"))] = "mark"
        func words(_ name: String) -> String? { ControllerTrigger(name).flatMap { map.words(for: $0) } }
        #expect(words("ch1.cc64") == "pause" && words("ch2.cc64") == "mark")
        #expect(words("ch1.cc64.up") == nil && words("ch1.cc65") == nil)
    }

    @Test("MIDI messages are read from bytes in pieces, with a running status and clock messages")
    func bytes() {
        let stream: [UInt8] = [
            0x40, 0xB0, 64, 127, 64, 0, 0x91, 60, 0xF8, 100, 0xFE, 60, 0, 0xF0, 1, 2, 3, 0xF7, 5, 0xC2, 7, 8, 0xE0, 1,
            2, 0x8F,
            61, 9, 0xD0, 5, 0xB3, 0xF6, 1, 0xB3, 1, 2,
        ]
        let expected = [
            ControllerMessage(.control(64), channel: 1, value: 127),
            ControllerMessage(.control(64), channel: 1, value: 0),
            ControllerMessage(.note(60), channel: 2, value: 100), ControllerMessage(.note(60), channel: 2, value: 0),
            ControllerMessage(.program(7), channel: 3, value: 127),
            ControllerMessage(.program(8), channel: 3, value: 127),
            ControllerMessage(.note(61), channel: 16, value: 0), ControllerMessage(.control(1), channel: 4, value: 2),
        ]
        for size in [1, 2, 3, 5, stream.count] {
            var (reader, messages) = (ControllerBytes(), [ControllerMessage]())
            for start in stride(from: 0, to: stream.count, by: size) {
                messages += reader.messages(stream[start..<min(start + size, stream.count)])
            }
            #expect(messages == expected, "in pieces of \(size)")
        }
        // After any input, the reader goes on.
        var (reader, generator) = (ControllerBytes(), SystemRandomNumberGenerator())
        for _ in 0..<10_000 { _ = reader.messages([UInt8.random(in: 0...255, using: &generator)]) }
        #expect(reader.messages([0xB0, 1, 2]).count == 1)
    }

    private func triggers(_ values: [Int], _ part: ControllerMessage.Part = .control(64)) -> [String] {
        var filter = PressFilter()
        return values.compactMap { value in
            filter.trigger(of: ControllerMessage(part, channel: 1, value: value)).map { $0.isUp ? "up" : "down" }
        }
    }

    @Test("a pedal that sweeps and trembles gives one press and one release")
    func pedal() {
        #expect(triggers([127, 0, 127, 0]) == ["down", "up", "down", "up"])
        #expect(triggers(Array(0...127) + (0..<127).reversed()) == ["up", "down", "up"])
        #expect(triggers([0, 60, 64, 63, 65, 62, 66, 49, 70, 48, 64]) == ["up", "down"])
        #expect(triggers([64, 47, 63]) == ["down", "up"])
        // The position at the beginning is not known until the pedal sends it.
        #expect(triggers([50, 60, 63]) == [])
    }

    @Test("a button without releases counts as pressed each time, and so do keys and programs")
    func buttons() {
        #expect(triggers([127, 127, 127]) == ["down", "down", "down"])
        #expect(triggers([100, 0, 90, 0], .note(60)) == ["down", "up", "down", "up"])
        #expect(triggers([127, 127], .program(3)) == ["down", "down"])
    }

    /// The first `count` news from a thread.
    private func news(
        _ source: any ControllerSource, count: Int, carriesOut: Bool = true, _ act: () -> Void
    ) throws -> [ControllerNews] {
        let (told, thread) = (Told(), try ControllerThread())
        try thread.start(source) { news in
            told.list.withLock { $0.append(news) }
            if carriesOut, case .pressed = news { thread.carriedOut() }
        }
        act()
        #expect(eventually { told.list.withLock { $0.count } >= count })
        thread.stop()
        return told.list.withLock { $0 }
    }

    private final class Told: Sendable { let list = Mutex<[ControllerNews]>([]) }

    private func message(_ value: Int) -> ControllerArrival {
        .message(ControllerMessage(.control(64), channel: 1, value: value))
    }

    @Test("the loss and return of a controller are reported, and its pedals begin anew")
    func goesAndReturns() throws {
        let source = MadeUpSource()
        let down = ControllerNews.pressed(ControllerTrigger(.control(64), channel: 1))
        let told = try news(source, count: 4) {
            source.send([message(127), .lost("FS-1"), message(70), .connected("FS-1"), message(80)])
        }
        #expect(told == [down, .lost("FS-1"), down, .connected("FS-1")])
    }

    @Test("presses of a wild controller beyond the waiting limit are dropped")
    func wild() throws {
        let source = MadeUpSource()
        let told = try news(source, count: 64, carriesOut: false) {
            source.send((0..<1000).flatMap { _ in [message(127), message(0)] })
        }
        #expect(told.count == 64)
    }

    @Test("bytes of a pipe are presses, also after one writer closes and another opens the pipe")
    func pipe() throws {
        let path = folder["pedal"]
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let source = try ByteSource(path: path)
        let told = try news(source, count: 4) {
            for value in [UInt8(127), 0] {
                let writer = unsafe open(path, O_WRONLY)
                let bytes: [UInt8] = [0xB1, 64, value, 0x90, 60]
                #expect(unsafe write(writer, bytes, 5) == 5)
                close(writer)
            }
            let writer = unsafe open(path, O_WRONLY)
            var last: UInt8 = 100
            #expect(unsafe write(writer, &last, 1) == 1)
            close(writer)
        }
        #expect(
            told == [
                .connected(path), .pressed(ControllerTrigger(.control(64), channel: 2)),
                .pressed(ControllerTrigger(.control(64), channel: 2, isUp: true)),
                .pressed(ControllerTrigger(.note(60), channel: 1)),
            ])
    }

    @Test("a path that is no MIDI device is refused, and an absent MIDI device is awaited")
    func devices() throws {
        _ = FileManager.default.createFile(atPath: folder["file"], contents: Data("x".utf8))
        for path in [folder["file"], folder.path, folder["missing"]] {
            let error = #expect(throws: ControlError.self) { try ByteSource(path: path) }
            #expect(error?.kind == .noDevice && error?.remedy.isEmpty == false)
        }
        let source = try ByteSource(path: "/dev/snd/midiC31D7")
        #expect(source.descriptor == -1)
        #expect(source.tryAgain() == [.missing("/dev/snd/midiC31D7", others: [])] && source.tryAgain() == [])
    }

    @Test("a MIDI port is found by number and by name, exactly or by the beginning")
    func ports() {
        func port(_ client: Int32, _ number: Int32, _ clientName: String, _ portName: String) -> SequencerPorts.Port {
            SequencerPorts.Port(client: client, number: number, clientName: clientName, portName: portName)
        }
        let ports = [
            port(14, 0, "Midi Through", "Midi Through Port-0"), port(24, 0, "nanoKONTROL2", "nanoKONTROL2 MIDI 1"),
            port(28, 0, "FS-1", "FS-1 MIDI 1"), port(28, 1, "FS-1", "FS-1 MIDI 2"), port(32, 0, "24", "odd"),
        ]
        func found(_ text: String) -> String? { PortName(text).match(ports)?.name }
        #expect(found("24:0") == "24:0 nanoKONTROL2: nanoKONTROL2 MIDI 1")
        #expect(found("nano") == found("24") && found("NANOkontrol2:") == found("24"))
        #expect(found("FS-1") == "28:0 FS-1: FS-1 MIDI 1" && found("28:1") == "28:1 FS-1: FS-1 MIDI 2")
        #expect(found("FS-1:FS-1 MIDI 2") == found("28:1") && found("FS-1:1") == found("28:1"))
        #expect(found("99") == nil && found("28:2") == nil && found("") == nil && found("nothing") == nil)
    }

    @Test(
        "without a sequencer the error gives the cause and a remedy",
        .enabled(if: unsafe access("/dev/snd/seq", F_OK) != 0, "this machine has a sequencer"))
    func noSequencer() {
        let error = #expect(throws: ControlError.self) { try SequencerSource(port: "") }
        #expect(error?.kind == .noSequencer)
        #expect(error?.remedy.contains("modprobe snd-seq") == true)
    }
}
