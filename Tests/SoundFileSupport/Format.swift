// Every readable kind of file, made by the encoders a listener would use.
internal import Foundation
internal import Synchronization

/// A format, the way to make such a file from a WAV file, and its expected name.
package struct Format: Sendable, CustomStringConvertible {
    package let name: String
    package let container: String
    package let codec: String
    /// The program's arguments; IN and OUT stand for the files.
    package let make: String
    package let sampleRate: Int
    package let channelCount: Int

    package init(
        name: String, container: String, codec: String, make: String, sampleRate: Int = 44_100, channelCount: Int = 2
    ) {
        (self.name, self.container, self.codec, self.make) = (name, container, codec, make)
        (self.sampleRate, self.channelCount) = (sampleRate, channelCount)
    }

    package var description: String { name }

    package func file(in scratch: Scratch, frameCount: Int) throws -> String {
        let input = try Self.made("music \(frameCount) \(channelCount) \(sampleRate)", at: scratch.file("in.wav")) {
            let channels = music(frameCount: frameCount, channelCount: channelCount, sampleRate: sampleRate)
            try writeWave($0, channels, sampleRate: sampleRate)
        }
        // A name without a hint, which a careless caller would take for an option or a protocol.
        return try Self.made("\(make) \(frameCount) \(channelCount) \(sampleRate)", at: scratch.file("-a b")) {
            output in
            try run(
                arguments: make.split(separator: " ").map { word in
                    word == "IN" ? input : word == "OUT" ? output : String(word)
                })
        }
    }

    /// The bytes of files made before, by their content: many tests read the same files.
    private static let bytes = Mutex<[String: Data]>([:])

    /// Writes a file, made by `make` if no test has requested that content before, and returns its path.
    private static func made(_ content: String, at path: String, by make: (String) throws -> Void) throws -> String {
        if let known = bytes.withLock({ $0[content] }) {
            try known.write(to: URL(fileURLWithPath: path))
        } else {
            try make(path)
            let new = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes.withLock { $0[content] = new }
        }
        return path
    }

    package static let all: [Format] = [
        Format(name: "WAV 16", container: "wav", codec: "pcm_s16", make: "cp IN OUT"),
        Format(name: "WAV 24", container: "wav", codec: "pcm_s24", make: "sox -D IN -t wav -b 24 OUT"),
        Format(name: "WAV float", container: "wav", codec: "pcm_f32", make: "sox -D IN -t wav -e float -b 32 OUT"),
        Format(
            name: "RF64", container: "rf64", codec: "pcm_s16", make: "ffmpeg -v error -i IN -rf64 always -f wav OUT"),
        Format(name: "W64", container: "w64", codec: "pcm_s16", make: "sox -D IN -t w64 OUT"),
        Format(name: "AIFF", container: "aiff", codec: "pcm_s16", make: "sox -D IN -t aiff OUT"),
        Format(name: "AU", container: "au", codec: "pcm_s16", make: "sox -D IN -t au OUT"),
        Format(
            name: "CAF", container: "caf", codec: "pcm_s16", make: "ffmpeg -v error -i IN -c:a pcm_s16le -f caf OUT"),
        Format(name: "CAF ALAC", container: "caf", codec: "alac", make: "ffmpeg -v error -i IN -c:a alac -f caf OUT"),
        Format(name: "WAV ADPCM", container: "wav", codec: "adpcm_ima", make: "sox -D IN -t wav -e ima-adpcm OUT"),
        Format(name: "FLAC", container: "flac", codec: "flac", make: "flac -s -o OUT IN"),
        Format(
            name: "FLAC without seek table", container: "flac", codec: "flac", make: "flac -s --no-seektable -o OUT IN"),
        Format(name: "Ogg Vorbis", container: "ogg", codec: "vorbis", make: "oggenc -Q -q 5 -o OUT IN"),
        Format(
            name: "Ogg Opus", container: "ogg", codec: "opus", make: "opusenc --quiet --bitrate 96 IN OUT",
            sampleRate: 48_000),
        Format(
            name: "Ogg Opus, speech", container: "ogg", codec: "opus",
            make: "opusenc --quiet --speech --bitrate 20 IN OUT",
            sampleRate: 48_000, channelCount: 1),
        Format(name: "MP3 CBR", container: "mp3", codec: "mp3", make: "lame --quiet -b 128 IN OUT"),
        Format(name: "MP3 VBR", container: "mp3", codec: "mp3", make: "lame --quiet -V 5 IN OUT"),
        Format(name: "MP3 without Xing header", container: "mp3", codec: "mp3", make: "lame --quiet -t -V 6 IN OUT"),
        Format(
            name: "MP3 at 48 kbit/s", container: "mp3", codec: "mp3", make: "lame --quiet --resample 44.1 -b 48 IN OUT"),
        Format(
            name: "MP3 mono", container: "mp3", codec: "mp3", make: "lame --quiet -m m -b 32 IN OUT",
            sampleRate: 22_050, channelCount: 1),
        Format(name: "M4A", container: "mp4", codec: "aac", make: "ffmpeg -v error -i IN -c:a aac -f mp4 OUT"),
        Format(name: "ADTS", container: "adts", codec: "aac", make: "ffmpeg -v error -i IN -c:a aac -f adts OUT"),
        Format(name: "Ogg FLAC", container: "ogg", codec: "flac", make: "flac -s --ogg -o OUT IN"),
        Format(
            name: "Matroska", container: "matroska", codec: "vorbis",
            make: "ffmpeg -v error -i IN -c:a libvorbis -f matroska OUT"),
    ]
}
