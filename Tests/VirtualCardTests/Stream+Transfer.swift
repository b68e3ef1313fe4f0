import CALSA
import VirtualCardSupport

extension Stream {
    var bytesPerFrame: Int { bytesPerSample * Int(setup.channelCount) }

    /// Writes interleaved bytes by the stream's access; returns the number of frames taken, or a negative error number.
    func write(_ bytes: [UInt8]) -> Int {
        var bytes = bytes
        return move(&bytes, writes: true)
    }

    /// Reads up to `count` frames, interleaved; throws any other answer of the stream.
    func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * bytesPerFrame)
        let moved = move(&bytes, writes: false)
        guard moved >= 0 else { throw ALSACode(code: Int32(-moved)) }
        framesRead += moved
        return Array(bytes.prefix(moved * bytesPerFrame))
    }

    private func move(_ bytes: inout [UInt8], writes: Bool) -> Int {
        let frames = snd_pcm_uframes_t(bytes.count / bytesPerFrame)
        switch setup.access {
        case SND_PCM_ACCESS_RW_INTERLEAVED:
            return unsafe bytes.withUnsafeMutableBytes {
                Int(
                    writes
                        ? unsafe snd_pcm_writei(pcm, $0.baseAddress, frames)
                        : unsafe snd_pcm_readi(pcm, $0.baseAddress, frames))
            }
        case SND_PCM_ACCESS_RW_NONINTERLEAVED: return movePlanes(&bytes, frames, writes: writes)
        default: return moveMapped(&bytes, frames, writes: writes)
        }
    }

    private func movePlanes(_ bytes: inout [UInt8], _ frames: snd_pcm_uframes_t, writes: Bool) -> Int {
        let planeBytes = Int(frames) * bytesPerSample
        let memory = UnsafeMutableRawPointer.allocate(byteCount: planeBytes * Int(setup.channelCount), alignment: 8)
        defer { unsafe memory.deallocate() }
        var planes: [UnsafeMutableRawPointer?] = unsafe (0..<Int(setup.channelCount)).map {
            unsafe memory + $0 * planeBytes
        }
        func address(_ frame: Int, _ channel: Int) -> UnsafeMutableRawPointer {
            unsafe memory + channel * planeBytes + frame * bytesPerSample
        }
        if writes { unsafe copy(&bytes, 0..<Int(frames), writes: true, address) }
        let moved = Int(
            writes ? unsafe snd_pcm_writen(pcm, &planes, frames) : unsafe snd_pcm_readn(pcm, &planes, frames))
        if !writes, moved > 0 { unsafe copy(&bytes, 0..<moved, writes: false, address) }
        return moved
    }

    /// Through the mapped ring, in as many pieces as necessary.
    private func moveMapped(_ bytes: inout [UInt8], _ frames: snd_pcm_uframes_t, writes: Bool) -> Int {
        var done = 0
        while done < Int(frames) {
            let available = avail()
            guard available > 0 else { return done > 0 ? done : available < 0 ? available : Int(-EAGAIN) }
            var areas: UnsafePointer<snd_pcm_channel_area_t>?
            var offset: snd_pcm_uframes_t = 0
            var count = frames - snd_pcm_uframes_t(done)
            let code = unsafe snd_pcm_mmap_begin(pcm, &areas, &offset, &count)
            guard code >= 0, count > 0, let areas = unsafe areas else { return done > 0 ? done : Int(code) }
            unsafe copy(&bytes, done..<done + Int(count), writes: writes) { frame, channel in
                let area = unsafe areas[channel]
                let bits = unsafe Int(area.first) + (Int(offset) + frame - done) * Int(area.step)
                return unsafe area.addr + bits / 8
            }
            let moved = Int(unsafe snd_pcm_mmap_commit(pcm, offset, count))
            guard moved > 0 else { return done > 0 ? done : moved }
            done += moved
        }
        return done
    }

    /// Between interleaved bytes and samples wherever they lie; frames are counted in `bytes`.
    private func copy(
        _ bytes: inout [UInt8], _ frames: Range<Int>, writes: Bool, _ address: (Int, Int) -> UnsafeMutableRawPointer
    ) {
        unsafe bytes.withUnsafeMutableBytes { all in
            for frame in frames {
                for channel in 0..<Int(setup.channelCount) {
                    let place = unsafe UnsafeMutableRawBufferPointer(
                        start: address(frame, channel), count: bytesPerSample)
                    let start = frame * bytesPerFrame + channel * bytesPerSample
                    let sample = unsafe UnsafeMutableRawBufferPointer(rebasing: all[start..<start + bytesPerSample])
                    if writes {
                        unsafe place.copyMemory(from: .init(sample))
                    } else {
                        unsafe sample.copyMemory(from: .init(place))
                    }
                }
            }
        }
    }
}
