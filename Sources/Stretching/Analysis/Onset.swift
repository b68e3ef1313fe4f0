/// A place in a recording across which a stretcher must not carry sound: an attack, or a sudden stop.
///
/// All frames are frames of the recording. ``OnsetMap`` defines an onset.
package struct Onset: Sendable, Hashable, BitwiseCopyable {
    /// The kind of event at an onset.
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
        /// A sound begins, within some milliseconds.
        case attack
        /// A sustained sound ends within some milliseconds, and silence follows.
        case stop
    }

    /// The last frame up to which the old sound is complete: at an attack nothing of the new sound lies before the cut,
    /// at a stop nothing of the ending.
    package let cut: Int64
    /// The frame that keeps its time: an attack's first frame, or the first frame of the silence after a stop. Never
    /// before ``cut``.
    let attack: Int64
    /// The rise of the sound at an attack, or the fall at a stop, in dB; for comparing onsets, not a level.
    let strength: Float
    /// The rise of the sound above 1 kHz at an attack, in dB.
    let trebleRise: Float
    /// The kind: the beginning or the end of a sound.
    package let kind: Kind

    /// An onset.
    ///
    /// - Parameters:
    ///   - cut: The end of the old sound, in frames of the recording; at or before `attack`.
    ///   - attack: The frame that keeps its time.
    ///   - strength: The rise or fall in dB.
    ///   - trebleRise: The rise above 1 kHz in dB.
    ///   - kind: The beginning or the end of a sound.
    ///
    /// Real-time safe: yes.
    package init(cut: Int64, attack: Int64, strength: Float, trebleRise: Float = 0, kind: Kind = .attack) {
        precondition(cut <= attack, "An onset's cut lies before its attack.")
        self.cut = cut
        self.attack = attack
        self.strength = strength
        self.trebleRise = trebleRise
        self.kind = kind
    }
}

extension [Onset] {
    /// The times of the attacks, in seconds.
    package func attackSeconds(sampleRate: Int) -> [Double] {
        filter { $0.kind == .attack }.map { Double($0.attack) / Double(sampleRate) }
    }
}
