import Glibc
import Terminal
import Woodshed

/// The panel of a recording, with contents gathered from the recorder's events.
final class RecordDisplay {
    private let panel: RecordPanel
    private let monitor: RecorderMonitor
    private let file: String
    private let inputChannels: [Int]?
    private var channels: [RecordView.Channel]
    private var history: [Double] = []
    /// The highest peak so far, in dB of full scale.
    private(set) var peak = -Double.infinity

    /// Number of stored levels, in tenths of a second: more than the widest terminal shows.
    private static let historyLength = 1000

    /// - Parameter inputChannels: Channels of the reported levels, from 0; nil for all.
    init(_ monitor: RecorderMonitor, file: String, inputChannels: [Int]?, traits: TerminalTraits) {
        (self.monitor, self.file, self.inputChannels) = (monitor, file, inputChannels)
        panel = RecordPanel(
            glyphs: traits.glyphs, depth: .told(usesColour: traits.usesColour, environment: environmentVariable))
        channels = Array(
            repeating: RecordView.Channel(), count: inputChannels?.count ?? monitor.configuration.channelCount)
    }

    /// Overs on all channels.
    var overs: Int64 { channels.reduce(0) { $0 + $1.overs } }

    func follow(_ event: RecorderEvent) {
        guard case .levels(let levels) = event else { return }
        var loudest = -Double.infinity
        for (index, level) in levels.channels.enumerated() where channels.indices.contains(index) {
            let decibels = 20 * log10(Double(level.peak))
            channels[index] = RecordView.Channel(peak: decibels, held: level.heldDecibels, overs: level.overs)
            loudest = max(loudest, decibels)
        }
        peak = max(peak, loudest)
        history.append(loudest)
        if history.count > 2 * Self.historyLength { history.removeFirst(Self.historyLength) }
    }

    /// Returns as many lines as fit on a terminal of this size.
    ///
    /// - Parameter question: A question to the user, which replaces the first line.
    func lines(_ size: TerminalSize, question: String?) -> [String] {
        panel.lines(view(monitor.status, waveform: monitor.waveform, question: question), size)
    }

    private var configuration: StreamConfiguration { monitor.configuration }

    /// Length of a column in frames, about a tenth of a second. Columns span whole bins at absolute frames, so the
    /// moving picture does not flicker.
    private var columnFrames: Int64 {
        let bin = Int64(Waveform.framesPerBin)
        return max(1, (Int64(configuration.sampleRate) / 10 + bin / 2) / bin) * bin
    }

    /// Returns the newest columns of a take.
    private func wave(_ waveform: Waveform) -> [WaveformColumn] {
        if waveform.frameCount == 0 { return [] }
        let end = (waveform.frameCount - 1) / columnFrames + 1
        let start = max(0, end - Int64(Self.historyLength))
        return waveform.summary(frames: start * columnFrames..<end * columnFrames, columns: Int(end - start))
    }

    private func view(_ status: RecorderStatus, waveform: Waveform?, question: String?) -> RecordView {
        let state: RecorderWord =
            switch status.state {
            case .armed: .ready
            case .recording: .recording
            case .paused: .paused
            case .stopped: .stopped
            }
        return RecordView(
            state: state, seconds: Double(status.recordedFrames) / Double(configuration.sampleRate), file: file,
            device: "\(configuration.deviceName), \(configuration.sampleRate) Hz",
            loudness: status.loudness?.shortTerm, secondsLeft: status.secondsLeft,
            channels: channels, inputChannels: inputChannels, history: history, wave: waveform.map(wave) ?? [],
            question: question)
    }
}
