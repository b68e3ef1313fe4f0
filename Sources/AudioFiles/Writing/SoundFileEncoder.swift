internal import CSndFile
internal import Glibc

/// Encodes planar samples with libsndfile, into a descriptor of a regular file.
@safe
package final class SoundFileEncoder {
    private let path: String
    private let channelCount: Int
    private let frameCapacity: Int
    /// Number of bits of the integers in a lossless format; 0 for other formats.
    private let integerBits: Int
    private var handle: OpaquePointer?
    private let integers: UnsafeMutablePointer<Int32>
    private let floats: UnsafeMutablePointer<Float>

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - descriptor: Descriptor of the file, closed with the encoder, also if this throws.
    ///   - format: libsndfile's format number.
    ///   - integerBits: 16 or 24 for a lossless format, otherwise 0.
    ///   - reservedComment: A comment reserving space for others, see `CommentRoom`; nil for none.
    ///   - frameCapacity: Largest number of frames in a `write`.
    package init(
        _ descriptor: Int32, path: String, format: Int32, integerBits: Int, sampleRate: Int, channelCount: Int,
        reservedComment: String?, frameCapacity: Int
    ) throws(AudioFileError) {
        var properties = SF_INFO()
        properties.format = format
        properties.samplerate = Int32(sampleRate)
        properties.channels = Int32(channelCount)
        let unsupported = AudioFileError(
            .unsupported, path: path,
            "\(path): a file of this format cannot hold \(channelCount) channels at \(sampleRate) Hz",
            remedy: "Choose another format: flac holds up to eight channels at any rate to 655350 Hz.")
        guard unsafe sf_format_check(&properties) != 0 else {
            close(descriptor)
            throw unsupported
        }
        // The library closes the descriptor even if it refuses. Do not close the descriptor here: its number may
        // already belong to another file.
        let opened = unsafe SoundFileOpening.shared {
            unsafe sf_open_fd(descriptor, Int32(SFM_WRITE), &properties, 1)
        }
        guard let handle = unsafe opened else { throw unsupported }
        unsafe self.handle = handle
        (self.path, self.channelCount, self.frameCapacity) = (path, channelCount, frameCapacity)
        self.integerBits = integerBits
        unsafe integers = .allocate(capacity: frameCapacity * channelCount)
        unsafe floats = .allocate(capacity: frameCapacity * channelCount)
        // Clip values beyond full scale instead of wrapping them around.
        _ = unsafe sf_command(handle, Int32(SFC_SET_CLIPPING), nil, Int32(SF_TRUE))
        if let reservedComment { _ = unsafe sf_set_string(handle, Int32(SF_STR_COMMENT), reservedComment) }
    }

    deinit {
        if let handle = unsafe handle { unsafe sf_close(handle) }
        unsafe integers.deallocate()
        unsafe floats.deallocate()
    }

    /// Appends `count` frames; channel `c` begins at `samples + c * stride`.
    package func write(_ samples: UnsafePointer<Float>, stride: Int, count: Int) throws(AudioFileError) {
        precondition(count <= frameCapacity)
        guard let handle = unsafe handle else { return }
        errno = 0
        let written: sf_count_t
        if integerBits > 0 {
            // libsndfile's own conversion is inexact: it scales by full scale less a step.
            let (scale, shift) = (Float(1 << (integerBits - 1)), 32 - integerBits)
            for channel in 0..<channelCount {
                for frame in 0..<count {
                    let value = (unsafe samples[channel * stride + frame] * scale).rounded()
                    let whole = Int32(max(-scale, min(scale - 1, value)))
                    unsafe integers[frame * channelCount + channel] = whole << shift
                }
            }
            written = unsafe sf_writef_int(handle, integers, sf_count_t(count))
        } else {
            for channel in 0..<channelCount {
                for frame in 0..<count {
                    unsafe floats[frame * channelCount + channel] = samples[channel * stride + frame]
                }
            }
            written = unsafe sf_writef_float(handle, floats, sf_count_t(count))
        }
        // Some encoders report all frames as accepted although the write failed, and only set an error code.
        if written != sf_count_t(count) || (unsafe sf_error(handle)) != Int32(SF_ERR_NO_ERROR) {
            throw .writing(path, errno: errno == 0 ? EIO : errno, creating: false)
        }
    }

    /// Ends the file.
    package func finish() throws(AudioFileError) {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        errno = 0
        let isClosed = unsafe sf_close(handle) == 0
        // Closing writes the encoder's remaining bytes, and libsndfile does not report a failure.
        if !isClosed || [ENOSPC, EDQUOT, EFBIG, EIO].contains(errno) {
            throw .writing(path, errno: errno == 0 ? EIO : errno, creating: false)
        }
    }
}
