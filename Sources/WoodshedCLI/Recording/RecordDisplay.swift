import Glibc
import Woodshed

/// What the panel shows, as gathered from the recorder's events.
struct RecordDisplay {
    private let configuration: StreamConfiguration
    private let file: String
    private var channels: [RecordView.Channel]
    private var history: [Double] = []
    /// The highest peak so far, in dB of full scale.
    private(set) var peak = -Double.infinity

    /// More than the widest terminal shows, in tenths of a second.
    private static let historyLength = 1000

    init(_ configuration: StreamConfiguration, file: String) {
        self.configuration = configuration
        self.file = file
        channels = Array(repeating: RecordView.Channel(), count: configuration.channelCount)
    }

    /// Clips on all channels.
    var clips: Int64 { channels.reduce(0) { $0 + $1.clips } }

    mutating func follow(_ event: RecorderEvent) {
        guard case .levels(let levels) = event else { return }
        var loudest = -Double.infinity
        for (index, level) in levels.channels.enumerated() where channels.indices.contains(index) {
            let decibels = 20 * log10(Double(level.peak))
            channels[index] = RecordView.Channel(peak: decibels, held: level.heldDecibels, clips: level.clips)
            loudest = max(loudest, decibels)
        }
        peak = max(peak, loudest)
        history.append(loudest)
        if history.count > 2 * Self.historyLength { history.removeFirst(Self.historyLength) }
    }

    func view(_ status: RecorderStatus, question: String?) -> RecordView {
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
            channels: channels, history: history, question: question)
    }
}
