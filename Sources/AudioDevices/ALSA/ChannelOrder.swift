import CALSA
import Glibc

/// Maps our channels to a device's.
///
/// Our channels are in the order of WAVE files; devices have their own orders, for example front, rear, centre, low.
enum ChannelOrder {
    /// Speaker positions in the order of WAVE files.
    private static let wave: [snd_pcm_chmap_position] = [
        SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FLC,
        SND_CHMAP_FRC, SND_CHMAP_RC, SND_CHMAP_SL, SND_CHMAP_SR, SND_CHMAP_TC, SND_CHMAP_TFL, SND_CHMAP_TFC,
        SND_CHMAP_TFR, SND_CHMAP_TRL, SND_CHMAP_TRC, SND_CHMAP_TRR,
    ]

    /// Returns, for each channel of the device, the number of our channel; in order if the device reports no order or
    /// an invalid order.
    ///
    /// Call this once the hardware parameters are set.
    static func read(_ pcm: OpaquePointer, channelCount: Int) -> [Int] {
        let identity = Array(0..<channelCount)
        guard let map = unsafe snd_pcm_get_chmap(pcm) else { return identity }
        defer { unsafe free(map) }
        guard unsafe Int(map.pointee.channels) == channelCount else { return identity }
        let positions = unsafe withUnsafePointer(to: &map.pointee.channels) { channels in
            // The positions follow the count, in an array of unknown length not imported by Swift.
            let first = unsafe UnsafeRawPointer(channels) + MemoryLayout<UInt32>.stride
            return identity.map { unsafe first.load(fromByteOffset: $0 * MemoryLayout<UInt32>.stride, as: UInt32.self) }
        }
        return order(of: positions) ?? identity
    }

    /// Returns the order for a device's positions; nil if a position is unknown or occurs twice.
    static func order(of positions: [UInt32]) -> [Int]? {
        let ranks = positions.compactMap { position in wave.firstIndex { $0.rawValue == position } }
        guard ranks.count == positions.count, Set(ranks).count == ranks.count else { return nil }
        let sorted = ranks.sorted()
        return ranks.compactMap { sorted.firstIndex(of: $0) }
    }
}
