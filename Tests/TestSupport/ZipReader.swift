// Reads archives back for tests, by the list and by the headers of an archive, without the writer's knowledge.

/// The entries of an archive, each stored as it is.
public struct ZipReader {
    /// An entry.
    public struct Entry {
        /// The entry's name.
        public let name: String
        /// The entry's content.
        public let bytes: [UInt8]
        /// The checksum of the entry, as stated by the archive.
        public let sum: UInt32
    }

    /// The entries, in the order of the list.
    public private(set) var entries: [Entry] = []

    /// Nil if anything contradicts the form.
    public init?(_ file: [UInt8]) {
        func number(_ place: Int, _ count: Int) -> Int? {
            guard place >= 0, place + count <= file.count else { return nil }
            return (0..<count).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) }
        }
        let end = file.count - 22
        guard number(end, 4) == 0x0605_4B50, let count = number(end + 10, 2), number(end + 8, 2) == count,
            let length = number(end + 12, 4), let start = number(end + 16, 4), start + length == end
        else { return nil }
        var (place, next) = (start, 0)
        for _ in 0..<count {
            guard number(place, 4) == 0x0201_4B50, number(place + 10, 2) == 0, let sum = number(place + 16, 4),
                let size = number(place + 20, 4), number(place + 24, 4) == size, let nameCount = number(place + 28, 2),
                number(place + 30, 4) == 0, let offset = number(place + 42, 4), offset == next,
                number(offset, 4) == 0x0403_4B50, number(offset + 14, 4) == sum, number(offset + 18, 4) == size,
                number(offset + 22, 4) == size, number(offset + 26, 2) == nameCount, number(offset + 28, 2) == 0,
                place + 46 + nameCount <= end, offset + 30 + nameCount + size <= start
            else { return nil }
            let name = Array(file[place + 46..<place + 46 + nameCount])
            let first = offset + 30 + nameCount
            guard Array(file[offset + 30..<first]) == name else { return nil }
            entries.append(
                Entry(
                    name: String(decoding: name, as: UTF8.self), bytes: Array(file[first..<first + size]),
                    sum: UInt32(sum)))
            place += 46 + nameCount
            next = first + size
        }
        guard place == end, next == start else { return nil }
    }

    /// The bytes of an entry; nil without an entry of this name.
    public subscript(name: String) -> [UInt8]? { entries.first { $0.name == name }?.bytes }
}
