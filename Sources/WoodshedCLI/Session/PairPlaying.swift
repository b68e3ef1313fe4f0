// `woodshed play @1 --with-model`: plays a take together with the passage it was recorded against.
import Terminal
import WoodshedPractice

/// Plays a take beside its model.
struct PairPlaying {
    /// The take, as typed.
    let word: String
    let device: DeviceOptions
    let loss: LossOptions
    let screen: ScreenOptions
    let messages: MessageOptions

    /// Plays to the end. A signal ends the run with its status.
    func run() throws {
        let keyMap = try KeyMap(SettingsLayers())
        let signals = Signals.install()
        let store = try PracticeStore(.user)
        let take = try TakeWord.take(word, in: store)
        guard let model = take.model else { throw PairFile.noModel(take) }
        let file = try PairFile.recordingFile(of: model, in: store, named: nil)
        let key = try KeptRecording(file: file, store: store).recording.key
        let output = try device.outputDevice()
        if case .file(let path) = output {
            try OutputFile.refuseInputs([file, take.currentPath], outputs: [path])
        }
        let rate = try Listening.loadForPlaying(file).sampleRate
        let engine = try Engine(
            output: output, request: try device.request(sampleRate: rate, channelCount: 2), onLoss: loss.policy)
        let pair = try HeardPair(of: take, in: try engine.load(file), key: key)
        let plan = PracticePlan(sections: [try Section(0..<pair.frameCount)], joint: .hard)
        let listening = try Listening(
            clip: pair.clip, title: "take \(take.number) and its model", engine: engine, plan: plan)
        try listening.session.player.setStrip(HeardSound.both.strip)
        let run = try Run<Session>(messages: messages, signals: signals, keyMap: keyMap)
        let status = try Session(listening, in: run, onLoss: loss.onLoss).play()
        guard status == .success else { throw CommandFailure(status) }
    }
}
