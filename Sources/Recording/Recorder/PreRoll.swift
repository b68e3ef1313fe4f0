/// The last half second before a take, so that its first attack is never cut off.
struct PreRoll {
    private var samples: [Float]
    private let channelCount: Int
    private let frameCapacity: Int
    private(set) var frameCount = 0
    /// Index of the next stored frame.
    private var head = 0

    init(channelCount: Int, frameCapacity: Int) {
        self.channelCount = channelCount
        self.frameCapacity = max(1, frameCapacity)
        samples = Array(repeating: 0, count: channelCount * self.frameCapacity)
    }

    /// Adds interleaved frames, or `count` frames of silence for nil; the oldest frames are dropped.
    mutating func append(_ frames: UnsafePointer<Float>?, count: Int) {
        var done = max(0, count - frameCapacity)
        while done < count {
            let part = min(count - done, frameCapacity - head)
            unsafe put(frames.map { unsafe $0 + done * channelCount }, part)
            head = head + part == frameCapacity ? 0 : head + part
            done += part
        }
        frameCount = min(frameCapacity, frameCount + count)
    }

    /// Writes up to the end of the memory.
    private mutating func put(_ frames: UnsafePointer<Float>?, _ count: Int) {
        let first = head * channelCount
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            guard let target = samples.baseAddress else { return }
            if let frames = unsafe frames {
                unsafe (target + first).update(from: frames, count: count * channelCount)
            } else {
                unsafe (target + first).update(repeating: 0, count: count * channelCount)
            }
        }
    }

    /// Returns the last frames, oldest first, interleaved; fewer if the pre-roll has fewer.
    func last(_ count: Int) -> [Float] {
        var copy = self
        let all = copy.take()
        return Array(all.suffix(max(0, count) * channelCount))
    }

    /// Returns and clears all frames, oldest first, interleaved.
    mutating func take() -> [Float] {
        let first = head >= frameCount ? head - frameCount : head - frameCount + frameCapacity
        let end = min(frameCapacity, first + frameCount)
        let older = samples[first * channelCount..<end * channelCount]
        let newer = samples[..<((frameCount - (end - first)) * channelCount)]
        (frameCount, head) = (0, 0)
        return Array(older + newer)
    }
}
