// The recordings of a playlist in a catalogue. Each entry is a separate field, so additions and removals on two
// computers merge entry by entry.
internal import JSON

extension CatalogueItem {
    private static let entries = ExactText(CatalogueField.entries)
    private static let settled = ExactText(CatalogueField.settledEntries)

    /// A present entry of the list.
    private struct Entry {
        let field: ExactText
        let position: ExactText

        /// The recording. Not stored: the keys of a long list take 8 MB.
        var key: ExactText { CatalogueItem.key(of: field) ?? "" }
    }

    /// Synchronises the list of a playlist with its entries.
    ///
    /// A merge unites the entries, and the list is derived from the entries alone, so the list is the same everywhere.
    /// A list that is later than the last settled list was changed without its entries, here or by an earlier version:
    /// in this case, the entries are derived from the list.
    ///
    /// - Parameter removable: Recordings that a changed list can remove, because its author saw them; nil for all.
    package mutating func settleEntries(removing removable: Set<ExactText>? = nil) {
        if let list = fields[Self.entries], fields[Self.settled].map({ $0.time < list.time }) ?? true,
            let keys = list.value.elements?.compactMap(\.stringValue)
        {
            follow(keys.map { ExactText($0) }, at: list.time, removable)
            replace(Self.settled, Stamped(.bool(true), at: list.time))
        }
        guard let settled = fields[Self.settled] else { return }
        let times = fields.lazy.filter { Self.key(of: $0.key) != nil }.map(\.value.time)
        let time = max(settled.time, times.max() ?? settled.time)
        replace(Self.settled, Stamped(.bool(true), at: time))
        replace(Self.entries, Stamped(list: visibleEntries.lazy.map(\.key.text), at: time))
    }

    /// Changes the entries to match a list.
    private mutating func follow(_ keys: [ExactText], at time: Int64, _ removable: Set<ExactText>?) {
        let known = visibleEntries
        // New entries beside a long position would get equally long positions, so all entries get new positions.
        let isCrowded = known.contains { $0.position.text.utf8.count > EntryPosition.longest }
        var free = Dictionary(grouping: known, by: \.key).mapValues { $0[...] }
        var taken = Set(known.map(\.field))
        var counts: [ExactText: Int] = [:]
        var wanted: [(field: ExactText, position: ExactText?)] = []
        for key in keys {
            if let entry = free[key]?.popFirst() {
                wanted.append((entry.field, isCrowded ? nil : entry.position))
                continue
            }
            var field: ExactText
            repeat {
                counts[key, default: 0] += 1
                field = ExactText("\(CatalogueField.entry)\(key.text) \(counts[key] ?? 1)")
            } while !taken.insert(field).inserted
            wanted.append((field, nil))
        }
        // Entries that stay in order keep their positions.
        let kept = Self.increasing(wanted)
        var (place, low): (Int, ExactText?) = (0, nil)
        while place < wanted.count {
            if kept.contains(place) {
                (low, place) = (wanted[place].position, place + 1)
                continue
            }
            // No place exists between two entries with equal positions: the later entry moves as well.
            let end =
                wanted.indices[place...].first { next in
                    guard kept.contains(next), let position = wanted[next].position else { return false }
                    return low.map { $0 < position } ?? true
                } ?? wanted.count
            let high = end < wanted.count ? wanted[end].position : nil
            let positions = EntryPosition.between(low, high, count: end - place)
            for (index, position) in zip(place..<end, positions) {
                replace(wanted[index].field, Stamped(.string(position.text), at: time))
            }
            place = end
        }
        for entry in free.values.joined() where removable?.contains(entry.key) ?? true {
            replace(entry.field, Stamped(.bool(false), at: time))
        }
    }

    /// Present entries, in order. Entries with equal positions are ordered by their fields.
    private var visibleEntries: [Entry] {
        var entries = fields.compactMap { field, stamped -> Entry? in
            guard Self.key(of: field) != nil, let position = stamped.value.stringValue, EntryPosition.isValid(position)
            else { return nil }
            return Entry(field: field, position: ExactText(position))
        }
        entries.sort { ($0.position, $0.field) < ($1.position, $1.field) }
        return entries
    }

    /// Returns the recording in the name of an entry's field, before the number at the end; nil for other fields.
    private static func key(of field: ExactText) -> ExactText? {
        let name = field.text.utf8
        guard name.starts(with: CatalogueField.entry.utf8) else { return nil }
        let rest = name.dropFirst(CatalogueField.entry.utf8.count)
        guard let space = rest.lastIndex(of: UInt8(ascii: " ")) else { return nil }
        return ExactText(String(decoding: rest[..<space], as: UTF8.self))
    }

    /// Returns the indices of a longest sequence of entries that is already in display order.
    private static func increasing(_ entries: [(field: ExactText, position: ExactText?)]) -> Set<Int> {
        // Last index of the best sequence of each length, and the predecessor of each index.
        var (ends, before): ([Int], [Int?]) = ([], Array(repeating: nil, count: entries.count))
        for (place, entry) in entries.enumerated() {
            guard let position = entry.position else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                let other = entries[ends[middle]]
                if let known = other.position, (known, other.field) < (position, entry.field) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            before[place] = low > 0 ? ends[low - 1] : nil
            if low < ends.count { ends[low] = place } else { ends.append(place) }
        }
        var kept: Set<Int> = []
        var place = ends.last
        while let next = place {
            kept.insert(next)
            place = before[next]
        }
        return kept
    }
}

/// A position in a list, with room for another position between any two: base-62 digits after a point, without zeros at
/// the end. Comparing the bytes of the texts gives the order of the positions.
enum EntryPosition {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let values = Dictionary(uniqueKeysWithValues: zip(digits, UInt8(0)...))

    /// Longest position from which others are derived, in digits. Five entries added one by one at the same place need
    /// one more digit.
    static let longest = 100

    static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.last != digits[0] && text.utf8.allSatisfy { values[$0] != nil }
    }

    /// Returns positions between two others, the first before the second; nil for the beginning and the end.
    static func between(_ low: ExactText?, _ high: ExactText?, count: Int) -> [ExactText] {
        func value(_ text: ExactText) -> [UInt8] { text.text.utf8.compactMap { values[$0] } }
        var places: [[UInt8]] = Array(repeating: [], count: count)
        func fill(_ range: Range<Int>, _ low: [UInt8], _ high: [UInt8]?) {
            if range.isEmpty { return }
            let middle = range.lowerBound + range.count / 2
            places[middle] = Self.middle(low[...], high.map { $0[...] })
            fill(range.lowerBound..<middle, low, places[middle])
            fill(middle + 1..<range.upperBound, places[middle], high)
        }
        let (first, last) = (low.map(value) ?? [], high.map(value))
        // Adding one entry at the end, the most frequent change, lengthens a position at most every thirtieth time.
        if count == 1, last == nil { places[0] = after(first) } else { fill(0..<count, first, last) }
        return places.map { place in ExactText(String(decoding: place.map { digits[Int($0)] }, as: UTF8.self)) }
    }

    private static func after(_ low: [UInt8]) -> [UInt8] {
        let full = low.prefix { $0 == digits.count - 1 }
        let next = full.count < low.count ? low[full.count] + 1 : UInt8(digits.count / 2)
        return Array(full) + [next]
    }

    private static func middle(_ low: ArraySlice<UInt8>, _ high: ArraySlice<UInt8>?) -> [UInt8] {
        var (low, high, place): (ArraySlice<UInt8>, ArraySlice<UInt8>?, [UInt8]) = (low, high, [])
        while let digit = high?.first, digit == low.first ?? 0 {
            place.append(digit)
            (low, high) = (low.dropFirst(), high?.dropFirst())
        }
        while true {
            let (first, last) = (low.first ?? 0, high?.first ?? UInt8(digits.count))
            if first + 1 < last { return place + [first + (last - first) / 2] }
            if let high, high.count > 1 { return place + [last] }
            // After this digit, there is room up to the next digit.
            place.append(first)
            (low, high) = (low.dropFirst(), nil)
        }
    }
}
