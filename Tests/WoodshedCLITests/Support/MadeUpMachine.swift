// A machine described by a few files of /proc, /sys, /etc and /dev.
import Glibc
import Woodshed

@testable import WoodshedCLI

/// A folder that stands for `/`; removed with the last reference.
final class MadeUpMachine {
    let root: String

    /// The files of a desktop without faults.
    static let healthy: [String: String?] = [
        "proc/self/limits": """
        Limit                     Soft Limit           Hard Limit           Units
        Max locked memory         unlimited            unlimited            bytes
        Max nice priority         31                   31
        Max realtime priority     95                   95
        Max realtime timeout      unlimited            unlimited            us

        """,
        "proc/self/status": "Name:\twoodshed\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n"
            + "Groups:\t29 1000 \nCapEff:\t0000000000000000\n",
        "proc/sys/kernel/sched_rt_runtime_us": "950000\n",
        "proc/sys/kernel/sched_rt_period_us": "1000000\n",
        "proc/version": "Linux version 6.12 #1 SMP PREEMPT_DYNAMIC Debian\n",
        "proc/cmdline": "root=/dev/sda1 ro quiet\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
        "sys/devices/system/cpu/cpufreq/boost": "1\n",
        "etc/group": "root:x:0:\naudio:x:29:ann,bob\n",
        "etc/passwd": "root:x:0:0:root:/:/bin/sh\nann:x:1000:1000::/nonexistent:/bin/sh\n",
        "dev/snd/controlC0": "", "dev/snd/pcmC0D0p": "", "dev/snd/seq": "",
    ]

    /// Writes the healthy machine's files, with some changes; nil leaves a file out.
    init(_ changes: [String: String?] = [:], links: [String: String] = [:]) {
        var name = Array("/tmp/woodshed-machine-XXXXXX".utf8CString)
        _ = unsafe mkdtemp(&name)
        root = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for (path, text) in Self.healthy.merging(changes, uniquingKeysWith: { $1 }) {
            guard let text else { continue }
            makeFolders(for: path)
            guard let file = unsafe fopen("\(root)/\(path)", "w") else { continue }
            unsafe fputs(text, file)
            unsafe fclose(file)
        }
        for (path, target) in links {
            makeFolders(for: path)
            _ = unsafe symlink(target, "\(root)/\(path)")
        }
    }

    deinit { _ = Command.tool("rm", ["-r", root]) }

    var files: SystemFiles { SystemFiles(root: root) }

    /// The results of the checks on this machine.
    ///
    /// - Parameters:
    ///   - device: Result of opening an output device; nil is a device that opens.
    ///   - source: The same for an input device.
    ///   - mustRecord: Whether the user named the input.
    ///   - grantsRealTime: Result of requesting real-time priority.
    ///   - refused: A node without permission to open.
    func diagnosis(
        _ device: DeviceFacts? = nil, source: DeviceFacts? = nil, mustRecord: Bool = false,
        grantsRealTime: Bool = true, refused: String? = nil
    ) -> Diagnosis {
        let system = SystemFacts(
            files, trial: { grantsRealTime }, permits: { $0 != refused.map { "dev/snd/" + $0 } })
        return Diagnosis(
            system: system, device: device ?? .working(.output), source: source ?? .working(.input),
            mustRecord: mustRecord)
    }

    func holders(of device: String, _ side: StreamIncident.Side) -> [DeviceHolder] { files.holders(of: device, side) }

    private func makeFolders(for path: String) {
        var folder = root
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            _ = unsafe mkdir(folder, 0o755)
        }
    }
}

extension DeviceFacts {
    /// A device that opens, with a mixer neither muted nor turned down.
    static func working(_ side: StreamIncident.Side) -> DeviceFacts {
        DeviceFacts(
            name: "hw:0", side: side,
            opening: .success(
                StreamConfiguration(
                    sampleRate: 48_000, channelCount: 2, periodFrames: 256, bufferFrames: 768, formatName: "S32_LE",
                    accessName: "MMAP_INTERLEAVED", deviceName: "hw:0")),
            controls: [
                MixerControl(name: "Master", side: .output, isOn: true, volume: 0.7),
                MixerControl(name: "Capture", side: .input, isOn: true, volume: 0.5),
            ])
    }

    /// A device that fails to open.
    static func failing(
        _ kind: DeviceError.Kind, _ side: StreamIncident.Side = .output, holders: [DeviceHolder] = []
    ) -> DeviceFacts {
        DeviceFacts(
            name: "hw:0", side: side,
            opening: .failure(DeviceError(kind: kind, message: "it fails", remedy: "Mend it.")),
            holders: holders)
    }
}
