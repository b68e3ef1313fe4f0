internal import AudioFiles

/// The bytes before the samples of a CAF file (Apple, "Core Audio Format Specification 1.0"): description, channel
/// layout if required, and the header of the data chunk. The size of the data chunk is always stated, because
/// libsndfile refuses a file with an open size.
struct CAFHeader {
    let format: TakeFormat
    let frameCount: Int64

    var bytes: [UInt8] {
        var bytes = ByteList()
        bytes.text("caff")
        bytes.big(1 as UInt16)
        bytes.big(0 as UInt16)
        bytes.text("desc")
        bytes.big(32 as Int64)
        bytes.big(Double(format.sampleRate).bitPattern)
        bytes.text("lpcm")
        // Flag 1 is floating point, flag 2 little endian.
        bytes.big((format.samples == .float32 ? 3 : 2) as UInt32)
        bytes.big(UInt32(format.frameBytes))
        bytes.big(1 as UInt32)
        bytes.big(UInt32(format.channelCount))
        bytes.big(UInt32(format.samples.bytesPerSample * 8))
        if format.channelCount > 2 {
            bytes.text("chan")
            bytes.big(12 as Int64)
            // kAudioChannelLayoutTag_DiscreteInOrder: channels without positions.
            bytes.big(147 << 16 | UInt32(format.channelCount))
            bytes.big(0 as UInt64)
        }
        bytes.text("data")
        // The edit count belongs to the chunk.
        bytes.big(4 + frameCount * Int64(format.frameBytes))
        bytes.big(0 as UInt32)
        return bytes.bytes
    }

    static func byteCount(channelCount: Int) -> Int { 8 + 12 + 32 + (channelCount > 2 ? 12 + 12 : 0) + 12 + 4 }
}
