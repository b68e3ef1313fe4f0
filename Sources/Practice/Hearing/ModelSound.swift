internal import AudioFiles
internal import Clips
internal import Engine

/// The model of a pair, at its speed and pitch during the take: a left and a right lane.
protocol ModelSound: AnyObject {
    /// Reads `count` frames, starting at `frame`, all within the model.
    func read(
        from frame: Int64, count: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>
    ) throws
}

/// A passage at its own speed and pitch: the samples of the recording.
final class CopiedModel: ModelSound {
    private let reader: LaneReader
    private let first: Int64

    init(_ passage: ComparedPassage) {
        reader = LaneReader(passage.clip)
        first = passage.frames.lowerBound
    }

    func read(
        from frame: Int64, count: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>
    ) throws {
        try unsafe reader.read(from: first + frame, count: count, left: left, right: right)
    }
}

/// A passage at another speed or pitch, rendered during reading: each frame once, in order.
final class RenderedModel: ModelSound {
    private let sound: OfflineSound
    /// The rendered samples still to be read.
    private var (left, right, used): ([Float], [Float], Int) = ([], [], 0)

    init(_ passage: ComparedPassage) throws { sound = try OfflineSound(passage.clip, try passage.score()) }

    func read(
        from frame: Int64, count: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>
    ) throws {
        var done = 0
        while done < count {
            if used == self.left.count, try !render() {
                // Rounding can make the score one frame shorter.
                for index in done..<count { unsafe (left[index], right[index]) = (0, 0) }
                return
            }
            let part = min(count - done, self.left.count - used)
            for index in 0..<part {
                unsafe left[done + index] = self.left[used + index]
                unsafe right[done + index] = self.right[used + index]
            }
            done += part
            used += part
        }
    }

    private func render() throws -> Bool {
        let last = sound.channelCount > 1 ? 1 : 0
        return try unsafe sound.next { channels, count in
            left = unsafe Array(UnsafeBufferPointer(start: channels[0], count: count))
            right = unsafe last == 0 ? left : Array(UnsafeBufferPointer(start: channels[1], count: count))
            used = 0
        }
    }
}

/// A rendered passage in memory: readable at any frame.
final class StoredModel: ModelSound {
    private let left: [Float]
    /// Nil if both lanes are the same.
    private let right: [Float]?

    /// Renders the whole passage; a cancellation takes effect between two blocks.
    init(_ passage: ComparedPassage, frameCount: Int, isCancelled: () -> Bool) throws {
        let sound = try OfflineSound(passage.clip, try passage.score())
        let isMono = sound.channelCount == 1
        var (left, right): ([Float], [Float]) = ([], [])
        left.reserveCapacity(frameCount)
        if !isMono { right.reserveCapacity(frameCount) }
        while left.count < frameCount {
            if isCancelled() { throw HearingError.cancelled }
            let goesOn = try unsafe sound.next { channels, count in
                let part = min(count, frameCount - left.count)
                unsafe left.append(contentsOf: UnsafeBufferPointer(start: channels[0], count: part))
                if !isMono { unsafe right.append(contentsOf: UnsafeBufferPointer(start: channels[1], count: part)) }
            }
            if !goesOn { break }
        }
        self.left = left
        self.right = isMono ? nil : right
    }

    func read(
        from frame: Int64, count: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>
    ) throws {
        let (first, other) = (Int(frame), self.right ?? self.left)
        for index in 0..<count {
            let place = first + index
            let isInside = place < self.left.count
            unsafe left[index] = isInside ? self.left[place] : 0
            unsafe right[index] = isInside ? other[place] : 0
        }
    }
}
