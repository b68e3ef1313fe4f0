// Every kind of error, and the exit status that a script sees.
import ArgumentParser
import Terminal
import Testing
import Woodshed

@testable import WoodshedCLI

// The testing library has an `ExitStatus` too.
private typealias Code = Explanations.ExitStatus

@Suite("Messages and codes")
struct MessageTests {
    @Test("every file error has its exit status")
    func files() {
        let expected: [AudioFileError.Kind: Code] = [
            .notFound: .notFound, .isDirectory: .badData, .notRegularFile: .badData, .permissionDenied: .noPermission,
            .notAudio: .badData, .empty: .badData, .broken: .badData, .unsupported: .badData,
            .tooManyChannels: .badData,
            .helperMissing: .unavailable, .limitExceeded: .badData, .changed: .inputOutput, .io: .inputOutput,
            .cancelled: .interrupted, .cannotCreate: .cannotCreate, .diskFull: .inputOutput, .closedPipe: .closedPipe,
            .invalidRequest: .usage, .alreadyExists: .cannotCreate, .inUse: .unavailable,
        ]
        for kind in AudioFileError.Kind.allCases { #expect(kind.exitStatus == expected[kind], "\(kind)") }
    }

    @Test("every device error has its exit status, and its message and remedy are printed unchanged")
    func devices() {
        let expected: [DeviceError.Kind: Code] = [
            .noDevice: .unavailable, .unknownDevice: .unavailable, .busy: .unavailable,
            .permissionDenied: .noPermission,
            .formatRefused: .unavailable, .invalidRequest: .usage, .lost: .unavailable, .io: .inputOutput,
            .cannotCreate: .cannotCreate, .diskFull: .inputOutput, .unresponsive: .unavailable,
        ]
        for kind in DeviceError.Kind.allCases {
            let error = DeviceError(kind: kind, message: "Cause.", remedy: "Remedy.")
            #expect(error.exitStatus == expected[kind] && error.text == "woodshed: Cause.\nRemedy.", "\(kind)")
            let wrapped = EngineError.device(error)
            #expect(wrapped.exitStatus == error.exitStatus && wrapped.text == error.text)
        }
    }

    @Test("every score error has its exit status")
    func scores() {
        let expected: [(ScoreError.Kind, Code)] = [
            (.noSections, .usage), (.emptySection, .badData), (.sectionOutsideClip, .badData),
            (.sectionTooShort, .badData), (.passesOutOfRange, .usage), (.speedOutOfRange, .usage),
            (.pitchOutOfRange, .usage), (.pitchWithVarispeed, .usage), (.curveOutOfRange, .usage),
            (.rampStepOutOfRange, .usage), (.gapOutOfRange, .usage), (.tooLong, .usage), (.placeOutsideScore, .badData),
        ]
        for (kind, status) in expected { #expect(kind.exitStatus == status) }
    }

    @Test("wrong use of the engine is reported as an internal error")
    func engine() {
        #expect(EngineError.rateMismatch(clip: 1, engine: 2).exitStatus == .software)
        #expect(EngineError.tooManyPlayers(limit: 1).exitStatus == .software)
    }

    @Test("the plan has the values that were typed as options")
    func plan() throws {
        let song = Timeline(fileRate: 44100, fileFrames: 441_000, clipRate: 44100, clipFrames: 441_000)
        let options = try PlanOptions.parse([
            "--section", "2.0-3.0", "--section", "90112f-131072f", "-n", "5", "--speed", "70%", "--gap", "0.1",
            "--joint", "hard",
        ])
        let plan = try options.plan(for: song)
        #expect(plan.sections.map(\.range) == [88200..<132_300, 90112..<131_072])
        #expect(plan.passes == 5)
        #expect(plan.speeds == .constant(try Speed(factor: 0.7)))
        #expect(plan.gap == .frames(4410))
        #expect(plan.joint == .hard)
        let whole = try PlanOptions.parse([]).plan(for: song)
        #expect(whole.sections.map(\.range) == [0..<441_000])
        #expect(whole.gap == .none && whole.joint == .crossfade && whole.passes == 1)
        let ramp = try PlanOptions.parse(["--ramp", "60%:100%:5%", "--gap", "1.0x", "--from", "1", "--to", "50%"]).plan(
            for: song)
        #expect(ramp.speeds == .ramp(from: try Speed(factor: 0.6), to: .normal, step: 0.05))
        #expect(ramp.gap == .passLengths(1))
        let glide = try PlanOptions.parse(["--ramp", "60%:100%"]).plan(for: song)
        #expect(glide.speeds == .glide(from: try Speed(factor: 0.6), to: .normal))
        let curve = try PlanOptions.parse(["--curve", "0=60%,1~100%,2~repeat"]).plan(for: song)
        let slow = try Speed(factor: 0.6)
        #expect(
            curve.speeds
                == .curve(
                    [
                        SpeedPoint(at: 0, slow), SpeedPoint(at: 44100, .normal, .glide),
                        SpeedPoint(at: 88200, slow, .glide),
                    ],
                    repeatingEvery: 88200))
        for both in [["--speed", "70%", "--curve", "0=70%"], ["--ramp", "60%:100%", "--curve", "0=70%"]] {
            #expect(throws: (any Error).self) { try PlanOptions.parse(both) }
        }
        #expect(whole.pitch == .original)
        let low = try PlanOptions.parse(["--pitch", "-2.5", "--speed", "80%"]).plan(for: song)
        #expect(try low.pitch == Pitch(semitones: -2.5))
        #expect(low.speeds == .constant(try Speed(factor: 0.8)))
        #expect(ramp.sections.map(\.range) == [44100..<220_500])
    }

    @Test("the error for a section that ends before its start names its start and the recording's length")
    func backwards() throws {
        let song = Timeline(fileRate: 44100, fileFrames: 441_000, clipRate: 44100, clipFrames: 441_000)
        let options = try PlanOptions.parse(["--section", "3-2"])
        #expect {
            try options.plan(for: song)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.exitStatus == .badData && failure?.message.contains("0:02.000") == true
                && failure?.remedy.contains("0:10.000") == true
        }
    }
}
