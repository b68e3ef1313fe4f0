// `woodshed sections FILE auto`: finds the phrases of a recording by their pauses.
import Terminal
import WoodshedPractice

/// Finds phrases.
struct SectionFinding {
    let options: FindingOptions
    /// True if found sections replace all others.
    let replaces: Bool
    let report: SectionReport

    /// Finds phrases and shows them; keeps them only with `--yes`.
    func find(in kept: KeptRecording) throws {
        var line = ReadingLine(draws: report.drawsProgress)
        let found = try options.finder.find(inFileAt: report.file) { share in
            line.show(share)
            return true
        }
        line.clear()
        let level = "below \(fixed(found.thresholdDecibels, decimals: 0)) dB"
        let pause = fixed(options.finder.minimumPause, decimals: 2)
        guard !found.drafts.isEmpty else {
            throw CommandFailure(
                .notFound, "no pause of \(pause) s or more was found in \(report.file)",
                remedy:
                    "Give shorter pauses (--min-pause 0.2) or a higher level (--threshold -30), or mark points while the recording plays."
            )
        }
        let count = counted(found.drafts.count, "phrase")
        guard options.yes else {
            var list = SectionList(sampleRate: kept.recording.sampleRate, frameCount: kept.recording.frameCount)
            try list.apply(.add(found.drafts))
            try report.write(list, of: kept)
            return report.hint(
                "Found \(count) between pauses of \(pause) s or more \(level). Nothing is kept yet.",
                "sections \(shellPath(report.file)) auto --yes")
        }
        let edit: SectionEdit = replaces ? .replaceAll(found.drafts) : .add(found.drafts)
        try report.tell(
            try kept.store.apply(.all([edit], summary: "found \(count) (pauses \(level))"), to: kept.recording),
            of: kept)
    }
}
