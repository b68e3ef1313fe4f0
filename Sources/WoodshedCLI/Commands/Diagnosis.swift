// The checks of `doctor` as functions of what was read from the system, so that every verdict can be tested without a
// machine that deserves it.

/// How well a point stands.
enum CheckGrade: String {
    case good
    /// Playing works, but not as well as it could.
    case weak
    /// Playing does not work.
    case broken
}

/// One line of the diagnosis.
struct Check: Equatable {
    let name: String
    let grade: CheckGrade
    let finding: String
    /// The command or deed that mends it; empty when nothing is wrong.
    var remedy = ""

    var json: JSONValue {
        .object([
            .init("check", .string(name)), .init("grade", .string(grade.rawValue)), .init("finding", .string(finding)),
            .init("remedy", remedy.isEmpty ? .null : .string(remedy)),
        ])
    }
}

/// The verdicts.
struct Diagnosis {
    let system: SystemFacts

    /// All checks, the one that decides first.
    ///
    /// - Parameter outputs: The sound devices found, without `null` and files.
    func checks(outputs: [DeviceRow]) -> [Check] {
        [output(outputs), priority, memoryLock, governor, ffmpeg, disk].compactMap { $0 }
    }

    private func output(_ rows: [DeviceRow]) -> Check {
        let devices = rows.filter(\.isHardware)
        if let device = devices.first(where: \.isDefault) ?? devices.first, system.mayOpenSound {
            return Check(name: "output", grade: .good, finding: "\(device.name)  \(device.description)")
        }
        if system.hasSoundFolder && !system.mayOpenSound {
            return Check(
                name: "output", grade: .broken, finding: "no permission to open /dev/snd",
                remedy: "sudo usermod -aG audio $USER, then log in again")
        }
        return Check(
            name: "output", grade: .broken, finding: "no sound device",
            remedy: "plug one in, or play with --output null or --output file:out.wav")
    }

    private var priority: Check {
        guard !system.mayUseRealTime else {
            return Check(name: "priority", grade: .good, finding: "real-time priority granted")
        }
        return Check(
            name: "priority", grade: .weak, finding: "no real-time priority; busy moments may be heard",
            remedy: "echo '@audio - rtprio 95' | sudo tee -a /etc/security/limits.d/audio.conf, then log in again")
    }

    private var memoryLock: Check {
        guard !system.mayLockMemory else {
            return Check(name: "memory", grade: .good, finding: "memory may be locked")
        }
        return Check(
            name: "memory", grade: .weak, finding: "memory may not be locked; swapping may be heard",
            remedy:
                "echo '@audio - memlock unlimited' | sudo tee -a /etc/security/limits.d/audio.conf, then log in again")
    }

    private var governor: Check? {
        guard let governor = system.governor else { return nil }
        guard governor == "powersave" else {
            return Check(name: "processor", grade: .good, finding: "governor \(governor)")
        }
        return Check(
            name: "processor", grade: .weak, finding: "governor powersave; small periods may drop out",
            remedy: "sudo cpupower frequency-set -g performance")
    }

    private var ffmpeg: Check {
        if let path = system.ffmpegPath { return Check(name: "ffmpeg", grade: .good, finding: path) }
        return Check(
            name: "ffmpeg", grade: .weak, finding: "missing; AAC, M4A and video files cannot be opened",
            remedy: "sudo apt-get install ffmpeg")
    }

    private var disk: Check? {
        guard let free = system.freeBytes else { return nil }
        guard free < 1_000_000_000 else {
            return Check(name: "disk", grade: .good, finding: "\(sizeText(free)) free here")
        }
        return Check(
            name: "disk", grade: .weak, finding: "only \(sizeText(free)) free here",
            remedy: "make room, or render to another folder")
    }
}
