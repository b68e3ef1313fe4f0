// Decodes WAV, RF64, W64, AIFF, CAF, AU, FLAC, Ogg Vorbis and Ogg Opus through libsndfile, with workarounds for its
// known faults. Decoding proves the length, and other methods replace the library's wrong seeks.
internal import CSndFile
internal import Glibc
internal import Samples

/// A decoder for files supported by libsndfile.
@safe
final class SoundFileDecoder: FileDecoder, @unchecked Sendable {
    private(set) var info: AudioFileInfo
    private let file: OpenedFile
    /// Corrections of the positions in an Opus file's pages.
    private let repairs: [OpusPositions.Repair]
    /// The corrected file behind the handle, if corrections are needed.
    private var repaired: RepairedOggFile?
    private let traits: SoundFileTraits
    private var handle: OpaquePointer
    /// The next frame to be delivered by the library.
    private var position: Int64 = 0
    private let scratch: UnsafeMutablePointer<Float>
    /// Scratch buffer of the same length for a file of 16-bit samples; nil for other files.
    private let shorts: UnsafeMutablePointer<Int16>?
    /// The last frame to which the library seeks correctly.
    private var lastTarget = Int64.max

    /// Opens the file and proves its length.
    init(
        _ file: OpenedFile, container: String?, isWanted: () -> Bool = { true }
    ) throws(AudioFileError) {
        self.file = file
        repairs = try container == "ogg" ? Self.repairs(file) : []
        repaired = RepairedOggFile(file, repairs)
        var properties = SF_INFO()
        unsafe handle = try Self.open(file, repaired, &properties)
        let channelCount = Int(properties.channels)
        // From here on every throw must close the handle: deinit does not run after a failed initialisation.
        do throws(AudioFileError) {
            try Self.check(properties, path: file.path)
        } catch {
            unsafe sf_close(handle)
            throw error
        }
        traits = SoundFileTraits(format: Int(properties.format), container: container)
        let capacity = Self.scratchFrames(channelCount) * channelCount
        unsafe scratch = .allocate(capacity: capacity)
        unsafe shorts = traits.holdsShorts ? .allocate(capacity: capacity) : nil
        info = AudioFileInfo(
            path: file.path, container: traits.container, codec: traits.codec, sampleRate: Int(properties.samplerate),
            channelCount: channelCount, frameCount: 0)
        let claimed = Int64(properties.frames)
        if traits.jumpsMissLastPage { lastTarget = Self.lastTarget(file, claimed: claimed) }
        let frameCount = try provenFrameCount(claimed: claimed, isWanted)
        if frameCount == 0 { throw .noFrames(file.path) }
        info = info.withFrameCount(frameCount)
    }

    /// Reopens the same file, whose length is already proved.
    private init(another other: SoundFileDecoder) throws(AudioFileError) {
        file = try other.file.reopened()
        repairs = other.repairs
        repaired = RepairedOggFile(file, repairs)
        unsafe handle = try Self.openAgain(file, repaired, other.info, other.traits)
        traits = other.traits
        lastTarget = other.lastTarget
        info = other.info
        let capacity = other.scratchFrames * info.channelCount
        unsafe scratch = .allocate(capacity: capacity)
        unsafe shorts = traits.holdsShorts ? .allocate(capacity: capacity) : nil
    }

    deinit {
        unsafe sf_close(handle)
        unsafe scratch.deallocate()
        unsafe shorts?.deallocate()
    }

    private static func scratchFrames(_ channelCount: Int) -> Int { max(64, 8192 / channelCount) }
    private var scratchFrames: Int { Self.scratchFrames(info.channelCount) }

    func another() throws(AudioFileError) -> any FileDecoder { try SoundFileDecoder(another: self) }

    func read(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Float>, stride: Int) throws(AudioFileError) {
        try move(to: frames.lowerBound)
        var done = 0
        while done < frames.count {
            let count = min(scratchFrames, frames.count - done)
            let read = unsafe readPlanar(count, into: output + done, stride: stride)
            if read == 0 { throw .changed(file.path) }
            done += read
        }
    }

    /// Decodes up to `count` frames, at most the size of the scratch buffer. Returns 0 at the end or on failure.
    private func readPlanar(_ count: Int, into output: UnsafeMutablePointer<Float>, stride: Int) -> Int {
        // The library would take three times as long to convert shorts to floats, singly and with a copy.
        if let shorts = unsafe shorts {
            let read = unsafe readShorts(count, into: shorts)
            unsafe deinterleave(shorts, channelCount: info.channelCount, count: read, into: output, stride: stride)
            return read
        }
        let read = readInterleaved(count)
        unsafe deinterleave(
            scratch, channelCount: info.channelCount, count: read, into: output, stride: stride,
            replacingNonFinite: traits.mayHoldNonFinite)
        return read
    }

    func readShorts(_ frames: Range<Int64>, into output: UnsafeMutablePointer<Int16>) throws(AudioFileError) -> Bool {
        // With more channels, the samples must be deinterleaved anyway.
        if !traits.holdsShorts && info.channelCount > 2 { return false }
        try move(to: frames.lowerBound)
        var done = 0
        while done < frames.count {
            let target = unsafe output + done * info.channelCount
            let read = unsafe readShorts(frames.count - done, into: target)
            if read == 0 { throw .changed(file.path) }
            done += read
        }
        return true
    }

    /// Decodes up to `count` frames. Returns 0 at the end or on failure.
    private func readShorts(_ count: Int, into target: UnsafeMutablePointer<Int16>) -> Int {
        if traits.holdsShorts {
            let read = max(0, Int(unsafe sf_readf_short(handle, target, sf_count_t(count))))
            position += Int64(read)
            return read
        }
        let read = readInterleaved(min(scratchFrames, count))
        unsafe roundToShorts(scratch, count: read * info.channelCount, into: target)
        return read
    }

    // MARK: - Position

    /// Makes `frame` the next frame to be decoded.
    private func move(to frame: Int64) throws(AudioFileError) {
        let ahead = frame - position
        if ahead == 0 { return }
        let readThrough = Int64(traits.readThroughSeconds * Double(info.sampleRate))
        if ahead < 0 || ahead > readThrough {
            let start = min(lastTarget, max(0, frame - Int64(traits.preRollSeconds * Double(info.sampleRate))))
            // Reach frames after the last seekable frame by decoding up to them, however far.
            if ahead < 0 || position < start, position == .max || !seek(to: start) { try reopen() }
        }
        try drop(frame - position)
    }

    private func seek(to frame: Int64) -> Bool {
        // After a short seek forwards, libsndfile's Vorbis delivers other frames than requested. From frame 0 the seek
        // is exact.
        if traits.seeksFromStart && sf_seek_frames(0) != 0 { return false }
        guard sf_seek_frames(frame) == frame else { return false }
        position = frame
        return true
    }

    private func sf_seek_frames(_ frame: Int64) -> Int64 { Int64(unsafe sf_seek(handle, sf_count_t(frame), SEEK_SET)) }

    /// Reopens the file at frame 0, because the library's state is undefined after a failed seek (in a damaged file).
    private func reopen() throws(AudioFileError) {
        // After an error, the next read must not continue with the old handle.
        position = .max
        let freshlyRepaired = RepairedOggFile(file, repairs)
        let fresh = unsafe try Self.openAgain(file, freshlyRepaired, info, traits)
        unsafe sf_close(handle)
        unsafe handle = fresh
        repaired = freshlyRepaired
        position = 0
    }

    private func drop(_ count: Int64) throws(AudioFileError) {
        var left = count
        while left > 0 {
            let read = readInterleaved(Int(min(left, Int64(scratchFrames))))
            if read == 0 { throw .changed(file.path) }
            left -= Int64(read)
        }
    }

    /// Decodes up to `count` frames into the scratch buffer. Returns 0 at the end or on failure.
    private func readInterleaved(_ count: Int) -> Int {
        let read = max(0, Int(unsafe sf_readf_float(handle, scratch, sf_count_t(count))))
        position += Int64(read)
        return read
    }

    // MARK: - Opening

    /// Returns the corrections of the positions in an Ogg file's pages, which only Opus needs. Throws for a file of
    /// Opus that the library would search for minutes: in each megabyte of marks, for two seconds.
    private static func repairs(_ file: OpenedFile) throws(AudioFileError) -> [OpusPositions.Repair] {
        guard let positions = OpusPositions(ByteSource(file)) else { return [] }
        if positions.hasTooManyMarks { throw .broken(file.path, "its pages lie within each other") }
        return positions.repairs
    }

    private static func open(
        _ file: OpenedFile, _ repaired: RepairedOggFile?, _ properties: inout SF_INFO
    ) throws(AudioFileError) -> OpaquePointer {
        let refusal: SoundFileOpening.Refusal
        let opened = try unsafe SoundFileOpening.open { () throws(AudioFileError) -> OpaquePointer? in
            properties = SF_INFO()
            if let repaired { return unsafe repaired.open(&properties) }
            // The library closes the descriptor, even if it refuses the file.
            return unsafe sf_open_fd(try file.duplicate(), Int32(SFM_READ), &properties, 1)
        }
        switch unsafe opened {
        case .success(let handle): return unsafe handle
        case .failure(let why): refusal = why
        }
        let text = refusal.text
        switch refusal.code {
        case Int(SF_ERR_UNRECOGNISED_FORMAT): throw .notAudio(file.path)
        // The library has no public code for undecodable content of a known codec, such as 32-bit FLAC.
        case Int(SF_ERR_UNSUPPORTED_ENCODING),
            _ where text.contains("unimplemented"):
            throw AudioFileError(
                .unsupported, path: file.path, "\(file.path): the encoding is not supported (\(text))",
                remedy: "Convert the file to FLAC or WAV with another program.")
        default:
            throw AudioFileError(
                .broken, path: file.path, "\(file.path): this audio file is damaged (\(text))",
                remedy: "Copy the file again, or convert the file to FLAC or WAV with another program.")
        }
    }

    /// Opens a file that was opened before. Throws `.changed` if the file is no longer the same kind of recording: with
    /// more channels, the library would write beyond the scratch buffer.
    private static func openAgain(
        _ file: OpenedFile, _ repaired: RepairedOggFile?, _ info: AudioFileInfo, _ traits: SoundFileTraits
    ) throws(AudioFileError) -> OpaquePointer {
        var properties = SF_INFO()
        let handle: OpaquePointer
        do throws(AudioFileError) {
            unsafe handle = try open(file, repaired, &properties)
        } catch {
            // The same bytes were a recording.
            throw [.notAudio, .unsupported, .broken].contains(error.kind) ? .changed(file.path) : error
        }
        guard Int(properties.channels) == info.channelCount, Int(properties.samplerate) == info.sampleRate,
            SoundFileTraits(format: Int(properties.format), container: traits.container) == traits
        else {
            unsafe sf_close(handle)
            throw .changed(file.path)
        }
        return unsafe handle
    }

    private static func check(_ properties: SF_INFO, path: String) throws(AudioFileError) {
        let (channels, rate) = (Int(properties.channels), Int(properties.samplerate))
        if channels > FileLimits.channelCounts.upperBound { throw .tooManyChannels(path, channels) }
        if channels < 1 { throw .noChannels(path) }
        if !FileLimits.sampleRates.contains(rate) { throw .badRate(path, rate) }
    }

    // MARK: - Length

    /// Returns the last frame before a file's last page. Returns 0 if the page is not found, so that every seek decodes
    /// from the beginning.
    private static func lastTarget(_ file: OpenedFile, claimed: Int64) -> Int64 {
        guard let tail = OggTail(ByteSource(file)), tail.positionBefore < tail.lastPosition else { return 0 }
        let (origin, isBeyond) = tail.lastPosition.subtractingReportingOverflow(claimed)
        return isBeyond ? 0 : max(0, tail.positionBefore - max(0, origin) - 1)
    }

    /// Returns the claimed number of frames, if reading near the end confirms it; otherwise the number found by
    /// decoding the whole file.
    private func provenFrameCount(claimed: Int64, _ isWanted: () -> Bool) throws(AudioFileError) -> Int64 {
        let limit = FileLimits.maximumFrameCount
        if claimed > 0, claimed <= limit, seek(to: min(lastTarget, max(0, claimed - Int64(scratchFrames)))) {
            while readInterleaved(scratchFrames) > 0 { if !isWanted() { throw .closed(file.path) } }
            if position == claimed { return claimed }
        }
        try reopen()
        while readInterleaved(scratchFrames) > 0 {
            if position > limit { throw .tooLong(file.path) }
            if !isWanted() { throw .closed(file.path) }
        }
        let counted = position
        try reopen()
        return counted
    }
}
