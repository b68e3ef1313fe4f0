// `woodshed practice`: a session, and a second session if the user wants to record during the first.
import Terminal
import WoodshedPractice

/// Practises sections of a recording.
struct Practising {
    /// The file and the device, with options for recording.
    let playing: Playing
    let plan: PlanOptions
    let flow: SessionOptions
    /// The due sections to practise; nil for the sections of the plan.
    let due: DueSections?

    /// Practises to the end. A signal ends the run with its status.
    func run() throws {
        guard let handover = try play(playing) else { return }
        // Reopens the device together with an input for recording. If the device refuses or takes have no folder,
        // practising continues as before.
        do { try goOn(handover) } catch {
            // Prints the report of the first session, unless a later session has begun, which reports its own end.
            _ = ProgramOutput.standard.finish(isAsked: true) { false }
            LastWords.write(milliseconds: 1000)
            throw error
        }
    }

    private func goOn(_ handover: Handover) throws {
        var playing = playing
        playing.canReopen = false
        var failure = playing.recording.flatMap { TakeRig.failure(ofFolder: $0) }
        if failure == nil {
            do {
                playing.recording?.record = .key
                StandardStream.error.note("opening the input; r begins a take, and ends it")
                _ = try play(playing, goingOn: handover)
                return
            } catch let error as DeviceError { failure = error }
        }
        if let failure { StandardStream.error.note(failure.text) }
        playing.recording?.record = nil
        _ = try play(playing, goingOn: handover)
    }

    private func play(_ playing: Playing, goingOn handover: Handover? = nil) throws -> Handover? {
        let passes: PassCount = playing.device.listensInRealTime ? .endless : 1
        let recipe = try flow.recipe.map { try SettingsLayers().recipe(named: $0) }
        let keeping = try Keeping(
            file: playing.file, follows: plan.chosenSections.isEmpty,
            choice: plan.choice(onlyHard: flow.hard, only: due?.ids), textMoment: flow.text,
            remembers: playing.device.listensInRealTime, asks: due != nil)
        keeping.mixesBoth = flow.both == .mix
        return try playing.run(keeping: keeping, goingOn: handover) { clip in
            let (timeline, saved) = (Timeline(clip), keeping.saved(clip))
            keeping.recipe = try recipe?.recipe(in: timeline)
            var practice = try plan.plan(
                for: timeline, passes: passes, repeats: flow.repeats, saved: saved, kept: keeping.settings(clip))
            practice.steps = keeping.recipe?.passSteps ?? []
            let ids = try plan.planned(for: timeline, saved).map(\.savedID)
            let session = try flow.sessionPlan(practice, savedIDs: ids)
            if let handover { return handover.continued(session) }
            return flow.choosesBeginning || due != nil ? session : keeping.goOn(session, clip)
        }
    }
}
