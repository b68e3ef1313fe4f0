import AudioDevices
import Testing

@Suite("Stream requests")
struct RequestTests {
    @Test("a device is read as null, a file or the name of a system device, and prints as written")
    func parsing() throws {
        #expect(try OutputDevice(parsing: "null") == .null)
        #expect(try OutputDevice(parsing: "file:a b/out:1.wav") == .file(path: "a b/out:1.wav"))
        #expect(try OutputDevice(parsing: "default") == .system("default"))
        #expect(try OutputDevice(parsing: "plughw:CARD=PCH,DEV=0") == .system("plughw:CARD=PCH,DEV=0"))
        for text in ["null", "file:out.wav", "file:/tmp/ü.wav", "hw:0"] {
            #expect(try OutputDevice(parsing: text).description == text)
        }
    }

    @Test("a device without a name is refused", arguments: ["", "file:", "hw\u{0}:0"])
    func namelessDevice(text: String) {
        let error = #expect(throws: DeviceError.self) { try OutputDevice(parsing: text) }
        #expect(error?.kind == .invalidRequest)
    }

    @Test(
        "a request without values is for 44.1 kHz and two channels, and has the other defaults of a request with values"
    )
    func defaults() throws {
        #expect(try StreamRequest() == StreamRequest(sampleRate: 44_100, channelCount: 2))
        #expect(try StreamRequest(clock: .real) == StreamRequest(sampleRate: 44_100, channelCount: 2, clock: .real))
        #expect(try StreamRequest(sampleRate: 48_000) == StreamRequest(sampleRate: 48_000, channelCount: 2))
        let output = try openOutput(.null)
        #expect(output.configuration.sampleRate == 44_100 && output.configuration.channelCount == 2)
    }

    @Test("the limits of a stream request are permitted, and values beyond are refused with the range")
    func ranges() throws {
        for (rate, channels, period, count, priority) in [(8000, 1, 1, 2, 1), (768_000, 64, 8192, 16, 99)] {
            _ = try StreamRequest(
                sampleRate: rate, channelCount: channels, periodFrames: period, periodCount: count,
                realtimePriority: priority)
        }
        _ = try StreamRequest(sampleRate: 44_100, channelCount: 2, realtimePriority: nil)
        for (rate, channels, period, count, priority) in [
            (7999, 2, 64, 2, 70), (768_001, 2, 64, 2, 70), (44_100, 0, 64, 2, 70), (44_100, 65, 64, 2, 70),
            (44_100, 2, 0, 2, 70), (44_100, 2, 8193, 2, 70), (44_100, 2, 64, 1, 70), (44_100, 2, 64, 17, 70),
            (44_100, 2, 64, 2, 0), (44_100, 2, 64, 2, 100), (Int.min, 2, 64, 2, 70), (Int.max, 2, 64, 2, 70),
        ] {
            let error = #expect(throws: DeviceError.self) {
                try StreamRequest(
                    sampleRate: rate, channelCount: channels, periodFrames: period, periodCount: count,
                    realtimePriority: priority)
            }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.remedy.contains(" to ") == true)
        }
    }
}
