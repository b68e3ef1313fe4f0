// BandSchedule: the time of each part of a band's work. Times depend on output frames only.

/// The grid steps at which the stages of one band's windows are due.
///
/// The work of a step is done before the step's first frame is emitted, for any number of frames requested by the
/// caller. A window's four stages, or eight smaller stages, are spread over three quarters of a hop; the last stage
/// runs just before the window is first heard. After a start, stages due before the start are spread over the copied
/// frames instead. Stage 0 is the opening: the last window without rotation, in one piece. The stages of every later
/// window follow.
struct BandSchedule: BitwiseCopyable, Sendable {
    /// Steps from one window to the next.
    let hopSteps: Int64
    /// Steps from a window's first output sample to its middle, including the samples for interpolation ahead.
    let leadSteps: Int64
    let firstWindow: Int64
    /// Stages of one window: 4, or 8 for the long windows of a steady sound, whose work would be too much for one step.
    let stageCount: Int64
    /// Source frames from a window's middle to its end, including the samples for interpolation after the window.
    let reachFrames: Int
    /// The first step that can run stages after a start, and the step before which the start must be complete.
    let startStep: Int64
    let startEnd: Int64
    /// Stages that are due before `startEnd`.
    let startCount: Int64

    init(_ shape: StretchShape, _ band: VocoderShape, stageCount: Int64 = 4) {
        self.stageCount = stageCount
        let grid = shape.gridFrames
        hopSteps = Int64(band.hop * band.factor / grid)
        // An interpolated frame needs six samples ahead; eight make a whole number of steps.
        let pad = band.factor == 1 ? 0 : 8 * band.factor
        leadSteps = Int64((band.window / 2 * band.factor + pad) / grid)
        reachFrames = (band.window / 2 + BandShape.reach + 2) * band.factor
        firstWindow = Int64(band.firstWindow)
        startStep = Int64(shape.splitSteps)
        startEnd = Int64(shape.copiedSteps)
        var count: Int64 = 0
        while Self.regularStep(count, hopSteps, leadSteps, firstWindow, stageCount) < Int64(shape.copiedSteps) {
            count += 1
        }
        startCount = count
    }

    /// Returns the window that a stage belongs to, and the stage's number within the window.
    @inline(__always)
    func window(ofStage stage: Int64) -> (window: Int64, stage: Int64) {
        stage == 0 ? (firstWindow, 0) : (firstWindow + 1 + (stage - 1) / stageCount, (stage - 1) % stageCount)
    }

    /// Returns the first stage of a window; the window must not be the first window.
    @inline(__always)
    func stage(ofWindow window: Int64) -> Int64 { 1 + (window - firstWindow - 1) * stageCount }

    /// Returns the grid step at which a stage is due.
    @inline(__always)
    func step(ofStage stage: Int64) -> Int64 {
        stage < startCount
            ? startStep + (startEnd - startStep) * stage / startCount
            : Self.regularStep(stage, hopSteps, leadSteps, firstWindow, stageCount)
    }

    /// Returns the step of the latest window middle among the stages that may run at a step.
    @inline(__always)
    func reach(ofStep step: Int64) -> Int64 { step + leadSteps + 3 * hopSteps / 4 }

    @inline(__always)
    private static func regularStep(
        _ stage: Int64, _ hopSteps: Int64, _ leadSteps: Int64, _ first: Int64, _ count: Int64
    ) -> Int64 {
        guard stage > 0 else { return first * hopSteps - leadSteps - 3 * hopSteps / 4 }
        let (window, part) = (first + 1 + (stage - 1) / count, (stage - 1) % count)
        return window * hopSteps - leadSteps - (count - 1 - part) * (3 * hopSteps / 4) / (count - 1)
    }
}
