/// Where to splice a section of speech so that it lasts as long as its speed demands.
///
/// The section is copied as it is, but for jumps of 2.5 to 20 ms, back where it has to become longer and forward where
/// it has to become shorter, each to a place that sounds alike. The jumps are those that cost least in sum, over the whole
/// section: what they change in the sound, what they say more than twice, and how far the sound strays from its time.
/// At speed 1 there are none, and the plan is the recording.
///
/// The price of a plan is symmetrical in time: a plan at the inverse speed over what this one made costs least where it
/// takes out exactly what was put in here.
///
/// The method: splices at alike places are Verhelst and Roelands' (1993); that the whole section is known, and the best
/// sequence found by dynamic programming instead of the best next splice, is ours.
@safe
package final class SplicePlan: Sendable {
    /// The frames of the recording the plan plays: from the first to, at the end of the output, the end exactly.
    package let section: Range<Int64>
    /// How long it lasts.
    package let outputFrames: Int64
    /// The splices for the render thread, valid as long as the plan.
    package let list: SpliceList
    /// What all its splices and its distance from the nominal positions cost: a plan's own measure of what it does to the
    /// sound.
    package let price: Double

    /// A plan for one speed.
    ///
    /// - Parameters:
    ///   - analysis: Of a range that holds the section; beyond it no jumps are known.
    ///   - section: Frames of the recording, fewer than 2^40.
    ///   - speed: Source frames per output frame, 0.25 to 4. Meant for 0.5 to 1.2: below, sounds are heard three times and
    ///     more, above, whole sounds may be lost.
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
    ///   - analysis: Of a range that holds the section.
    ///   - section: Frames of the recording, fewer than 2^40.
    ///   - outputFrames: How long it is to last; 0 or more.
    ///   - position: The frame of the section, from its start, that ought to be heard at an output frame; never falls.
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
        price = search.price
        list = SplicePlan.list(splices, firstFrame: section.lowerBound, outputFrames: outputFrames)
    }

    /// One plan of several that follow one another: their sections in the recording, and so their sound.
    ///
    /// This is how a long section is planned in bounded memory: cut where the speech is softest
    /// (``SpeechAnalysis/softestFrame(in:)``), part by part.
    /// - Parameter parts: At least one; each section begins where the one before ends.
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
            sum += part.price
        }
        section = parts[0].section.lowerBound..<end
        outputFrames = output
        price = sum
        list = SplicePlan.list(splices, firstFrame: parts[0].section.lowerBound, outputFrames: output)
    }

    /// Splices at an address of their own.
    private static func list(_ splices: [Splice], firstFrame: Int64, outputFrames: Int64) -> SpliceList {
        let memory = UnsafeMutablePointer<Splice>.allocate(capacity: max(1, splices.count))
        for (index, splice) in splices.enumerated() { unsafe (memory + index).initialize(to: splice) }
        return unsafe SpliceList(
            firstFrame: firstFrame, outputFrames: outputFrames, splices: memory, count: splices.count)
    }

    deinit { list.deallocate() }
}
