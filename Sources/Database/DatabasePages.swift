package import Files
internal import Glibc

/// The rows in the pages of a damaged database file that SQLite cannot reach, because a page that led to them is damaged.
///
/// Reads the file format directly (sqlite.org/fileformat2.html): the trees of tables from their roots, the list of free pages, and then every
/// page that neither of them contains. The file must not change meanwhile. It may be larger than the memory: one bit for each page is kept.
package final class DatabasePages {
    /// A row as it is stored, without the name of its table.
    package struct Row {
        /// Its number.
        package let number: Int64
        /// Its columns as far as they are stored. A column that is the row's number is null.
        package let values: [DatabaseValue]
    }

    private let file: RegularFile
    private let pageSize: Int
    /// Bytes of a page that can be used.
    private let usable: Int
    private let pageCount: UInt32
    /// Whether the file begins as a database does; its list of free pages is known then.
    private let hasHeader: Bool

    private static let (leaf, interior) = (UInt8(13), UInt8(5))
    /// A row that says it is longer is damaged.
    private static let longestRow: UInt64 = 256 << 20

    /// Opens the file.
    ///
    /// - Parameter pageSize: the size of a page; nil reads it from the file's header.
    package init(path: String, pageSize known: Int? = nil) throws(FileFault) {
        let file = try unsafe RegularFile(path)
        let header = try FileBytes.bytes(of: file.descriptor, at: 0, count: 100)
        hasHeader = header.starts(with: Array("SQLite format 3".utf8) + [0]) && header.count == 100
        let stored = header.count > 20 ? Int(header[16]) << 8 | Int(header[17]) : 0
        let size = known ?? (stored == 1 ? 65_536 : stored)
        let isSize = size >= 512 && size <= 65_536 && size & (size - 1) == 0
        pageSize = isSize ? size : 4096
        let reserved = hasHeader && isSize ? Int(header[20]) : 0
        // SQLite writes nothing else than 0 by itself, and takes no less than 480.
        usable = pageSize - reserved >= 480 ? pageSize - reserved : pageSize
        pageCount = UInt32(clamping: (file.byteCount + Int64(pageSize) - 1) / Int64(pageSize))
        self.file = file
    }

    private func page(_ number: UInt32) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        var bytes = try? FileBytes.bytes(of: file.descriptor, at: Int64(number - 1) * Int64(pageSize), count: pageSize)
        if let count = bytes?.count, count < pageSize {
            bytes?.append(contentsOf: repeatElement(0, count: pageSize - count))
        }
        return bytes
    }

    // MARK: Which pages are lost

    /// The pages with rows, by what leads to them.
    package struct Survey {
        /// A page in the tree of a table that the list of free pages names, too: one of the two is wrong.
        package struct Named {
            package let page: UInt32
            /// Whether its rows have the numbers that rows have in this place of the tree.
            package let isInPlace: Bool
        }

        /// The pages to which a whole way leads, by the root.
        package fileprivate(set) var leaves: [UInt32: [UInt32]] = [:]
        /// Those of them that the list of free pages names, by the root.
        package fileprivate(set) var named: [UInt32: [Named]] = [:]
        /// The pages to which nothing leads.
        package fileprivate(set) var lost: [UInt32] = []
        /// The pages to which the list of free pages leads alone. They may hold older states of other rows.
        package fileprivate(set) var free: [UInt32] = []
        /// Whether the list of free pages is whole. If not, it may name any page, and pages of deleted rows may be among those that are lost.
        package fileprivate(set) var isFreeListWhole = false
    }

    /// Finds out what leads to each page.
    ///
    /// - Parameter roots: the root pages of the tables that SQLite knows.
    package func survey(roots: [UInt32]) -> Survey {
        var survey = Survey()
        var seen = PageSet(count: pageCount)
        let trees = Set(roots).map { root in
            // A damaged page may lead into the tree of another table, which has these pages all the same.
            var own = PageSet(count: pageCount)
            defer { seen.formUnion(own) }
            return (root: root, leaves: walk(from: root, &own))
        }
        var free = PageSet(count: pageCount)
        survey.isFreeListWhole = listFree(but: seen, &free)
        for (root, leaves) in trees {
            survey.leaves[root] = leaves.map(\.page)
            survey.named[root] = leaves.filter { free.contains($0.page) }.map { leaf in
                let isInPlace = rows(of: leaf.page).allSatisfy { leaf.numbers.contains($0.number) }
                return Survey.Named(page: leaf.page, isInPlace: isInPlace)
            }
        }
        for number in stride(from: UInt32(1), through: pageCount, by: 1) where !seen.contains(number) {
            guard page(number)?[start(of: number)] == Self.leaf else { continue }
            if free.contains(number) { survey.free.append(number) } else { survey.lost.append(number) }
        }
        return survey
    }

    /// A page of a tree, and the numbers that its rows can have according to the pages above it.
    private struct Branch {
        let page: UInt32
        let numbers: ClosedRange<Int64>
    }

    /// Marks the pages of a tree, up to a page that is none of a table.
    ///
    /// - Returns: Those with rows.
    private func walk(from root: UInt32, _ seen: inout PageSet) -> [Branch] {
        var open = [Branch(page: root, numbers: .min ... .max)]
        var leaves: [Branch] = []
        while let branch = open.popLast() {
            let number = branch.page
            guard number >= 1, number <= pageCount, !seen.contains(number), let bytes = page(number) else { continue }
            switch bytes[start(of: number)] {
            case Self.leaf:
                seen.insert(number)
                leaves.append(branch)
            case Self.interior:
                seen.insert(number)
                open += children(of: bytes, branch)
            default: break
            }
        }
        return leaves
    }

    /// Collects the list of free pages, as far as it can be read and names each page once.
    ///
    /// - Returns: Whether the list is whole, and names none of `others`.
    private func listFree(but others: PageSet, _ free: inout PageSet) -> Bool {
        guard hasHeader, let header = page(1) else { return false }
        func isNew(_ page: UInt32) -> Bool { page >= 1 && page <= pageCount && !free.contains(page) }
        var left = Int(Self.number(header, 36))
        var trunk = Self.number(header, 32)
        var isRight = true
        while trunk != 0 {
            guard isNew(trunk), !others.contains(trunk), let bytes = page(trunk) else { return false }
            free.insert(trunk)
            let count = Int(Self.number(bytes, 4))
            guard count <= usable / 4 - 2 else { return false }
            for index in 0..<count {
                let leaf = Self.number(bytes, 8 + 4 * index)
                guard isNew(leaf) else { return false }
                free.insert(leaf)
                if others.contains(leaf) { isRight = false }
            }
            left -= 1 + count
            trunk = Self.number(bytes, 0)
        }
        return isRight && left == 0
    }

    /// Where the header of a page's tree begins.
    private func start(of number: UInt32) -> Int { number == 1 ? 100 : 0 }

    /// Where the cells of a page begin, as far as they lie in it.
    private func cells(of bytes: [UInt8], _ number: UInt32, headerSize: Int) -> [Int] {
        let first = start(of: number)
        let count = Int(bytes[first + 3]) << 8 | Int(bytes[first + 4])
        let pointers = first + headerSize
        guard count <= (usable - pointers) / 2 else { return [] }
        return (0..<count).map { Int(bytes[pointers + 2 * $0]) << 8 | Int(bytes[pointers + 2 * $0 + 1]) }
            .filter { $0 >= pointers + 2 * count && $0 + 4 <= usable }
    }

    private func children(of bytes: [UInt8], _ branch: Branch) -> [Branch] {
        var (first, last) = (branch.numbers.lowerBound, branch.numbers.upperBound)
        var children: [Branch] = []
        for cell in cells(of: bytes, branch.page, headerSize: 12) {
            var place = cell + 4
            // The highest number on the child. One that is impossible here tells nothing.
            let key = Self.varint(bytes, &place, usable).map { Int64(bitPattern: $0) }
            let highest = key.flatMap { (first..<last).contains($0) ? $0 : nil }
            children.append(Branch(page: Self.number(bytes, cell), numbers: first...(highest ?? last)))
            if let highest { first = highest + 1 }
        }
        return children + [Branch(page: Self.number(bytes, start(of: branch.page) + 8), numbers: first...last)]
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Rows

    /// The rows of a page, without those that cannot be read.
    package func rows(of number: UInt32) -> [Row] {
        guard let bytes = page(number), bytes[start(of: number)] == Self.leaf else { return [] }
        return cells(of: bytes, number, headerSize: 8).compactMap { row(at: $0, in: bytes) }
    }

    /// Whether a page has rows of which none passes a test, as those of its table do. Reads no more of them than it needs.
    package func isOther(_ number: UInt32, _ test: (Row) -> Bool) -> Bool {
        guard let bytes = page(number), bytes[start(of: number)] == Self.leaf else { return false }
        var hasRows = false
        for cell in cells(of: bytes, number, headerSize: 8) {
            guard let row = row(at: cell, in: bytes) else { continue }
            if test(row) { return false }
            hasRows = true
        }
        return hasRows
    }

    private func row(at cell: Int, in bytes: [UInt8]) -> Row? {
        var place = cell
        guard let size = Self.varint(bytes, &place, usable), let rowNumber = Self.varint(bytes, &place, usable),
            size <= Self.longestRow, let content = content(Int(size), at: place, in: bytes),
            let values = Self.values(content)
        else { return nil }
        return Row(number: Int64(bitPattern: rowNumber), values: values)
    }

    /// The bytes of a row, of which a part may be in pages of their own.
    private func content(_ size: Int, at place: Int, in bytes: [UInt8]) -> [UInt8]? {
        var local = size
        if size > usable - 35 {
            let least = (usable - 12) * 32 / 255 - 23
            let wanted = least + (size - least) % (usable - 4)
            local = wanted <= usable - 35 ? wanted : least
        }
        guard place + local <= usable else { return nil }
        var content = Array(bytes[place..<place + local])
        guard local < size else { return content }
        guard place + local + 4 <= usable, size <= Int(pageCount) * usable else { return nil }
        var next = Self.number(bytes, place + local)
        // Each page brings some bytes, so that this ends even if the pages lead in a circle.
        while content.count < size {
            guard let more = page(next) else { return nil }
            content += more[4..<4 + min(usable - 4, size - content.count)]
            next = Self.number(more, 0)
        }
        return content
    }

    /// The columns of a row; nil if it is none.
    private static func values(_ content: [UInt8]) -> [DatabaseValue]? {
        var place = 0
        guard let headerSize = varint(content, &place, content.count), headerSize <= content.count,
            headerSize >= place
        else { return nil }
        let end = Int(headerSize)
        var body = end
        var values: [DatabaseValue] = []
        while place < end {
            guard let type = varint(content, &place, end), let value = value(type, content, &body) else { return nil }
            values.append(value)
        }
        // Bytes that no column has are none of a row.
        return place == end && body == content.count ? values : nil
    }

    private static func value(_ type: UInt64, _ content: [UInt8], _ place: inout Int) -> DatabaseValue? {
        let sizes = [0, 1, 2, 3, 4, 6, 8]
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 1...6:
            guard let bytes = take(sizes[Int(type)], content, &place) else { return nil }
            // Big-endian, in two's complement.
            let first = Int64(Int8(bitPattern: bytes.first ?? 0))
            return .integer(bytes.dropFirst().reduce(first) { $0 << 8 | Int64($1) })
        case 12...:
            guard type / 2 - 6 <= UInt64(content.count), let bytes = take(Int(type / 2 - 6), content, &place) else {
                return nil
            }
            if type % 2 == 0 { return .bytes(Array(bytes)) }
            return .text(String(decoding: bytes, as: UTF8.self))
        // Numbers with fractions, which a store has none of, and types that do not exist.
        default: return nil
        }
    }

    private static func take(_ count: Int, _ content: [UInt8], _ place: inout Int) -> ArraySlice<UInt8>? {
        guard count <= content.count - place else { return nil }
        defer { place += count }
        return content[place..<place + count]
    }

    /// A number of one to nine bytes; nil if it does not end before `limit`.
    private static func varint(_ bytes: [UInt8], _ place: inout Int, _ limit: Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < limit else { return nil }
            let byte = bytes[place]
            place += 1
            if index == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return value
    }
}

/// A set of page numbers, of one bit each.
private struct PageSet {
    private var words: [UInt64]

    init(count: UInt32) { words = Array(repeating: 0, count: Int(count) / 64 + 1) }

    func contains(_ page: UInt32) -> Bool { words[Int(page) / 64] & 1 << (UInt64(page) % 64) != 0 }
    mutating func insert(_ page: UInt32) { words[Int(page) / 64] |= 1 << (UInt64(page) % 64) }
    mutating func formUnion(_ other: PageSet) { for (index, word) in other.words.enumerated() { words[index] |= word } }
}
