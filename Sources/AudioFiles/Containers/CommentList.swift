/// The ranges of the comments in a block (Xiph, "Ogg Vorbis I format specification: comment field and header
/// specification").
package struct CommentList {
    /// Range of the field with the number of comments.
    package let countField: Range<Int64>
    /// Ranges of the comments present, each without its length field.
    package private(set) var comments: [Range<Int64>] = []
    /// True if the block holds as many comments as it declares.
    package let isWhole: Bool

    /// Largest number of comments read; 999 chapters have two comments each.
    private static let mostComments = 16_384

    /// Finds the comments in bytes beginning with the length of the vendor's name. Returns nil if even the number of
    /// comments is missing.
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
