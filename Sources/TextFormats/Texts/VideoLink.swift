/// The address of a YouTube video, in any of the four forms that people copy.
///
/// This type fetches nothing from the site. Similar addresses of other sites are refused, because further actions
/// depend on the link.
///
/// Real-time safe: no. Threads: any.
package struct VideoLink: Sendable, Hashable {
    /// Name of the video on the site: eleven letters, digits, `-` and `_`.
    package let videoID: String

    /// Identity of the video, equal for all forms: `youtube:` and the video's name. Used as the key of stored data
    /// about the video.
    package var canonicalID: String { "youtube:" + videoID }

    /// Address of the video, equal for all forms.
    package var address: String { "https://www.youtube.com/watch?v=" + videoID }

    /// Parses an address; nil for any other text.
    ///
    /// The forms are `www.youtube.com/watch?v=ID`, `youtube.com/watch?v=ID`, `m.youtube.com/watch?v=ID` and
    /// `youtu.be/ID`, after `https://`, `http://` or nothing. Scheme and host may have capital letters; further
    /// parameters and a fragment have no effect. An address with a user's name, a port, a dot at the host's end or
    /// percent signs before the parameters is refused.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2048, bytes.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") }) else {
            return nil
        }
        var rest = bytes[...]
        for scheme in ["https://", "http://"] where rest.prefix(scheme.utf8.count).lowercased == scheme {
            rest = rest.dropFirst(scheme.utf8.count)
            break
        }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        let place = rest.prefix { $0 != UInt8(ascii: "?") }
        let parameters = rest[place.endIndex...].dropFirst()
        let host = place.prefix { $0 != UInt8(ascii: "/") }
        let path = place[host.endIndex...]
        switch host.lowercased {
        case "www.youtube.com", "youtube.com", "m.youtube.com":
            guard path.elementsEqual("/watch".utf8) else { return nil }
            let names = parameters.split(separator: UInt8(ascii: "&")).filter { $0.starts(with: "v=".utf8) }
            // Different ids in one address are ambiguous.
            guard let name = names.first, names.allSatisfy({ $0.elementsEqual(name) }) else { return nil }
            self.init(videoID: name.dropFirst(2))
        case "youtu.be":
            self.init(videoID: path.dropFirst())
        default: return nil
        }
    }

    private init?(videoID: ArraySlice<UInt8>) {
        let isName = videoID.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard isName, videoID.count == 11 else { return nil }
        self.videoID = String(decoding: videoID, as: UTF8.self)
    }
}
