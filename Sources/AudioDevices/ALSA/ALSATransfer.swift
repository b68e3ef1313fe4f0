import CALSA

/// Moves planar Float32 into a device, converted, by memory mapping or by writing, as was negotiated.
@safe
final class ALSATransfer {
    private let pcm: OpaquePointer
    private let layout: SampleLayout
    private let access: snd_pcm_access_t
    private let isMapped: Bool
    private let channelCount: Int
    private let frameCapacity: Int
    /// Converted samples on their way to a write; unused with mapping.
    private let staging: UnsafeMutableRawPointer
    private let stagingChannels: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init(_ pcm: OpaquePointer, settings: HardwareSettings) {
        unsafe self.pcm = unsafe pcm
        layout = settings.layout
        access = settings.access
        isMapped = settings.isMapped
        channelCount = settings.channelCount
        frameCapacity = settings.blockFrames
        let channelBytes = frameCapacity * settings.layout.encoding.byteCount
        unsafe staging = .allocate(byteCount: channelBytes * channelCount, alignment: 64)
        unsafe staging.initializeMemory(as: UInt8.self, repeating: 0, count: channelBytes * channelCount)
        unsafe stagingChannels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (stagingChannels + channel).initialize(to: staging + channel * channelBytes)
        }
    }

    deinit {
        unsafe staging.deallocate()
        unsafe stagingChannels.deallocate()
    }

    /// Hands over up to `count` frames beginning with frame `first` of `channels`.
    ///
    /// Returns how many the device took, perhaps fewer or 0, or a negative error number.
    func write(_ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, count: Int) -> Int {
        switch access {
        case SND_PCM_ACCESS_RW_INTERLEAVED: unsafe writeInterleaved(channels, first, count)
        case SND_PCM_ACCESS_RW_NONINTERLEAVED: unsafe writePlanar(channels, first, count)
        default: unsafe writeMapped(channels, first, count)
        }
    }

    private func writeMapped(
        _ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ first: Int, _ count: Int
    ) -> Int {
        let available = unsafe snd_pcm_avail_update(pcm)
        guard available > 0 else { return Int(available) }
        var areas: UnsafePointer<snd_pcm_channel_area_t>?
        var offset: snd_pcm_uframes_t = 0
        // Fewer come back at the end of the ring, and sometimes none at all.
        var frames = snd_pcm_uframes_t(count)
        let code = unsafe snd_pcm_mmap_begin(pcm, &areas, &offset, &frames)
        guard code >= 0, frames > 0, let areas = unsafe areas else { return Int(code) }
        for channel in 0..<channelCount {
            let area = unsafe areas[channel]
            guard let base = unsafe area.addr else { continue }
            // Areas count in bits.
            let start = unsafe base + (Int(area.first) + Int(offset) * Int(area.step)) / 8
            unsafe layout.write(
                channels[channel] + first, count: Int(frames), to: start, strideBytes: Int(area.step) / 8)
        }
        return Int(unsafe snd_pcm_mmap_commit(pcm, offset, frames))
    }

    private func writeInterleaved(
        _ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ first: Int, _ count: Int
    ) -> Int {
        let bytes = layout.encoding.byteCount
        for channel in 0..<channelCount {
            unsafe layout.write(
                channels[channel] + first, count: count, to: staging + channel * bytes,
                strideBytes: channelCount * bytes)
        }
        return Int(unsafe snd_pcm_writei(pcm, staging, snd_pcm_uframes_t(count)))
    }

    private func writePlanar(
        _ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ first: Int, _ count: Int
    ) -> Int {
        for channel in 0..<channelCount {
            guard let start = unsafe stagingChannels[channel] else { continue }
            unsafe layout.write(
                channels[channel] + first, count: count, to: start, strideBytes: layout.encoding.byteCount)
        }
        return Int(unsafe snd_pcm_writen(pcm, stagingChannels, snd_pcm_uframes_t(count)))
    }
}
