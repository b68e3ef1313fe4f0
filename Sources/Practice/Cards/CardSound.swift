internal import AudioFiles
internal import Clips
internal import Files
internal import Samples

/// A part of a clip as the sound of a card: MP3, playable in every Anki, in one channel or two.
///
/// Cuts fade over 5 ms, so that nothing clicks.
struct CardSound {
    let clip: Clip
    /// The part, in frames of the clip.
    let frames: Range<Int64>

    private static let fadeSeconds = 0.005
    private static let blockFrames = 4096

    /// Returns the rate in Hz of the sound of a recording at `given` Hz.
    static func sampleRate(for given: Int) -> Int { ExportFormat.mp3.sampleRate(for: given) }

    /// Encodes the part into a file without a name.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor of the empty file.
    ///   - path: The path of the package, for errors.
    ///   - goesOn: Called often; false cancels.
    func write(to descriptor: Int32, partOf path: String, goesOn: (Int64) -> Bool) throws {
        let channelCount = min(2, clip.channelCount)
        let writer = try makeMP3Writer(
            unnamed: descriptor, partOf: path, sampleRate: clip.sampleRate, channelCount: channelCount)
        do {
            let reader = LaneReader(clip)
            let block = PlanarBuffer(channelCount: 2, frameCount: Self.blockFrames)
            var frame = frames.lowerBound
            while frame < frames.upperBound {
                guard goesOn(frame - frames.lowerBound) else { throw CardError.cancelled }
                let count = Int(min(Int64(Self.blockFrames), frames.upperBound - frame))
                let (left, right) = unsafe (block.channel(0), block.channel(1))
                try unsafe reader.read(from: frame, count: count, left: left, right: right)
                for index in 0..<count {
                    let weight = weight(frame + Int64(index))
                    guard weight != 1 else { continue }
                    unsafe left[index] *= weight
                    unsafe right[index] *= weight
                }
                try unsafe writer.write(UnsafePointer(block.channels), frameCount: count)
                frame += Int64(count)
            }
            try writer.finish()
        } catch {
            writer.cancel()
            throw error
        }
    }

    private func weight(_ frame: Int64) -> Float {
        let length = min(Int64(Self.fadeSeconds * Double(clip.sampleRate)), Int64(frames.count / 2))
        let before = frames.lowerBound > 0 ? frame - frames.lowerBound : length
        let after = frames.upperBound < clip.frameCount ? frames.upperBound - 1 - frame : length
        let distance = min(before, after)
        return distance >= length ? 1 : Fade.weight(at: Int(distance), of: Int(length))
    }
}
