import Foundation
import VirtualCardSupport

/// A program that plays or records on the default device until interrupted.
enum Contender: CaseIterable {
    case woodshed, portAudio, alsaUtils

    func name(_ direction: VirtualDirection) -> String {
        switch (self, direction) {
        case (.woodshed, .playback): "`woodshed play`"
        case (.woodshed, .capture): "`openInput`"
        case (.portAudio, _): "PortAudio"
        case (.alsaUtils, .playback): "`aplay`"
        case (.alsaUtils, .capture): "`arecord`"
        }
    }

    /// The command, with the same period and buffer for all.
    func command(_ direction: VirtualDirection, _ tools: Tools) -> [String] {
        let frames = ["--period-size=\(Trial.periodFrames)", "--buffer-size=\(Trial.bufferFrames)"]
        let raw = ["-D", "default", "-t", "raw", "-f", "S16_LE", "-r", "\(Trial.sampleRate)", "-c", "2"]
        let words = raw + frames + ["-"]
        switch (self, direction) {
        case (.woodshed, .playback):
            return [
                tools.woodshed, "play", tools.song, "--json", "--period", "\(Trial.periodFrames)", "--periods", "4",
            ]
        case (.woodshed, .capture): return [tools.benchmark, "open-input"]
        case (.portAudio, .playback): return [tools.benchmark, "portaudio-play"]
        case (.portAudio, .capture): return [tools.benchmark, "portaudio-record"]
        case (.alsaUtils, .playback): return ["/usr/bin/aplay"] + words
        case (.alsaUtils, .capture): return ["/usr/bin/arecord"] + words
        }
    }

    /// Whether the output reports any event of the device to the user.
    func tells(_ said: String) -> Bool {
        switch self {
        case .woodshed:
            // The command's events, and the output of the recording program beside it.
            said.contains("told:")
                || ["xrun", "interrupted", "device.suspended", "device.stalled"]
                    .contains { said.contains("\"event\":\"\($0)\"") }
        case .portAudio: said.contains("told:")
        case .alsaUtils:
            // aplay and arecord print their action at the beginning, and the interruption at the end.
            said.split(separator: "\n").contains { line in
                !["Playing", "Recording", "Aborted by signal"].contains { line.hasPrefix($0) }
                    && !line.contains("Interrupted system call")
            }
        }
    }
}

/// Where the programs are.
struct Tools {
    let woodshed: String
    let song: String
    let benchmark: String
}
