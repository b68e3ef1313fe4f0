// Woodshed's own format: an object with the recording's rate and length, and all properties of its sections. A list of
// such sections, one object a line, as written by `sections --json`, is read too.
internal import JSON

enum SectionJSON {
    static func read(_ bytes: [UInt8], into collector: inout SectionCollector) throws(SectionFormatError) {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        if let whole = JSONValue(reading: bytes), let sections = whole["sections"]?.elements ?? whole.elements {
            let told = whole["sample_rate"]?.number(in: -.greatestFiniteMagnitude ... .greatestFiniteMagnitude)
            let rate = told.flatMap { Int64(exactly: $0) }.flatMap { ClosedRange.sampleRates.contains($0) ? $0 : nil }
            if let told, rate == nil { throw .broken(.json, "its sample rate is \(told)") }
            if let rate, rate != Int64(collector.rate) {
                collector.note("its times are at \(rate) Hz, the recording is at \(collector.rate) Hz")
            }
            for section in sections { add(section, rate: rate ?? Int64(collector.rate), to: &collector) }
            return
        }
        var count = 0
        for line in bytes.split(separator: 0x0A) {
            guard let section = JSONValue(reading: Array(line)) else {
                throw .broken(.json, "line \(count + 1) is not JSON")
            }
            add(section, rate: Int64(collector.rate), to: &collector)
            count += 1
        }
    }

    private static func add(_ value: JSONValue, rate: Int64, to collector: inout SectionCollector) {
        func frame(_ key: String) -> Int64? {
            // The collector reports frames beyond the recording.
            value[key]?.integer(in: .identities).map { min($0, ClosedRange.counts.upperBound) }
        }
        guard let first = frame("start_frame"), let past = frame("end_frame") else {
            return collector.lose(.unreadable)
        }
        guard first < past else { return collector.lose(.reversed) }
        guard first >= 0 else { return collector.lose(.outside) }
        let start = FormatTime.scaled(first, by: Int64(collector.rate), over: rate)
        let end = max(start + 1, FormatTime.scaled(past, by: Int64(collector.rate), over: rate))
        var settings: [String: String] = [:]
        if case .object(let fields)? = value["settings"] {
            for field in fields { settings[field.key] = field.value.stringValue }
        }
        collector.add(
            SectionDraft(
                start..<end, name: value["name"]?.stringValue ?? "", text: value["text"]?.stringValue ?? "",
                kind: value["kind"]?.stringValue.flatMap(SavedSection.Kind.init) ?? .range,
                isHard: value["hard"]?.boolValue ?? false, settings: settings))
    }

    static func write(_ list: SectionList) -> ExportedSections {
        let head = #"{"v":1,"sample_rate":\#(list.sampleRate),"frames":\#(list.frameCount),"sections":["#
        let sections = list.sections.map { section in
            JSONValue.object([
                .init("kind", .string(section.kind.rawValue)), .init("name", .string(section.name)),
                .init("text", .string(section.text)), .init("start_frame", .integer(section.frames.lowerBound)),
                .init("end_frame", .integer(section.frames.upperBound)), .init("hard", .bool(section.isHard)),
                .init(
                    "settings",
                    .object(section.settings.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })),
            ]).text
        }
        return ExportedSections(head + "\n" + sections.joined(separator: ",\n") + "\n]}\n", [])
    }
}
