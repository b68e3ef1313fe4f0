package import Files
internal import Glibc

/// Recovers rows in pages of a damaged database file that SQLite cannot reach, because a page on the way is damaged.
///
/// Reads the file format directly (sqlite.org/fileformat2.html): the trees of tables from their roots, the list of free
/// pages, and then every page outside both. The file must not change meanwhile. The file may be larger than the memory:
/// memory use is one bit for each page.
package final class DatabasePages {
    /// A stored row, without the name of its table.
    package struct Row {
        /// Number of the row.
        package let number: Int64
        /// Stored columns. A column that aliases the row's number is null.
        package let values: [DatabaseValue]
    }

    private let file: RegularFile
    private let pageSize: Int
    /// Usable bytes of a page.
    private let usable: Int
    private let pageCount: UInt32
    /// True if the file begins with a database header; the list of free pages is then known.
    private let hasHeader: Bool

    private static let (leaf, interior) = (UInt8(13), UInt8(5))
    /// Longest plausible row, in bytes. A longer row is damaged.
    private static let longestRow: UInt64 = 256 << 20

    /// Opens the file.
    ///
    /// - Parameter pageSize: Size of a page; nil to read the size from the file's header.
    package init(path: String, pageSize known: Int? = nil) throws(FileFault) {
        let file = try unsafe RegularFile(path)
        let header = try FileBytes.bytes(of: file.descriptor, at: 0, count: 100)
        hasHeader = header.starts(with: Array("SQLite format 3".utf8) + [0]) && header.count == 100
        let stored = header.count > 20 ? Int(header[16]) << 8 | Int(header[17]) : 0
        let size = known ?? (stored == 1 ? 65_536 : stored)
        let isSize = size >= 512 && size <= 65_536 && size & (size - 1) == 0
        pageSize = isSize ? size : 4096
        let reserved = hasHeader && isSize ? Int(header[20]) : 0
        // SQLite by itself only writes 0, and requires at least 480 usable bytes.
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

    /// Pages with rows, grouped by the pages that lead to them.
    package struct Survey {
        /// A page in the tree of a table that is also in the list of free pages: one of the two is wrong.
        package struct Named {
            package let page: UInt32
            /// True if the row numbers fit this place in the tree.
            package let isInPlace: Bool
        }

        /// Pages reachable from a root, by root.
        package fileprivate(set) var leaves: [UInt32: [UInt32]] = [:]
        /// Reachable pages that are also in the list of free pages, by root.
        package fileprivate(set) var named: [UInt32: [Named]] = [:]
        /// Unreachable pages.
        package fileprivate(set) var lost: [UInt32] = []
        /// Pages reachable only from the list of free pages. Such pages may hold older states of other rows.
        package fileprivate(set) var free: [UInt32] = []
        /// True if the list of free pages is intact. A damaged list may name any page, and lost pages may then include
        /// pages of deleted rows.
        package fileprivate(set) var isFreeListWhole = false
    }

    /// Determines how each page is reachable.
    ///
    /// - Parameter roots: Root pages of the tables known to SQLite.
    package func survey(roots: [UInt32]) -> Survey {
        var survey = Survey()
        var seen = PageSet(count: pageCount)
        let trees = Set(roots).map { root in
            // A damaged page may lead into the tree of another table, so every tree has a separate set.
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

    /// A page of a tree, with the possible row numbers according to the pages above.
    private struct Branch {
        let page: UInt32
        let numbers: ClosedRange<Int64>
    }

    /// Marks the pages of a tree. Stops at pages that belong to no table.
    ///
    /// - Returns: The pages with rows.
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

    /// Collects the list of free pages, as far as the list is readable and names each page once.
    ///
    /// - Returns: True if the list is intact, and names no page of `others`.
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

    /// Returns the offset of the tree header in a page.
    private func start(of number: UInt32) -> Int { number == 1 ? 100 : 0 }

    /// Returns the offsets of a page's cells, as far as these lie in the page.
    ///
    /// A damaged byte may have raised the stored number of cells, so that the list of offsets seems to reach into the
    /// cells. A page of rows still has all its cells: bytes that are no row are recognised later. An inner page leaves
    /// out the cells in the list, because nothing would recognise a wrong page; the survey finds the skipped pages.
    private func cells(of bytes: [UInt8], _ number: UInt32, isLeaf: Bool) -> [Int] {
        let first = start(of: number)
        let pointers = first + (isLeaf ? 8 : 12)
        let count = min(Int(bytes[first + 3]) << 8 | Int(bytes[first + 4]), (usable - pointers) / 2)
        let least = isLeaf ? pointers : pointers + 2 * count
        return (0..<count).map { Int(bytes[pointers + 2 * $0]) << 8 | Int(bytes[pointers + 2 * $0 + 1]) }
            .filter { $0 >= least && $0 + 4 <= usable }
    }

    private func children(of bytes: [UInt8], _ branch: Branch) -> [Branch] {
        var (first, last) = (branch.numbers.lowerBound, branch.numbers.upperBound)
        var children: [Branch] = []
        for cell in cells(of: bytes, branch.page, isLeaf: false) {
            var place = cell + 4
            // Highest row number of the child page. An impossible number is ignored.
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

    /// Returns the readable rows of a page.
    package func rows(of number: UInt32) -> [Row] {
        guard let bytes = page(number), bytes[start(of: number)] == Self.leaf else { return [] }
        return cells(of: bytes, number, isLeaf: true).compactMap { row(at: $0, in: bytes) }
    }

    /// True if a page has rows, but none passes a test that rows of its table pass. Reads no more rows than necessary.
    package func isOther(_ number: UInt32, _ test: (Row) -> Bool) -> Bool {
        guard let bytes = page(number), bytes[start(of: number)] == Self.leaf else { return false }
        var hasRows = false
        for cell in cells(of: bytes, number, isLeaf: true) {
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

    /// Returns the bytes of a row, including overflow pages.
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
        // Each page adds some bytes, so the loop ends even if the pages form a cycle.
        while content.count < size {
            guard let more = page(next) else { return nil }
            content += more[4..<4 + min(usable - 4, size - content.count)]
            next = Self.number(more, 0)
        }
        return content
    }

    /// Returns the columns of a row; nil if the bytes are no row.
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
        // Surplus bytes mean that the bytes are no row.
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
            // Big-endian, two's complement.
            let first = Int64(Int8(bitPattern: bytes.first ?? 0))
            return .integer(bytes.dropFirst().reduce(first) { $0 << 8 | Int64($1) })
        case 12...:
            guard type / 2 - 6 <= UInt64(content.count), let bytes = take(Int(type / 2 - 6), content, &place) else {
                return nil
            }
            if type % 2 == 0 { return .bytes(Array(bytes)) }
            return .text(String(decoding: bytes, as: UTF8.self))
        // Floating-point numbers, which a store never contains, and undefined types.
        default: return nil
        }
    }

    private static func take(_ count: Int, _ content: [UInt8], _ place: inout Int) -> ArraySlice<UInt8>? {
        guard count <= content.count - place else { return nil }
        defer { place += count }
        return content[place..<place + count]
    }

    /// Reads an integer of one to nine bytes; nil if the integer does not end before `limit`.
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

/// A set of page numbers, one bit for each page.
private struct PageSet {
    private var words: [UInt64]

    init(count: UInt32) { words = Array(repeating: 0, count: Int(count) / 64 + 1) }

    func contains(_ page: UInt32) -> Bool { words[Int(page) / 64] & 1 << (UInt64(page) % 64) != 0 }
    mutating func insert(_ page: UInt32) { words[Int(page) / 64] |= 1 << (UInt64(page) % 64) }
    mutating func formUnion(_ other: PageSet) { for (index, word) in other.words.enumerated() { words[index] |= word } }
}
