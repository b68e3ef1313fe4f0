import CALSA

/// Transfers planar Float32 to or from a device, with conversion, by memory mapping or by calls, as negotiated.
@safe
final class ALSATransfer {
    private let pcm: OpaquePointer
    private let layout: SampleLayout
    private let access: snd_pcm_access_t
    private let channelCount: Int
    /// Converted samples for a transfer by call; unused with mapping.
    private let staging: UnsafeMutableRawPointer
    private let stagingChannels: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// For each channel of the device, our channel.
    private let order: UnsafeMutablePointer<Int>

    init(_ pcm: OpaquePointer, settings: HardwareSettings) {
        unsafe self.pcm = unsafe pcm
        layout = settings.layout
        access = settings.access
        channelCount = settings.channelCount
        let channelBytes = settings.blockFrames * settings.layout.encoding.byteCount
        unsafe staging = .allocate(byteCount: channelBytes * channelCount, alignment: 64)
        unsafe staging.initializeMemory(as: UInt8.self, repeating: 0, count: channelBytes * channelCount)
        unsafe stagingChannels = .allocate(capacity: channelCount)
        unsafe order = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (stagingChannels + channel).initialize(to: staging + channel * channelBytes)
            unsafe (order + channel).initialize(to: settings.channelOrder[channel])
        }
    }

    deinit {
        unsafe staging.deallocate()
        unsafe stagingChannels.deallocate()
        unsafe order.deallocate()
    }

    /// Writes up to `count` frames, from frame `first` of `channels` on; at most the settings' block.
    ///
    /// Returns the number of frames taken by the device, perhaps fewer or 0, or a negative error number.
    func write(_ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, count: Int) -> Int {
        switch access {
        case SND_PCM_ACCESS_RW_INTERLEAVED:
            unsafe encodeStaging(channels, first, count, interleaved: true)
            return Int(unsafe snd_pcm_writei(pcm, staging, snd_pcm_uframes_t(count)))
        case SND_PCM_ACCESS_RW_NONINTERLEAVED:
            unsafe encodeStaging(channels, first, count, interleaved: false)
            return Int(unsafe snd_pcm_writen(pcm, stagingChannels, snd_pcm_uframes_t(count)))
        default:
            return unsafe withMapping(count) { area, start, step, frames in
                unsafe layout.write(
                    channels[order[area]] + first, count: frames, to: start, strideBytes: step)
            }
        }
    }

    /// Reads up to `count` frames into `channels`, from frame `first` on; at most the settings' block.
    ///
    /// Returns the number of frames delivered by the device, perhaps fewer or 0, or a negative error number.
    func read(_ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, count: Int) -> Int {
        switch access {
        case SND_PCM_ACCESS_RW_INTERLEAVED:
            let moved = Int(unsafe snd_pcm_readi(pcm, staging, snd_pcm_uframes_t(count)))
            unsafe decodeStaging(channels, first, max(0, moved), interleaved: true)
            return moved
        case SND_PCM_ACCESS_RW_NONINTERLEAVED:
            let moved = Int(unsafe snd_pcm_readn(pcm, stagingChannels, snd_pcm_uframes_t(count)))
            unsafe decodeStaging(channels, first, max(0, moved), interleaved: false)
            return moved
        default:
            return unsafe withMapping(count) { area, start, step, frames in
                unsafe layout.read(
                    start, strideBytes: step, count: frames, to: channels[order[area]] + first)
            }
        }
    }

    /// Calls `body` for each of the device's channels in the next piece of the ring: with the channel's number, start,
    /// stride in bytes and frames.
    private func withMapping(
        _ count: Int, _ body: (Int, UnsafeMutableRawPointer, Int, Int) -> Void
    ) -> Int {
        let available = unsafe snd_pcm_avail_update(pcm)
        guard available > 0 else { return Int(available) }
        var areas: UnsafePointer<snd_pcm_channel_area_t>?
        var offset: snd_pcm_uframes_t = 0
        // At the end of the ring fewer frames are available, and sometimes none.
        var frames = snd_pcm_uframes_t(count)
        let code = unsafe snd_pcm_mmap_begin(pcm, &areas, &offset, &frames)
        guard code >= 0, frames > 0, let areas = unsafe areas else { return Int(code) }
        for channel in 0..<channelCount {
            let area = unsafe areas[channel]
            guard let base = unsafe area.addr else { continue }
            // Areas count in bits.
            let start = unsafe base + (Int(area.first) + Int(offset) * Int(area.step)) / 8
            unsafe body(channel, start, Int(area.step) / 8, Int(frames))
        }
        return Int(unsafe snd_pcm_mmap_commit(pcm, offset, frames))
    }

    private func encodeStaging(
        _ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ first: Int, _ count: Int, interleaved: Bool
    ) {
        for channel in 0..<channelCount {
            guard let start = unsafe staging(channel, interleaved: interleaved) else { continue }
            unsafe layout.write(
                channels[order[channel]] + first, count: count, to: start, strideBytes: stride(interleaved))
        }
    }

    private func decodeStaging(
        _ channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ first: Int, _ count: Int, interleaved: Bool
    ) {
        for channel in 0..<channelCount {
            guard let start = unsafe staging(channel, interleaved: interleaved) else { continue }
            unsafe layout.read(
                start, strideBytes: stride(interleaved), count: count, to: channels[order[channel]] + first)
        }
    }

    private func staging(_ channel: Int, interleaved: Bool) -> UnsafeMutableRawPointer? {
        interleaved ? unsafe staging + channel * layout.encoding.byteCount : unsafe stagingChannels[channel]
    }

    private func stride(_ interleaved: Bool) -> Int {
        (interleaved ? channelCount : 1) * layout.encoding.byteCount
    }
}
