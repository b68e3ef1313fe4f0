import JSON
import TestSupport
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    private func read(_ text: String) -> JSONValue? { JSONValue(reading: Array(text.utf8)) }

    @Test("written JSON is read back unchanged")
    func roundTrip() {
        let value = JSONValue.object([
            .init("a\"\\\n\u{1}\u{9B}é日𝄞", .array([.null, .bool(true), .bool(false), .array([]), .object([])])),
            .init("", .integer(Int64.min)), .init("n", .number(-1.5e-300)), .init("m", .number(0.1)),
            .init("s", .string("/\u{7F}\t")),
        ])
        #expect(read(value.text) == value)
        #expect(read(" \n\t\r" + value.text + " ") == value)
        for texts in [[], ["a"], ["é\"\n", "", "\u{9B}"]] as [[String]] {
            #expect(JSONValue.list(of: texts) == JSONValue.array(texts.map { .string($0) }).text)
        }
    }

    @Test("escapes and numbers of both kinds are read, and the first of equal keys counts")
    func details() {
        #expect(read(#""\u00e9\ud834\udd1e\/\b\f\r\n\t\"\\""#) == .string("é𝄞/\u{8}\u{C}\r\n\t\"\\"))
        #expect(
            read("[0,-0,1.0,1e2,100000000000000000000]")
                == .array([
                    .integer(Int64(0)), .integer(Int64(0)), .number(1), .number(100), .number(1e20),
                ]))
        let twice = read(#"{"a":1,"a":2}"#)
        #expect(twice?["a"]?.integer(in: .counts) == 1 && twice?["a"]?.number(in: .measures) == 1 && twice?["b"] == nil)
        #expect(read("1e300")?.number(in: .measures) == nil && read("-2.5")?.number(in: -3...0) == -2.5)
        #expect(read("0.001")?.number(in: .speeds) == nil && read("\"1\"")?.number(in: .speeds) == nil)
        #expect(read("[[[1]]]")?.elements?.count == 1 && read("true")?.boolValue == true)
        #expect(read("9223372036854775807")?.integer(in: .counts) == nil && read("-1")?.integer(in: .counts) == nil)
        #expect(read("-1")?.integer(in: .places) == -1 && read("0")?.integer(in: .sampleRates) == nil)
        #expect(read("1.5")?.integer(in: .counts) == nil && read("\"x\"")?.stringValue == "x" && read("1")?["a"] == nil)
    }

    @Test("a number is read from a text within limits, or not at all")
    func textNumbers() {
        #expect(Int64(digits: "9223372036854775807", in: .identities) == .max)
        #expect(Int64(digits: "-9223372036854775808", in: .identities) == .min)
        #expect(Int64(digits: "9223372036854775808", in: .identities) == nil)
        #expect(Int64(digits: "9007199254740992", in: .counts) == 1 << 53)
        #expect(Int64(digits: "9007199254740993", in: .counts) == nil && Int64(digits: "-1", in: .counts) == nil)
        #expect(Int(digits: "+007", in: 0...9) == 7 && UInt8(digits: "fF", radix: 16, in: 0...255) == 255)
        #expect(UInt8(digits: "256", in: 0...255) == nil && UInt8(digits: "-0", in: 0...255) == 0)
        #expect(Int8(digits: "-80", radix: 16, in: -128...127) == -128)
        for text in ["", "+", "-", "1a", "a", " 1", "1 ", "١", "1_0", "--1", "0x1", "1.0"] {
            #expect(Int(digits: text, in: .min ... .max) == nil, "\(text)")
        }
        #expect(Double(decimal: "2.5", in: 0...3) == 2.5 && Double(decimal: "3.5", in: 0...3) == nil)
        for text in ["", "nan", "inf", "1e999", " 1"] { #expect(Double(decimal: text, in: -1e300...1e300) == nil) }
    }

    @Test("a number is read from bytes within limits, or not at all")
    func byteNumbers() {
        let ones = [UInt8](repeating: 0xFF, count: 9)
        #expect(Int64(bytes: [0x80, 0, 0, 0], in: .counts) == 1 << 31)
        #expect(Int64(bytes: ones.prefix(4), in: .counts) == Int64(UInt32.max))
        #expect(Int64(bytes: [0x7F] + ones.prefix(7), in: .identities) == .max)
        #expect(Int64(bytes: [0x80, 0, 0, 0, 0, 0, 0, 0], in: .identities) == nil)
        #expect(Int64(bytes: ones.prefix(8), in: .identities) == nil)
        #expect(UInt64(bytes: ones.prefix(8), in: 0...(.max)) == .max && UInt64(bytes: ones, in: 0...(.max)) == nil)
        #expect(Int64(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 5], in: .counts) == 5)
        #expect(Int64(bytes: [0x20, 0, 0, 0, 0, 0, 1], in: .counts) == nil)
        #expect(Int64(bytes: [], in: .counts) == nil && UInt8(bytes: [1, 0], in: 0...255) == nil)
        #expect(Int8(bytes: [0xFF], in: -128...127) == nil)
        #expect(Int(bytes: ones.prefix(4), bits: 7, in: 0...1 << 28) == 1 << 28 - 1)
    }

    @Test(
        "a text that is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, #"{"a":1,}"#, "tru", "nul", "01",
            "+1",
            "1.", ".5", "1e", "-", "0x10", "1e999", "NaN", "\"a", "\"\n\"", #""\x""#, #""\u12""#, #""\u12g4""#,
            #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, "1 1", String(repeating: "[", count: 100_000), "\u{FEFF}1",
        ].map(ShortText.init))
    func refused(damage: ShortText) { #expect(read(damage.text) == nil) }

    @Test("a JSON text in pieces of any lengths has the same parts")
    func pieces() {
        func parts(_ bytes: some Collection<UInt8>, _ size: Int) -> [String]? {
            let bytes = Array(bytes)
            var found: [String] = []
            var stream = Self.stream(bytes, size)
            do throws(NotJSON) {
                try stream.object { (stream, key) throws(NotJSON) in
                    guard try stream.shape() == .array else {
                        found.append("\(key): \(try stream.value(within: .max, .max)?.text ?? "")")
                        return
                    }
                    try stream.array { (stream) throws(NotJSON) in
                        let first = try stream.place()
                        let value = try stream.value(within: .max, .max)?.text ?? ""
                        let text = String(decoding: bytes[first..<stream.readCount], as: UTF8.self)
                        found.append("\(key): \(value) \(text)")
                    }
                }
                try stream.end()
            } catch { return nil }
            return found
        }
        let text = Array(
            #" {"a" : "x\u00e9\ud834\udd1e\n" , "b":[ ],"c":[ -1.5e+2 , true,null,[{"d":false}] ,"é" ],"e":12 ,"f":{} } "#
                .utf8)
        let whole = [
            "a: \"xé𝄞\\n\"", "c: -150.0 -1.5e+2", "c: true true", "c: null null", #"c: [{"d":false}] [{"d":false}]"#,
            #"c: "é" "é""#, "e: 12", "f: {}",
        ]
        for size in 1...text.count { #expect(parts(text, size) == whole, "\(size)") }
        // Every character but the blank at the end is needed.
        for count in 0..<text.count - 1 { #expect(parts(text.prefix(count), 1 + count % 7) == nil, "\(count)") }
        for damage in ["[]", "1", "{} {}", "{\"a\":[1 2]}", "{\"a\":tru }", "{\"a\":\"\\u12\"}", "{\"a\":01}"] {
            for size in 1...damage.utf8.count { #expect(parts(damage.utf8, size) == nil, "\(damage)") }
        }
        #expect(parts("{ }".utf8, 1) == [])
    }

    private struct NotJSON: Error {}

    private static func stream(_ bytes: [UInt8], _ size: Int) -> JSONStream<NotJSON> {
        var count = 0
        return JSONStream(notJSON: NotJSON()) { () throws(NotJSON) in
            let range = count..<min(bytes.count, count + size)
            count = range.upperBound
            return Array(bytes[range])
        }
    }

    @Test("a JSON value beyond a limit of length or count is reported, for pieces of any lengths")
    func limits() throws {
        let bytes = Array(#"   {"a":[1,2,3], "b":"1234567"}  "#.utf8)
        for size in 1...bytes.count {
            for (most, count, isRead) in [(100, 5, false), (28, 6, true), (27, 6, false), (100, 6, true)] {
                var stream = Self.stream(bytes, size)
                let value = try stream.value(within: most, count)
                #expect((value != nil) == isRead, "\(size) \(most) \(count)")
                if isRead { try stream.end() }
            }
        }
        // Passed over, an array may have any length.
        let long = Array("[\(String(repeating: " [1, {\"a\": null}],", count: 3000))2] ".utf8)
        for size in [1, 7, long.count] {
            var stream = Self.stream(long, size)
            try stream.skip()
            try stream.end()
        }
        var deep = Self.stream(Array(String(repeating: "[", count: 100_000).utf8), 100)
        #expect(throws: NotJSON.self) { try deep.skip() }
    }

    @Test("bytes that are not UTF-8 are refused")
    func notText() { #expect(JSONValue(reading: [0x22, 0xFF, 0x22]) == nil) }
}
