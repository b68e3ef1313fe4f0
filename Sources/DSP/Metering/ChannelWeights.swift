/// The weight of each channel in the loudness of the whole (ITU-R BS.1770-5, table 3): 1 in front, 1.41 at the sides,
/// 0 for the low-frequency channel.
package struct ChannelWeights: Sendable, Equatable {
    /// A factor a channel, 0 or more.
    package let values: [Double]

    /// The standard's weight for a loudspeaker at the side: 60 to 120 degrees from the front.
    package static let side = 1.41

    /// Makes weights of any values, in the order of the channels.
    ///
    /// - Parameter values: 1 to 64 numbers from 0 to 1000.
    ///
    /// Real-time safe: no.
    package init(_ values: [Double]) {
        precondition(
            (1...64).contains(values.count) && values.allSatisfy { (0...1000).contains($0) },
            "Weights are 1 to 64 numbers from 0 to 1000.")
        self.values = values
    }

    /// Returns the weights of the usual layout with this many channels, in the order of WAV files.
    ///
    /// | channels | layout |
    /// | --- | --- |
    /// | 1, 2, 3 | mono; L R; L R C |
    /// | 4, 5 | L R Ls Rs; L R C Ls Rs |
    /// | 6 | L R C LFE Ls Rs |
    /// | 7 | L R C LFE, rear centre, side L R |
    /// | 8 | L R C LFE, rear L R, side L R |
    ///
    /// Rear loudspeakers, beyond 120 degrees, count 1. The surround loudspeakers of four, five and six channels stand
    /// as in ITU-R BS.775, at 110 degrees. More than eight channels have no usual layout: all count 1.
    ///
    /// - Parameter channelCount: 1 to 64.
    ///
    /// Real-time safe: no.
    package static func standard(channelCount: Int) -> ChannelWeights {
        let (front, side, low) = (1.0, side, 0.0)
        switch channelCount {
        case 4: return ChannelWeights([front, front, side, side])
        case 5: return ChannelWeights([front, front, front, side, side])
        case 6: return ChannelWeights([front, front, front, low, side, side])
        case 7: return ChannelWeights([front, front, front, low, front, side, side])
        case 8: return ChannelWeights([front, front, front, low, front, front, side, side])
        default: return ChannelWeights([Double](repeating: front, count: channelCount))
        }
    }
}
