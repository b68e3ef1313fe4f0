// The rows of modulated tones: vibrato, tremolo, trills and glides, alone and among other tones.
import SoundMeasures

/// The rows of the table, from the errors of each draw.
enum ModulationRow {
    /// Each with the median and the worst of all draws.
    static let quantities: [(Quantity, @Sendable (ModulationErrors) -> Double)] = [
        (lost("vibrato, depth lost, %", "vibrato_lost_percent"), { $0.vibrato.depthLost }),
        (lost("vibrato, wobble, cents", "vibrato_wobble_cents"), { $0.vibrato.shape }),
        (lost("tremolo, depth lost, points", "tremolo_lost_points"), { $0.tremolo.depthLost }),
        (lost("tremolo, shape, %", "tremolo_shape_percent"), { $0.tremolo.shape }),
        (lost("trill, cents", "trill_cents"), { $0.trill }),
        (lost("glide, cents", "glide_cents"), { $0.glide }),
        (lost("duet, vibrato lost, %", "duet_lost_percent"), { $0.duet.depthLost }),
        (lost("duet, wobble, cents", "duet_wobble_cents"), { $0.duet.shape }),
        (lost("duet, steady voice, cents", "duet_steady_cents"), { $0.steadyVoice }),
        (lost("tremulant, pitch lost, %", "tremulant_pitch_percent"), { $0.tremulantPitch.depthLost }),
        (lost("tremulant, level lost, points", "tremulant_level_points"), { $0.tremulantLevel.depthLost }),
        (.init(name: "unison, beats, dB", key: "unison_beats_db", decimals: 1, better: .higher), { $0.beats }),
        (lost("section, level's variation, %", "section_variation_percent"), { $0.sectionVariation }),
        (lost("section, rate of the level, %", "section_rate_percent"), { $0.sectionRate }),
    ]

    private static func lost(_ name: String, _ key: String) -> Quantity {
        Quantity(name: name, key: key, decimals: 2, better: .lower)
    }
}
