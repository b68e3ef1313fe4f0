/// The comparison's steps for the benchmarks: a separate package, which sees no `package` declarations.
@_spi(Benchmarks) public enum ComparisonTrial {
    /// The features of a recording, as an alignment needs.
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

    /// Returns the number of values of an alignment; nil if there is none.
    public static func alignmentCount(model: Features, take: Features) -> Int? {
        Alignment(model: model.features, take: take.features)?.places.count
    }

    /// The comparison of two recordings in memory, mixed to one channel.
    public static func comparison(of take: [Float], with model: [Float], sampleRate: Int) -> Comparison {
        Comparison(
            of: ComparedSound(take, sampleRate: sampleRate), with: ComparedSound(model, sampleRate: sampleRate))
    }
}
