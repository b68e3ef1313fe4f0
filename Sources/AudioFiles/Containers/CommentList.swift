/// Where the comments of a block are (Xiph, "Ogg Vorbis I format specification: comment field and header specification").
package struct CommentList {
    /// The number of comments.
    package let countField: Range<Int64>
    /// Each comment without its length, as far as they are there.
    package private(set) var comments: [Range<Int64>] = []
    /// Whether all are there that are told of.
    package let isWhole: Bool

    /// More than this many are not looked for; 999 chapters take twice as many.
    private static let mostComments = 16_384

    /// The comments in bytes that begin with the length of the vendor's name; nil where not even their number is there.
    package init?(_ source: ByteSource) {
        guard let vendor = source.little(UInt32.self, at: 0),
            let count = source.little(UInt32.self, at: 4 + Int64(vendor))
        else { return nil }
        countField = 4 + Int64(vendor)..<8 + Int64(vendor)
        var place = countField.upperBound
        for _ in 0..<min(Int(count), Self.mostComments) {
            guard let length = source.little(UInt32.self, at: place) else { break }
            let comment = place + 4..<place + 4 + Int64(length)
            if comment.upperBound > source.count { break }
            comments.append(comment)
            place = comment.upperBound
        }
        isWhole = comments.count == Int(count)
    }
}
