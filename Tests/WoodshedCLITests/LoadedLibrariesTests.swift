// Libraries needed by only one verb are loaded by this verb.
import Testing

@Suite("Loaded libraries")
struct LoadedLibrariesTests {
    private let folder = TestFolder()

    private func ramp() {
        folder.write("ramp.wav", Wave.ramp(frames: 4000))
    }

    /// Names of the libraries loaded in a run, as reported by the dynamic linker.
    private func loaded(_ arguments: [String]) -> Set<String> {
        let run = Command.run(arguments, environment: ["LD_DEBUG": "files"])
        #expect(run.status == 0)
        let names = run.errorLines.filter { $0.contains("generating link map") }
            .compactMap { $0.split(separator: "file=").last?.split(separator: " ").first.map(String.init) }
        // A run without this output would prove nothing.
        #expect(names.contains { $0.hasPrefix("libc.so") }, "\(run.errorLines.prefix(5))")
        return Set(names)
    }

    private func thoseThatDraw(_ names: Set<String>) -> Set<String> {
        names.filter { name in ["libcairo", "libpango", "libfontconfig", "libX11"].contains { name.hasPrefix($0) } }
    }

    @Test("the drawing libraries are loaded by verbs that draw a picture, and by no other")
    func drawing() {
        ramp()
        for arguments in [
            ["--version"], ["--help"], ["help", "waveform"], ["info", folder["ramp.wav"]],
            ["waveform", folder["ramp.wav"], "--width", "20"], ["waveform", folder["ramp.wav"], "-o", folder["a.dat"]],
        ] { #expect(thoseThatDraw(loaded(arguments)).isEmpty, "\(arguments)") }
        #expect(thoseThatDraw(loaded(["waveform", folder["ramp.wav"], "-o", folder["a.png"]])).count >= 3)
    }

    @Test("a picture without the drawing library is refused, with the package to install")
    func missing() {
        ramp()
        // An empty file in the library's place is not a library.
        folder.write("libpangocairo-1.0.so.0", [])
        let environment = ["LD_LIBRARY_PATH": folder.path]
        let run = Command.run(
            ["waveform", folder["ramp.wav"], "-o", folder["a.png"]], environment: environment)
        #expect(run.status == 69 && run.output.isEmpty)
        #expect(run.errorLines.count == 2)
        let cause = "woodshed: The library libpangocairo-1.0.so.0 cannot be loaded ("
        #expect(run.errorLines.first?.hasPrefix(cause) == true)
        #expect(run.errorLines.last == "Install it with: sudo apt-get install libpangocairo-1.0-0")
        #expect(!folder.names.contains("a.png"))
        // Everything else works.
        let shown = Command.run(["waveform", folder["ramp.wav"], "--width", "20"], environment: environment)
        #expect(shown.status == 0 && shown.error.isEmpty)
    }

    @Test("a picture drawn without fonts has no text, and a line names the package with fonts")
    func noFonts() {
        ramp()
        folder.write("fonts.conf", Array("<?xml version=\"1.0\"?><fontconfig></fontconfig>".utf8))
        for name in ["a.png", "a.svg"] {
            let run = Command.run(
                ["waveform", folder["ramp.wav"], "-o", folder[name], "--title", "a title"],
                environment: ["FONTCONFIG_FILE": folder["fonts.conf"]])
            #expect(run.status == 0)
            #expect(
                run.errorLines == [
                    "woodshed: there is no font on this machine, so the picture has no text; install fonts-dejavu-core"
                ])
            #expect(folder.read(name).count > 1000)
        }
    }
}
