/// Index of the first part of a score that plays a frame of the clip, as a table for a binary search. Made on the
/// control side.
struct ClipPlaces: Sendable {
    /// Frames of the clip at which the part changes, ascending.
    let edges: [Int64]
    /// The part from each edge to the next edge; -1 for none.
    let owners: [Int32]

    /// Builds the table. The work grows a little faster than the number of sections.
    init(_ parts: [ScorePart]) {
        // The parts of one section follow one another, and cover the same frames.
        let firsts = parts.indices.filter { $0 == 0 || parts[$0].section != parts[$0 - 1].section }
        let bounds = firsts.flatMap { [parts[$0].clipRange.lowerBound, parts[$0].clipRange.upperBound] }
        let edges = Array(Set(bounds)).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(edges, edges.indices))
        var owners = [Int32](repeating: -1, count: edges.count)
        // For each place: itself, or a place on the way to the next place without an owner.
        var next = Array(0...edges.count)
        func free(from place: Int) -> Int {
            var place = place
            while next[place] != place {
                next[place] = next[next[place]]
                place = next[place]
            }
            return place
        }
        for index in firsts {
            let range = parts[index].clipRange
            var place = free(from: places[range.lowerBound] ?? edges.count)
            while place < edges.count, edges[place] < range.upperBound {
                owners[place] = Int32(index)
                next[place] = place + 1
                place = free(from: place + 1)
            }
        }
        (self.edges, self.owners) = (edges, owners)
    }
}
