// The verdicts of `doctor`, on machines described rather than met.
import Testing

@testable import WoodshedCLI

@Suite("Doctor")
struct DiagnosisTests {
    private let healthy = SystemFacts(
        mayUseRealTime: true, mayLockMemory: true, governor: "performance", hasSoundFolder: true, mayOpenSound: true,
        ffmpegPath: "/usr/bin/ffmpeg", freeBytes: 84_000_000_000)
    private let card = DeviceRow(name: "default", description: "HDA Intel", isDefault: true, isHardware: true)

    @Test("a healthy machine has nothing to mend")
    func nothing() {
        let checks = Diagnosis(system: healthy).checks(outputs: [card])
        #expect(checks.count == 6)
        #expect(checks.allSatisfy { $0.grade == .good && $0.remedy.isEmpty })
    }

    @Test("everything that is wrong is named, with what mends it")
    func everything() {
        let system = SystemFacts(
            mayUseRealTime: false, mayLockMemory: false, governor: "powersave", hasSoundFolder: true,
            mayOpenSound: false,
            ffmpegPath: nil, freeBytes: 5_000_000)
        let checks = Diagnosis(system: system).checks(outputs: [card])
        #expect(checks.map(\.grade) == [.broken, .weak, .weak, .weak, .weak, .weak])
        #expect(checks.allSatisfy { !$0.remedy.isEmpty })
        #expect(checks[0].remedy.contains("usermod"))
    }

    @Test("null and files are no sound devices")
    func noDevice() {
        var system = healthy
        system.hasSoundFolder = false
        let rows = [DeviceRow(name: "null", description: "", isDefault: false, isHardware: false)]
        #expect(Diagnosis(system: system).checks(outputs: rows)[0].grade == .broken)
    }

    @Test("the marks have a text form, and colour only where it is wanted")
    func style() {
        let check = Check(name: "ffmpeg", grade: .weak, finding: "missing", remedy: "install it")
        #expect(
            CheckStyle(usesColour: false, glyphs: .ascii).text(check)
                == "weak   ffmpeg    missing\n                 mend: install it\n")
        #expect(CheckStyle(usesColour: false, glyphs: .unicode).text(check).hasPrefix("! ffmpeg"))
        #expect(CheckStyle(usesColour: true, glyphs: .unicode).text(check).hasPrefix("\u{1B}[33m!\u{1B}[0m"))
    }
}
