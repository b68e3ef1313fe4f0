/// The comparison's steps for the benchmarks, whose package cannot see what is `package`.
@_spi(Benchmarks) public enum ComparisonTrial {
    /// What an alignment knows of a recording.
    public struct Features: Sendable {
        let features: SoundFeatures

        /// The features of a recording in memory, mixed to one channel.
        public init(_ samples: [Float], sampleRate: Int) {
            features = SoundAnalysis.features(of: samples, sampleRate: sampleRate)
        }
    }

    /// The pitch of a recording in memory, mixed to one channel.
    public static func contour(
        of samples: [Float], sampleRate: Int, range: ClosedRange<Double> = 40...2100
    ) -> PitchContour {
        PitchTracker.contour(of: samples, sampleRate: sampleRate, range: range)
    }

    /// How many values an alignment has; nil if there is none.
    public static func alignmentCount(model: Features, take: Features) -> Int? {
        Alignment(model: model.features, take: take.features)?.places.count
    }

    /// The comparison of two recordings in memory, mixed to one channel.
    public static func comparison(of take: [Float], with model: [Float], sampleRate: Int) -> Comparison {
        Comparison(
            of: ComparedSound(take, sampleRate: sampleRate), with: ComparedSound(model, sampleRate: sampleRate))
    }
}
