/// The onsets of a recording: the places where a stretcher must keep two sounds apart.
///
/// An onset is a place where a sound begins within about 15 ms, or a sustained sound ends within 8 ms. A slower
/// beginning is not an onset, even if a listener clearly hears a new note: bowed and blown beginnings, legato, vowels
/// after vowels. The stretcher spreads a slow beginning by less than its own duration, so a cut would cost more than it
/// saves. Movement without a beginning is not an onset either: vibrato, tremolo, glissando, beating, the grain of
/// noise.
///
/// Onsets are found in two steps. The rise of the sound in narrow bands proposes places (`OnsetNovelty`). At each place
/// linear prediction learns the sound before, and the prediction error decides and gives the frame
/// (`AttackRefinement`). All statistics are local: with ``contextFrames(sampleRate:)`` frames of context on either
/// side, the onsets are the same for any division of a recording into cores.
package enum OnsetMap {
    /// A place to be judged.
    struct Candidate {
        /// The mean rise over the bands in dB.
        let novelty: Float
        let attack: AttackRefinement.Attack

        /// Thresholds chosen on the labelled set and on excerpts of records, see docs/onsets.md. A weak rise must be
        /// sharp.
        var isOnset: Bool {
            attack.shortfall <= 9 && attack.rise >= 6 + attack.shortfall && attack.rise + 4 * Double(novelty) >= 12
        }
    }

    /// Mean rises below this, in dB, are ignored.
    static let lowestNovelty: Float = 0.6
    /// Minimum distance of two attacks. Of two closer attacks, the weaker is not an onset. The stretcher plays an
    /// attack's first 12 ms at their own speed and needs some time to correct the position.
    static let gapSeconds = 0.05
    /// Time examined beyond the core, so that attacks outside can win against attacks inside: three rounds of gaps.
    private static let marginSeconds = 0.4
    private static let contextSeconds = 1.5

    /// Returns the number of frames that the block should reach beyond the core on either side.
    ///
    /// With less context, onsets near the core's ends may differ from the onsets of one long block. No frames outside
    /// the recording are needed.
    /// - Parameter sampleRate: 8000 to 768000 Hz.
    ///
    /// Real-time safe: yes.
    package static func contextFrames(sampleRate: Int) -> Int { Int(contextSeconds * Double(sampleRate)) }

    /// Returns the onsets whose attack lies in `core`, in order of time.
    ///
    /// An attack's ``Onset/cut`` may lie before the core, and at a recording's first sound before frame 0. Takes about
    /// 3 ms for a second of stereo.
    /// - Parameters:
    ///   - block: The core and its context.
    ///   - core: The frames of interest, in frames of the recording.
    ///
    /// Real-time safe: no.
    package static func onsets(in block: SourceBlock, within core: Range<Int64>) -> [Onset] {
        guard !core.isEmpty, block.frameCount > 0 else { return [] }
        let margin = Int64(marginSeconds * Double(block.sampleRate))
        let around = core.lowerBound - margin..<core.upperBound + margin
        let stops = SuddenStops.stops(in: block, within: around)
        let gap = Int64(gapSeconds * Double(block.sampleRate))
        let treble = TrebleRise(sampleRate: block.sampleRate)
        let attacks = candidates(in: block, within: around).filter(\.isOnset).map { candidate in
            let (cut, attack) = (candidate.attack.cut, candidate.attack.attack)
            return Onset(
                cut: cut, attack: attack, strength: candidate.novelty,
                trebleRise: Float(treble.rise(in: block, cut: cut, attack: attack)))
        }
        // A cut-off end clicks; the click is not an attack.
        let clear = attacks.filter { attack in !stops.contains { abs($0.attack - attack.attack) < gap / 3 } }
        let result = apart(clear, gap: gap) + stops
        return result.filter { core.contains($0.attack) }.sorted { $0.attack < $1.attack }
    }

    /// Returns the places worth judging, in order of time.
    static func candidates(in block: SourceBlock, within range: Range<Int64>) -> [Candidate] {
        let inside = range.clamped(to: block.range)
        guard !inside.isEmpty else { return [] }
        let novelty = OnsetNovelty(block, from: inside.lowerBound, through: inside.upperBound)
        let refinement = AttackRefinement(sampleRate: block.sampleRate)
        return novelty.peaks(above: lowestNovelty).compactMap { peak in
            let frame = (novelty.first + Int64(peak)) * Int64(novelty.hop) + Int64(novelty.hop / 2)
            return refinement.attack(in: block, near: frame).map {
                Candidate(novelty: novelty.rise[peak], attack: $0)
            }
        }
    }

    /// Returns the attacks that remain when the stronger of two near attacks wins; of equally strong attacks, the
    /// earlier.
    ///
    /// Winners are chosen in three rounds, from the locally strongest down, rather than in sequence over the whole
    /// recording. An attack's fate therefore depends on six gaps around the attack at most, never on the far end of a
    /// drum roll.
    private static func apart(_ attacks: [Onset], gap: Int64) -> [Onset] {
        var open = Array(Set(attacks)).sorted { ($0.attack, $0.cut) < ($1.attack, $1.cut) }
        var kept: [Onset] = []
        for _ in 0..<3 {
            let winners = open.indices.filter { index in
                !open.indices.contains { other in
                    other != index && abs(open[other].attack - open[index].attack) < gap
                        && (open[other].strength, index) > (open[index].strength, other)
                }
            }
            kept += winners.map { open[$0] }
            open.removeAll { attack in kept.contains { abs($0.attack - attack.attack) < gap } }
        }
        return kept
    }
}
