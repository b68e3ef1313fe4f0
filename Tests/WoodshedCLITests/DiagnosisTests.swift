// The verdicts of `doctor`, on described instead of real machines.
import Terminal
import Testing
import VirtualCardSupport
import Woodshed

@testable import WoodshedCLI

@Suite("Doctor")
struct DiagnosisTests {
    /// A check failing in a single way, with the machine's files behind the failure.
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: String
        let changes: [String: String?]
        var grade = CheckGrade.weak
        var grantsRealTime = true
        var refused: String?
        let finding: String
        let remedy: String

        var testDescription: String { "\(check): \(finding)" }
    }

    private static func limits(_ row: String, _ value: String) -> [String: String?] {
        let lines = ((MadeUpMachine.healthy["proc/self/limits"] ?? nil) ?? "").split(separator: "\n").map {
            $0.hasPrefix(row) ? "\(row)   \(value)   \(value)  " : String($0)
        }
        return ["proc/self/limits": lines.joined(separator: "\n") + "\n"]
    }

    private static func status(groups: String, user: Int = 1000) -> [String: String?] {
        ["proc/self/status": "Uid:\t\(user)\t\(user)\t0\t0\nGid:\t1000\t1000\t0\t0\nGroups:\t\(groups) \n"]
    }

    private static let governor = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"

    /// A processor whose governor is `powersave`, which has another meaning with each driver.
    private static func pacing(driver: String, preference: String?) -> [String: String?] {
        let folder = "sys/devices/system/cpu/cpu1/cpufreq/"
        return [
            governor: "powersave\n", folder + "scaling_driver": driver + "\n",
            folder + "energy_performance_preference": preference.map { $0 + "\n" },
        ]
    }

    @Test(
        "the usual governor of a processor that chooses its pace itself is no fault",
        arguments: [
            ("intel_pstate", "balance_performance"), ("intel_pstate", "balance_power"), ("intel_pstate", "performance"),
            ("intel_pstate", "128"), ("intel_pstate", nil), ("amd-pstate-epp", "balance_performance"),
        ])
    func usualGovernor(driver: String, preference: String?) {
        let checks = MadeUpMachine(Self.pacing(driver: driver, preference: preference)).diagnosis().checks
        let check = checks.first { $0.name == "processor" }
        #expect(check?.grade == .good && check?.finding.contains("powersave of \(driver)") == true)
        #expect(preference == nil || check?.finding.contains("preference \(preference ?? "")") == true)
    }

    static let faults = [
        Fault(
            check: "priority", changes: limits("Max realtime priority", "0"), finding: "no real-time priority",
            remedy: "rtprio 95"),
        Fault(
            check: "priority", changes: limits("Max realtime priority", "20"), finding: "only up to 20",
            remedy: "rtprio 95"),
        Fault(
            check: "priority", changes: [:], grantsRealTime: false, finding: "refused by a container",
            remedy: "--cap-add=SYS_NICE"),
        Fault(
            check: "rt time", changes: limits("Max realtime timeout", "50000"), finding: "for 50 ms in a row",
            remedy: "prlimit"),
        Fault(
            check: "nice",
            changes: limits("Max nice priority", "20"), grantsRealTime: false, finding: "not below 0",
            remedy: "nice -11"),
        Fault(
            check: "memory", changes: limits("Max locked memory", "8388608"), finding: "only 8",
            remedy: "memlock unlimited"
        ),
        Fault(check: "processor", changes: [governor: "powersave\n"], finding: "powersave", remedy: "cpupower"),
        Fault(
            check: "processor", changes: pacing(driver: "intel_cpufreq", preference: "balance_performance"),
            finding: "powersave", remedy: "cpupower"),
        Fault(
            check: "processor", changes: pacing(driver: "intel_pstate", preference: "power"),
            finding: "preference power", remedy: "balance_performance"),
        Fault(
            check: "processor", changes: pacing(driver: "amd-pstate-epp", preference: "255"),
            finding: "preference 255", remedy: "balance_performance"),
        Fault(
            check: "throttle", changes: ["proc/sys/kernel/sched_rt_runtime_us": "500000\n"], finding: "after 50 %",
            remedy: "sched_rt_runtime_us=950000"),
        Fault(
            check: "kernel", changes: ["proc/version": "Linux version 6.12 #1 SMP\n"], grade: .note,
            finding: "without PREEMPT", remedy: "boot"),
        Fault(
            check: "kernel", changes: ["proc/cmdline": "quiet preempt=none"], grade: .note, finding: "preempt=none",
            remedy: "preempt=full"),
        Fault(
            check: "pedals", changes: [:], grade: .note, refused: "seq", finding: "may not be opened",
            remedy: "usermod -aG audio"),
        Fault(
            check: "pedals", changes: ["dev/snd/seq": nil], grade: .note, finding: "no MIDI sequencer",
            remedy: "modprobe snd-seq"),
        Fault(check: "group", changes: status(groups: "1000"), finding: "since the last login", remedy: "newgrp audio"),
        Fault(
            check: "group", changes: status(groups: "1000"), grade: .broken, refused: "pcmC0D0p",
            finding: "since the last login", remedy: "log out"),
        Fault(
            check: "group", changes: status(groups: "1001", user: 1001), finding: "limits of the group do not apply",
            remedy: "usermod -aG audio"),
        Fault(
            check: "group", changes: status(groups: "1001", user: 1001), grade: .broken, refused: "pcmC0D0p",
            finding: "which owns the devices", remedy: "usermod -aG audio"),
    ]

    @Test("every check of the doctor passes on a healthy machine")
    func nothing() {
        let checks = MadeUpMachine().diagnosis().checks
        let names = checks.map(\.name).filter { !["ffmpeg", "disk"].contains($0) }
        #expect(
            names == [
                "output", "input", "group", "volume", "priority", "rt time", "nice", "memory", "throttle", "processor",
                "kernel", "pedals",
            ])
        for check in checks where names.contains(check.name) { #expect(check.grade == .good && check.remedy.isEmpty) }
    }

    @Test("doctor names each fault with its remedy, and no other fault", arguments: faults)
    func wrong(fault: Fault) {
        let machine = MadeUpMachine(fault.changes)
        let diagnosis = machine.diagnosis(grantsRealTime: fault.grantsRealTime, refused: fault.refused)
        let wrong = diagnosis.checks.filter { $0.grade != .good && !["ffmpeg", "disk"].contains($0.name) }
        #expect(wrong.contains { $0.name == fault.check && $0.grade == fault.grade })
        let check = wrong.first { $0.name == fault.check }
        #expect(check?.finding.contains(fault.finding) == true && check?.remedy.contains(fault.remedy) == true)
        // Without real-time priority, nothing else compensates for an ordinary niceness.
        #expect(wrong.count == 1 || fault.check == "nice" && wrong.map(\.name) == ["priority", "nice"])
    }

    @Test("capabilities replace limits, root replaces the group, and real-time priority replaces niceness")
    func privileges() {
        let none = Self.limits("Max realtime priority", "0")
        let root = "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \nCapEff:\t000001ffffffffff\n"
        let checks = MadeUpMachine(none.merging(["proc/self/status": root]) { $1 }).diagnosis().checks
        #expect(checks.filter { !["ffmpeg", "disk"].contains($0.name) }.allSatisfy { $0.grade == .good })
        let calm = MadeUpMachine(Self.limits("Max nice priority", "20")).diagnosis().checks
        #expect(calm.first { $0.name == "nice" }?.grade == .good)
    }

    @Test("a fact that the machine does not provide gives no check and no fault")
    func silence() {
        let paths = MadeUpMachine.healthy.keys.filter { !$0.hasPrefix("proc/self") }
        let machine = MadeUpMachine(Dictionary(uniqueKeysWithValues: paths.map { ($0, String?.none) }))
        let names = machine.diagnosis().checks.map(\.name)
        #expect(Set(names).isDisjoint(with: ["processor", "throttle", "kernel", "group"]))
    }

    @Test("a device that does not open is reported with its cause and its exit status")
    func device() {
        let machine = MadeUpMachine()
        let absent = machine.diagnosis(.failing(.noDevice))
        #expect(absent.status == .unavailable && absent.checks[0].finding == "it fails")
        #expect(machine.diagnosis(.failing(.permissionDenied)).status == .noPermission)
        let refused = machine.diagnosis(.failing(.noDevice), refused: "controlC0")
        #expect(refused.status == .noPermission && refused.checks[0].remedy.contains("usermod"))
        let busy = machine.diagnosis(.failing(.busy, holders: [DeviceHolder(process: 4711, name: "firefox")]))
        #expect(busy.status == .unavailable && busy.checks[0].finding.contains("firefox (process 4711)"))
        #expect(busy.checks[0].remedy.contains("kill 4711"))
        #expect(machine.diagnosis(.failing(.busy)).checks[0].remedy.contains("fuser"))
        #expect(machine.diagnosis().status == .success)
    }

    @Test("an input that does not open is a note by default, and a fault if it was named")
    func input() throws {
        let machine = MadeUpMachine()
        for (kind, words) in [(DeviceError.Kind.noDevice, "it fails"), (.busy, "hw:0 is busy: arecord (process 12)")] {
            let source = DeviceFacts.failing(kind, .input, holders: [DeviceHolder(process: 12, name: "arecord")])
            for mustRecord in [false, true] {
                let diagnosis = machine.diagnosis(source: source, mustRecord: mustRecord)
                let check = try #require(diagnosis.checks.first { $0.name == "input" })
                #expect(check.grade == (mustRecord ? .broken : .note) && check.finding == words)
                #expect(!check.remedy.contains("--output"))
                #expect(diagnosis.status == (mustRecord ? .unavailable : .success))
            }
        }
        let refused = machine.diagnosis(source: .failing(.permissionDenied, .input), mustRecord: true)
        #expect(refused.status == .noPermission && refused.checks.contains { $0.remedy.contains("usermod -aG audio") })
    }

    /// A control of the mixer in a single direction.
    private func control(
        _ name: String, _ isOn: Bool?, _ volume: Double?, side: StreamIncident.Side = .output
    ) -> MixerControl {
        MixerControl(name: name, side: side, isOn: isOn, volume: volume)
    }

    @Test("doctor reports a device that opens with the length of its buffer")
    func buffer() {
        let check = MadeUpMachine([:]).diagnosis().checks.first { $0.name == "output" }
        #expect(check?.finding.contains("a buffer of 768 frames (16 ms)") == true, "\(check?.finding ?? "")")
    }

    @Test("doctor names a muted control with the command to open it; one open output is enough")
    func mixer() {
        func remedies(_ controls: [MixerControl]) -> [String] {
            var (device, source) = (DeviceFacts.working(.output), DeviceFacts.working(.input))
            (device.controls, source.controls) = (controls, controls)
            return MadeUpMachine().diagnosis(device, source: source).volume.map(\.remedy)
        }
        #expect(remedies([control("Master", false, 0.5)]) == ["amixer -D hw:0 sset 'Master' unmute"])
        #expect(remedies([control("PCM", nil, 0)]) == ["amixer -D hw:0 sset 'PCM' 70%"])
        #expect(
            remedies([control("Capture", false, 0, side: .input)]) == ["amixer -D hw:0 sset 'Capture' 70% cap"])
        #expect(remedies([control("Speaker", false, 1), control("Headphone", true, 1)]) == [""])
        #expect(remedies([control("Speaker", false, 1), control("Headphone", true, 0)]).count == 2)
        #expect(remedies([control("Auto-Mute Mode", false, nil)]).isEmpty)
        #expect(remedies([control("Master", false, 0.5)]).count == 1)
    }

    @Test("a mixer is read through alsa-lib, and the command reports its muted controls")
    func realMixer() {
        let configuration = ["ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf"]
        let muted = Command.run(
            ["doctor", "--output", "muted", "--input", "muted", "--json"], environment: configuration)
        #expect(muted.status == 0)
        for remedy in ["'Master' unmute", "'PCM' 70%", "'Capture' cap"] {
            #expect(muted.text.contains(#""remedy":"amixer -D muted sset \#(remedy)""#), "\(muted.text)")
        }
        let heard = Command.run(
            ["doctor", "--output", "heard", "--json"], environment: configuration)
        #expect(heard.text.contains(#"{"check":"volume","grade":"good","finding":"Master 70 %","remedy":null}"#))
        #expect(!Command.run(["doctor", "--output", "void"], environment: configuration).text.contains("volume"))
    }

    @Test(
        "the program that holds a device is found from the kernel's record, or else from the descriptors of processes")
    func holders() {
        let told = MadeUpMachine([
            "proc/asound/card0/id": "PCH\n", "proc/asound/card1/id": "Other\n",
            "proc/asound/card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : 812\ntrigger_time: 1.2\n",
            "proc/asound/card0/pcm0c/sub0/status": "closed\n", "proc/asound/card1/pcm0p/sub0/status": "closed\n",
            "proc/812/status": "Name:\tDOM Worker\nTgid:\t800\n", "proc/800/comm": "firefox\n",
        ])
        let firefox = [DeviceHolder(process: 800, name: "firefox")]
        for name in ["hw:0", "hw:PCH,0", "plughw:CARD=PCH,DEV=0", "sysdefault:0", "default"] {
            #expect(told.holders(of: name, .output) == firefox, "\(name)")
        }
        for name in ["hw:1", "hw:0,1", "hw:Other"] { #expect(told.holders(of: name, .output).isEmpty, "\(name)") }
        #expect(told.holders(of: "hw:0", .input).isEmpty)
        let silent = MadeUpMachine(
            // In a container the kernel's number for a process outside is 0.
            ["proc/asound/card0/pcm0p/sub0/status": "state: RUNNING\nowner_pid   : 0\n", "proc/31/comm": "mpd\n"],
            links: ["proc/31/fd/7": "/dev/snd/pcmC0D0p", "proc/32/fd/7": "/dev/snd/pcmC0D0c"])
        #expect(silent.holders(of: "hw:0", .output) == [DeviceHolder(process: 31, name: "mpd")])
    }

    @Test("the marks of checks have a form in ASCII and in Unicode, and colour only on request")
    func style() {
        let check = Check(name: "ffmpeg", grade: .weak, finding: "missing", remedy: "install it")
        #expect(
            CheckStyle(usesColour: false, glyphs: .ascii).text(check)
                == "weak   ffmpeg     missing\n                  mend: install it\n")
        #expect(CheckStyle(usesColour: false, glyphs: .unicode).text(check).hasPrefix("! ffmpeg"))
        #expect(CheckStyle(usesColour: true, glyphs: .unicode).text(check).hasPrefix("\u{1B}[33m!\u{1B}[0m"))
    }
}
