import DesktopBus
import Explanations
import Realtime
import Terminal

// The checks of `doctor` as functions of data read from the system, so tests can produce every result on any machine.

/// The checks.
struct Diagnosis {
    let system: SystemFacts
    /// The output.
    let device: DeviceFacts
    /// The input.
    let source: DeviceFacts
    /// True if an unopenable input is an error, because the user named it. Playing needs no input.
    var mustRecord = false
    /// True if dead media keys are an error, because the user asked for media keys.
    var mustHaveMediaKeys = false

    /// Path and contents of the log; nil to omit this check.
    var log: String?

    /// All checks, the decisive check first.
    var checks: [Check] {
        [output, input, group].compactMap { $0 } + volume
            + RightsDiagnosis(rights: system.rights, grantsRealTime: system.grantsRealTime).checks
            + [throttle, governor, kernel, pedals, mediaKeys, ffmpeg, disk, logNote].compactMap { $0 }
    }

    /// The exit code of the first problem that prevents playing.
    var status: ExitStatus { checks.first { $0.grade == .broken }?.status ?? .success }

    private var logNote: Check? { log.map { Check(name: "log", grade: .good, finding: $0) } }

    /// Checks for a processor slowed by power saving.
    private var governor: Check? {
        guard !system.pacing.isEmpty else { return nil }
        guard let slow = system.pacing.first(where: { $0.remedy != nil }), let remedy = slow.remedy else {
            let words = system.pacing.map(\.description).joined(separator: ", ")
            return Check(name: "processor", grade: .good, finding: words)
        }
        return Check(
            name: "processor", grade: .weak, finding: "\(slow); short periods may drop out", remedy: remedy)
    }

    /// Checks the share of time denied to real-time threads of any priority.
    private var throttle: Check? {
        guard let (runtime, period) = system.throttle, period > 0 else { return nil }
        guard runtime >= 0 else {
            return Check(name: "throttle", grade: .good, finding: "real-time threads may use all of the time")
        }
        let percent = runtime * 100 / period
        guard percent < 90 else {
            return Check(name: "throttle", grade: .good, finding: "real-time threads may use \(percent) % of the time")
        }
        return Check(
            name: "throttle", grade: .weak,
            finding: "real-time threads are stopped after \(percent) % of the time; this causes dropouts",
            remedy: "sudo sysctl kernel.sched_rt_runtime_us=\(period / 100 * 95)")
    }

    private var kernel: Check? {
        guard let (version, commandLine) = system.kernel else { return nil }
        let model = ["PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"].first { version.contains($0) }
        guard let model else {
            return Check(
                name: "kernel", grade: .note, finding: "built without PREEMPT; long system calls may delay sound",
                remedy: "boot a kernel with PREEMPT, such as Debian's linux-image-amd64, if periods below 5 ms drop out"
            )
        }
        let mode = commandLine.split(separator: " ").first { $0.hasPrefix("preempt=") }.map { $0.dropFirst(8) }
        guard let mode, ["none", "voluntary"].contains(mode) else {
            return Check(name: "kernel", grade: .good, finding: model)
        }
        return Check(
            name: "kernel", grade: .note, finding: "\(model), but started with preempt=\(mode)",
            remedy: "boot with preempt=full if periods below 5 ms drop out")
    }

    /// Only a note: most users have no pedal, and a raw device needs no sequencer.
    private var pedals: Check? {
        switch system.opensSequencer {
        case nil:
            // Without a sound card there is more to do first.
            system.soundNodes.all.isEmpty
                ? nil
                : Check(
                    name: "pedals", grade: .note,
                    finding: "no MIDI sequencer, so --control midi:NAME receives no pedal",
                    remedy: "name the raw device (--control midi:/dev/snd/midiC1D0), or run: sudo modprobe snd-seq")
        case false?:
            Check(
                name: "pedals", grade: .note, finding: "the MIDI sequencer may not be opened",
                remedy: AudioGroup.joining)
        case true?: Check(name: "pedals", grade: .good, finding: "the MIDI sequencer receives pedals and controllers")
        }
    }

    /// A note, unless the user asked for media keys: a machine without a desktop has none.
    private var mediaKeys: Check? {
        switch system.mediaKeys {
        case nil: nil
        case .success(let name)?:
            Check(name: "media keys", grade: .good, finding: "the session bus delivers media keys (tried as \(name))")
        case .failure(let error)?:
            Check(
                name: "media keys", grade: mustHaveMediaKeys ? .broken : .note, finding: error.message,
                remedy: error.remedy, status: error.exitStatus)
        }
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
            remedy: "free some room, or render to another folder")
    }
}
