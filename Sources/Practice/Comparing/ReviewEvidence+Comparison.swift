internal import DSP
package import Store

extension ReviewEvidence {
    /// Adds the measures of a comparison of a take with the section.
    package mutating func note(_ comparison: TakeComparison) {
        (offsetSeconds, spreadSeconds) = (comparison.offsetSeconds, comparison.measures.spreadSeconds)
        (lengthRatio, pitchCents) = (comparison.measures.lengthRatio, comparison.measures.pitchCents)
        energyDecibels = comparison.measures.energyDecibels
    }
}
