import Glibc
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("A device for one program")
struct ExclusiveTests {
    private func request(_ isExclusive: Bool = true, channels: Int = 2) throws -> StreamRequest {
        try StreamRequest(sampleRate: 48_000, channelCount: channels, realtimePriority: nil, isExclusive: isExclusive)
    }

    @Test("the hardware of a device name is its card and device; a name without hardware is refused")
    func names() throws {
        let names = [
            ("default", "hw"), ("sysdefault", "hw"), ("hw:1,0", "hw:1,0"), ("plughw:1,2,3", "hw:1,2,3"),
            ("plughw:CARD=PCH,DEV=0", "hw:CARD=PCH,DEV=0"), ("sysdefault:CARD=PCH", "hw:CARD=PCH"),
            ("front:CARD=PCH,DEV=0", "hw:CARD=PCH"), ("dmix:CARD=PCH,DEV=2", "hw:CARD=PCH,DEV=2"),
            ("hdmi:CARD=HDMI,DEV=0", "hdmi:CARD=HDMI,DEV=0"),
        ]
        for (name, hardware) in names { #expect(try HardwareName.exclusive(name) == hardware) }
        for name in ["pulse", "pipewire", "plug:dmix", "sysdefault:"] {
            let error = #expect(throws: DeviceError.self) { try HardwareName.exclusive(name) }
            #expect(error?.kind == .invalidRequest && error?.remedy.contains("hw:0") == true)
        }
    }

    @Test("a stream request is shared by default, and keeps its mode for any number of channels")
    func requests() throws {
        #expect(try !StreamRequest(sampleRate: 48_000, channelCount: 2).isExclusive)
        #expect(try request().with(channelCount: 4).isExclusive)
        #expect(try request().forOtherDevice() == request(false))
    }

    @Test("null and files are refused for exclusive use, and the error names the card's hardware")
    func refusals() throws {
        for output in [OutputDevice.null, .file(path: "/nonexistent/out.wav")] {
            let error = #expect(throws: DeviceError.self) { try openOutput(output, request()) }
            #expect(error?.kind == .invalidRequest)
        }
        _ = ALSARig.directory
        let error = #expect(throws: DeviceError.self) { try openOutput(.system("plughw:31"), request()) }
        #expect(error?.message.contains("hw:31") == true, "\(String(describing: error))")
    }

    @Test(
        "the error for a busy device names the program that holds the device, if the system knows",
        arguments: [true, false])
    func holder(isKnown: Bool) throws {
        let machine = try MadeUpProc(isKnown ? "state: RUNNING\nowner_pid   : 812\n" : "closed\n")
        let rig = try VirtualCardRig()
        let held = try openOutput(.system(rig.name), request(false))
        defer { held.stop() }
        var preferences = ALSAPreferences()
        preferences.opensAgain = true
        preferences.files = SystemFiles(root: machine.root)
        let error = #expect(throws: DeviceError.self) {
            try ALSABackend(output: rig.name, request(false), preferences: preferences)
        }
        #expect(error?.kind == .busy)
        let who = isKnown ? "firefox (process 812) is using" : "another program is using"
        #expect(error?.message == "\(who) the device \(rig.name)")
    }

    @Test("the error for a refused format lists what the device supports")
    func abilities() throws {
        var options = VirtualCardOptions()
        options.formats = ["S16_LE"]
        options.rates = [44_100]
        options.channels = 1...2
        let rig = try VirtualCardRig(options)
        var preferences = ALSAPreferences()
        preferences.formats = preferences.formats.filter { $0.layout.encoding == .signed8 }
        let error = #expect(throws: DeviceError.self) {
            try ALSABackend(output: rig.name, request(false), preferences: preferences)
        }
        #expect(error?.kind == .formatRefused)
        #expect(
            error?.message.hasSuffix("(supported: S16_LE; 1 to 2 channels; 44100 Hz)") == true,
            "\(error?.message ?? "")")
    }
}

/// A /proc with one sound device; removed with the last reference.
private final class MadeUpProc {
    let root: String
    private let files: [(path: String, text: String)]

    init(_ status: String) throws {
        var template = Array("/tmp/woodshed-proc-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        files = [
            ("proc/asound/card0/pcm0p/sub0/status", status), ("proc/812/comm", "firefox\n"),
            ("proc/812/status", "Tgid:\t812\n"),
        ]
        for (path, text) in files {
            var folder = root
            for part in path.split(separator: "/").dropLast() {
                folder += "/" + part
                _ = unsafe mkdir(folder, 0o755)
            }
            guard let file = unsafe fopen("\(root)/\(path)", "w") else { continue }
            unsafe fputs(text, file)
            unsafe fclose(file)
        }
    }

    deinit {
        for (path, _) in files {
            _ = unsafe unlink("\(root)/\(path)")
            var folder = path.split(separator: "/").dropLast()
            while !folder.isEmpty {
                _ = unsafe rmdir("\(root)/" + folder.joined(separator: "/"))
                folder = folder.dropLast()
            }
        }
        _ = unsafe rmdir(root)
    }
}
