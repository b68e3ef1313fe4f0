// Checks of devices: their presence, permissions and volume.
import Woodshed

extension Diagnosis {
    var output: Check { opening(device, failure: .broken, elsewhere: "play with --output default") }

    var input: Check {
        opening(source, failure: mustRecord ? .broken : .note, elsewhere: "record with --input default")
    }

    private func opening(_ device: DeviceFacts, failure: CheckGrade, elsewhere: String) -> Check {
        let name = device.side == .output ? "output" : "input"
        switch device.opening {
        case .success(let configuration):
            return Check(
                name: name, grade: .good,
                finding:
                    "\(device.name) opens: \(configuration.sampleRate) Hz, \(configuration.channelCount) channels, "
                    + "\(configuration.formatName), \(configuration.bufferText)")
        case .failure(let error):
            // alsa-lib reports the same error for a missing card and for a card without permission.
            if error.kind == .permissionDenied || !system.soundNodes.refused.isEmpty && error.kind != .busy {
                return Check(
                    name: name, grade: failure, finding: "no permission to open the devices in /dev/snd",
                    remedy: AudioGroup.joining, status: .noPermission)
            }
            guard error.kind == .busy else {
                return Check(
                    name: name, grade: failure, finding: error.message, remedy: error.remedy,
                    status: error.exitStatus)
            }
            guard let holder = device.holders.first else {
                return Check(
                    name: name, grade: failure, finding: error.message,
                    remedy:
                        "close the program that holds the device, or \(elsewhere); list the programs with: sudo fuser -v /dev/snd/*"
                )
            }
            let names = device.holders.map(\.description).joined(separator: ", ")
            return Check(
                name: name, grade: failure, finding: "\(device.name) is busy: \(names)",
                remedy: "close \(holder.name), or: kill \(holder.process); or \(elsewhere)")
        }
    }

    /// Checks the group that owns the nodes in /dev/snd and usually gets the real-time limits.
    var group: Check? {
        guard let membership = system.audioGroup else { return nil }
        let isRefused = !system.soundNodes.refused.isEmpty
        switch membership {
        case .isRoot: return Check(name: "group", grade: .good, finding: "root needs no group")
        case .counts: return Check(name: "group", grade: .good, finding: "in the group audio")
        case .needsLogin:
            return Check(
                name: "group", grade: isRefused ? .broken : .weak,
                finding: "in the group audio, but not since the last login",
                remedy: "log out and in again, or for this shell: newgrp audio", status: .noPermission)
        case .isMissing:
            return Check(
                name: "group", grade: isRefused ? .broken : .weak,
                finding: isRefused
                    ? "not in the group audio, which owns the devices"
                    : "not in the group audio, so the limits of the group do not apply",
                remedy: AudioGroup.joining, status: .noPermission)
        }
    }

    // MARK: The mixer

    /// Output controls that suffice singly: a plugged headphone mutes the speaker.
    private static let exits: Set<String> = ["Speaker", "Headphone", "Front", "Line Out"]
    private static let throughAll: Set<String> = ["Master", "PCM"]

    /// Returns a check for each muted control, or a single good check; empty without a mixer.
    var volume: [Check] {
        let outputs = device.controls.filter { $0.side == .output }
        let inputs = source.controls.filter { $0.side == .input && $0.name == "Capture" }
        let exits = outputs.filter { Self.exits.contains($0.name) }
        var silent = outputs.filter { Self.throughAll.contains($0.name) && $0.isSilent }
        if exits.allSatisfy(\.isSilent) { silent += exits }
        silent += inputs.filter(\.isSilent)
        guard silent.isEmpty else { return silent.map(mute) }
        let heard = (outputs.filter { Self.throughAll.contains($0.name) } + exits + inputs).map { control in
            control.name + (control.volume.map { " \(Int(($0 * 100).rounded())) %" } ?? " on")
        }
        return heard.isEmpty ? [] : [Check(name: "volume", grade: .good, finding: heard.joined(separator: ", "))]
    }

    private func mute(_ control: MixerControl) -> Check {
        let isOutput = control.side == .output
        var words = [String]()
        if control.volume == 0 { words.append("70%") }
        if control.isOn == false { words.append(isOutput ? "unmute" : "cap") }
        return Check(
            name: "volume", grade: .weak,
            finding: "\(control.name) is \(control.isOn == false ? "off" : "at zero"); "
                + (isOutput ? "nothing is heard" : "nothing is recorded"),
            remedy:
                "amixer -D \((isOutput ? device : source).mixer) sset '\(control.name)' \(words.joined(separator: " "))"
        )
    }
}

extension StreamConfiguration {
    /// Size of the device's buffer. A longer buffer has no use, because nothing is played from the network.
    fileprivate var bufferText: String {
        let milliseconds = Double(bufferFrames) * 1000 / Double(max(1, sampleRate))
        return "a buffer of \(bufferFrames) frames (\(Int(milliseconds.rounded())) ms)"
    }
}
