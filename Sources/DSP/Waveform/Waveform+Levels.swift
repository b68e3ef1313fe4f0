// Creates a waveform from stored levels, and gives access to its levels as memory, for files.
internal import Explanations

/// The reason why levels do not form a waveform.
package struct WaveformLevelsError: ExplainedError, Equatable {
    /// The cause, in one plain sentence.
    package let message: String
    /// The remedy, in one plain sentence.
    package var remedy: String { "Make the waveform anew from the recording." }
}

extension Waveform {
    /// The permitted channel counts of a waveform.
    package static let channelCounts = 1...64

    /// Returns the number of bins in each level of a channel, from the finest level to the level with a single bin; a
    /// recording of no frames has one level without bins.
    ///
    /// - Parameter frameCount: 0 or more.
    package static func binCounts(frameCount: Int64) -> [Int] {
        placeCounts(frameCount: frameCount, framesPerPlace: framesPerBin)
    }

    /// Returns the number of tones in each level, from the finest level to the level with a single tone.
    ///
    /// - Parameters:
    ///   - frameCount: 0 or more.
    ///   - sampleRate: In Hz, 1 or more.
    package static func toneCounts(frameCount: Int64, sampleRate: Int) -> [Int] {
        placeCounts(frameCount: frameCount, framesPerPlace: framesPerTone(sampleRate: sampleRate))
    }

    /// Returns the frames per tone of level 0 at a sample rate in Hz.
    package static func framesPerTone(sampleRate: Int) -> Int { ToneAnalyser.hop(sampleRate: sampleRate) }

    private static func placeCounts(frameCount: Int64, framesPerPlace: Int) -> [Int] {
        precondition(frameCount >= 0, "A recording has 0 or more frames.")
        var counts = [Int(frameCount / Int64(framesPerPlace)) + (frameCount % Int64(framesPerPlace) > 0 ? 1 : 0)]
        while let last = counts.last, last > 1 { counts.append(last / 2 + last % 2) }
        return counts
    }

    /// Makes a waveform of stored levels; checks the number of values, not their content.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz, 1 or more.
    ///   - frameCount: Frames summed up, 0 or more.
    ///   - channels: The levels of each of 1 to 64 channels, from the finest level, with the lengths given by
    ///     ``binCounts(frameCount:)``.
    ///   - tones: The levels of the tones, with the lengths given by ``toneCounts(frameCount:sampleRate:)``; empty if
    ///     the colour of the sound is not known.
    /// - Throws: `WaveformLevelsError` if a count does not fit the other counts.
    ///
    /// Real-time safe: no.
    package init(
        sampleRate: Int, frameCount: Int64, channels: [[[WaveformBin]]], tones: [[WaveformTone]]
    ) throws(WaveformLevelsError) {
        guard sampleRate >= 1, frameCount >= 0, Self.channelCounts.contains(channels.count) else {
            throw WaveformLevelsError(
                message:
                    "There is no waveform of \(frameCount) frames of \(channels.count) channels at \(sampleRate) Hz.")
        }
        let binCounts = Self.binCounts(frameCount: frameCount)
        for (channel, levels) in channels.enumerated() where levels.map(\.count) != binCounts {
            throw WaveformLevelsError(
                message: "The levels of channel \(channel) do not have the lengths that \(frameCount) frames make.")
        }
        let toneCounts = Self.toneCounts(frameCount: frameCount, sampleRate: sampleRate)
        guard tones.isEmpty || tones.map(\.count) == toneCounts else {
            throw WaveformLevelsError(
                message: "The levels of the tones do not have the lengths that \(frameCount) frames make.")
        }
        self.init(
            sampleRate: sampleRate, frameCount: frameCount,
            framesPerTone: Self.framesPerTone(sampleRate: sampleRate),
            channels: channels.map { $0.map(ChunkedList.init(_:)) }, tones: tones.map(ChunkedList.init(_:)))
    }

    // MARK: - As memory

    /// Returns the size of all levels in bytes, as read from a file and as passed by ``forEachRunOfBytes(_:)``.
    package static func levelByteCount(frameCount: Int64, sampleRate: Int, channelCount: Int, hasTones: Bool) -> Int {
        let bins = binCounts(frameCount: frameCount).reduce(0, +) * channelCount
        let tones = hasTones ? toneCounts(frameCount: frameCount, sampleRate: sampleRate).reduce(0, +) : 0
        return bins * MemoryLayout<WaveformBin>.stride + tones * MemoryLayout<WaveformTone>.stride
    }

    /// Makes a waveform from levels which `fill` reads into the given memory, piece after piece: the levels of each
    /// channel from the finest level, then the levels of the tones.
    ///
    /// Integers are little endian. The caller has checked the counts: channels 1 to 64, rate 1 or more, frames 0 or
    /// more.
    package init<Failure: Error>(
        sampleRate: Int, frameCount: Int64, channelCount: Int, hasTones: Bool,
        fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = LevelMemory(
            byteCount: Self.levelByteCount(
                frameCount: frameCount, sampleRate: sampleRate, channelCount: channelCount, hasTones: hasTones))
        for start in stride(from: 0, to: memory.byteCount, by: Self.pieceBytes) {
            let end = min(memory.byteCount, start + Self.pieceBytes)
            try unsafe fill(UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start..<end]))
        }
        var offset = 0
        func list<Element: BitwiseCopyable & Sendable>(_ count: Int) -> ChunkedList<Element> {
            defer { offset += count * MemoryLayout<Element>.stride }
            return ChunkedList(count: count, in: memory, at: offset)
        }
        let binCounts = Self.binCounts(frameCount: frameCount)
        let channels: [[ChunkedList<WaveformBin>]] = (0..<channelCount).map { _ in
            binCounts.map { count in
                let bins: ChunkedList<WaveformBin> = list(count)
                return Self.isMemoryLittleEndian ? bins : ChunkedList(bins.map(\.byteSwapped))
            }
        }
        let tones = hasTones ? Self.toneCounts(frameCount: frameCount, sampleRate: sampleRate) : []
        self.init(
            sampleRate: sampleRate, frameCount: frameCount,
            framesPerTone: Self.framesPerTone(sampleRate: sampleRate), channels: channels, tones: tones.map(list))
    }

    /// The size of each read: small enough to stay in the processor's cache until its checksum is computed.
    private static let pieceBytes = 256 << 10

    /// Calls `body` with the bytes of all levels, run after run, in the order and form of the file.
    package func forEachRunOfBytes<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        for levels in channels {
            for bins in levels {
                let stored = Self.isMemoryLittleEndian ? bins : ChunkedList(bins.map(\.byteSwapped))
                try unsafe stored.forEachRunOfBytes(body)
            }
        }
        for level in tones { try unsafe level.forEachRunOfBytes(body) }
    }

    /// True if memory has the byte order of files, so levels can be copied as bytes.
    private static var isMemoryLittleEndian: Bool { UInt16(1).littleEndian == 1 }
}

extension WaveformBin {
    fileprivate var byteSwapped: WaveformBin {
        WaveformBin(minimum: minimum.byteSwapped, maximum: maximum.byteSwapped, level: level.byteSwapped)
    }
}

extension ChunkedList {
    fileprivate init(_ elements: [Element]) {
        self.init()
        for element in elements { append(element) }
    }

    fileprivate func map(_ transform: (Element) -> Element) -> [Element] { (0..<count).map { transform(self[$0]) } }

    fileprivate func forEachRunOfBytes<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) where Element: BitwiseCopyable {
        try unsafe forEachRun { (run) throws(Failure) in try unsafe body(UnsafeRawBufferPointer(run)) }
    }
}

extension WaveformLevelsError: CategorisedError {
    package var exitStatus: ExitStatus { .badData }
}
