/// A plan of splices for playing a section of speech at a given speed.
///
/// The section is copied unchanged except for jumps of 2.5 to 20 ms to similar places: back to make the section longer,
/// forward to make the section shorter. The jumps have the smallest total cost over the whole section: the change of
/// the sound, the parts heard more than twice, and the distance from the nominal time. At speed 1 there are no jumps,
/// and the plan is the recording.
///
/// The price of a plan is symmetrical in time: for the output of this plan, the cheapest plan at the inverse speed
/// removes exactly the sound inserted by this plan.
///
/// The method: splices at similar places come from Verhelst and Roelands (1993). Our deviation: the whole section is
/// known, and dynamic programming finds the best sequence instead of the best next splice.
@safe
package final class SplicePlan: Sendable {
    /// The frames of the recording that the plan plays, from the first frame exactly to the end.
    package let section: Range<Int64>
    /// The plan's length in output frames.
    package let outputFrames: Int64
    /// The splices for the render thread, valid as long as the plan exists.
    package let list: SpliceList
    /// Total change of the sound by the plan's splices: near 0 if each pair of joined places sounds the same.
    ///
    /// The change excludes the price that the search pays for distance from the nominal time.
    package let change: Double
    /// The largest acceptable change for each second left out. A plan above this limit sounds worse than rotated
    /// windows, because the plan leaves out sound that resembles nothing else.
    ///
    /// Voices played faster have 14 to 98; voices that were slowed before, and so have periods to spare, 1 to 5. See
    /// docs/stretching.md for the sound of both methods.
    package static let largestChange = 9.0

    /// A plan for one speed.
    ///
    /// - Parameters:
    ///   - analysis: An analysis that covers the section; outside its range no jumps are known.
    ///   - section: Frames of the recording, fewer than 2^40.
    ///   - speed: Source frames per output frame, 0.25 to 4. Meant for 0.5 to 1.2: below, sounds are heard three times
    ///     and more; above, whole sounds may be lost.
    ///
    /// Real-time safe: no. Takes some hundredths of the section's duration.
    package convenience init(_ analysis: SpeechAnalysis, section: Range<Int64>, speed: Double) {
        precondition(speed >= 0.25 && speed <= 4, "A plan takes speeds of 0.25 to 4.")
        let outputFrames = Int64(Double(section.count) / speed + 0.5)
        self.init(analysis, section: section, outputFrames: outputFrames) { Double($0) * speed }
    }

    /// A plan for a speed that changes.
    ///
    /// - Parameters:
    ///   - analysis: An analysis that covers the section.
    ///   - section: Frames of the recording, fewer than 2^40.
    ///   - outputFrames: The plan's length; 0 or more.
    ///   - position: The nominal frame at an output frame, counted from the section's start; must never decrease.
    ///
    /// Real-time safe: no.
    package init(
        _ analysis: SpeechAnalysis, section: Range<Int64>, outputFrames: Int64, position: (Int64) -> Double
    ) {
        precondition(section.count < 1 << 40 && outputFrames >= 0 && outputFrames < 1 << 40, "Such a plan is too long.")
        self.section = section
        self.outputFrames = outputFrames
        var search = SpliceSearch(analysis, section: section, outputFrames: Int(outputFrames))
        let splices = search.run(section, position: position)
        change = search.change
        list = SplicePlan.list(splices, firstFrame: section.lowerBound, outputFrames: outputFrames)
    }

    /// Joins several plans of adjacent sections into one.
    ///
    /// Use this initialiser to plan a long section in bounded memory: cut the section where the speech is softest
    /// (``SpeechAnalysis/softestFrame(in:)``) and plan each part.
    /// - Parameter parts: At least one plan; each section begins at the end of the previous section.
    ///
    /// Real-time safe: no.
    package init(joining parts: [SplicePlan]) {
        precondition(!parts.isEmpty, "A plan is joined of one part at least.")
        var splices: [Splice] = []
        var (end, output, sum) = (parts[0].section.lowerBound, Int64(0), 0.0)
        for part in parts {
            precondition(part.section.lowerBound == end, "The parts of a plan follow one another.")
            splices += (0..<part.list.count).map { part.list[$0].delayed(by: output) }
            end = part.section.upperBound
            output += part.outputFrames
            sum += part.change
        }
        section = parts[0].section.lowerBound..<end
        outputFrames = output
        change = sum
        list = SplicePlan.list(splices, firstFrame: parts[0].section.lowerBound, outputFrames: output)
    }

    /// Copies splices to memory with a stable address.
    private static func list(_ splices: [Splice], firstFrame: Int64, outputFrames: Int64) -> SpliceList {
        let memory = UnsafeMutablePointer<Splice>.allocate(capacity: max(1, splices.count))
        for (index, splice) in splices.enumerated() { unsafe (memory + index).initialize(to: splice) }
        return unsafe SpliceList(
            firstFrame: firstFrame, outputFrames: outputFrames, splices: memory, count: splices.count)
    }

    deinit { list.deallocate() }
}
