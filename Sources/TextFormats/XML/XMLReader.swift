internal import CLibXML
internal import Explanations
internal import Libraries

/// Limits of an XML text. A text beyond a limit is refused with an error.
package struct XMLLimits: Sendable {
    /// Bytes of the whole text.
    package var byteCount = 64 << 20
    /// Nesting depth of elements.
    package var depth = 64
    /// Attributes of one element.
    package var attributeCount = 64
    /// Bytes of text between two tags, and of one attribute.
    package var textBytes = 4 << 20

    package init() {}
}

/// The beginning of an element.
package struct XMLElement: Sendable, Equatable {
    /// The name without its prefix.
    package let name: String
    /// Prefix before the colon of the name; empty if there is none.
    package let prefix: String
    /// Name of the namespace; nil for an undeclared prefix, which is an error in XML but common in feeds.
    package let namespace: String?
    /// Names and values of the attributes: first namespace declarations, then other attributes, in document order.
    /// Names include their prefixes, as written.
    package let attributes: [(name: String, value: String)]

    /// Returns the value of an attribute.
    package subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    package static func == (left: XMLElement, right: XMLElement) -> Bool {
        left.name == right.name && left.prefix == right.prefix && left.namespace == right.namespace
            && left.attributes.elementsEqual(right.attributes, by: ==)
    }
}

/// Receives the parts of an XML text, in document order.
package protocol XMLEvents: AnyObject {
    func start(_ element: XMLElement)
    /// Receives the whole text between two tags, including entities and CDATA; never empty.
    func text(_ text: String)
    /// Ends the innermost open element.
    func end()
}

/// Reads XML with libxml2, loaded on first use.
///
/// The text may come from anywhere: its length bounds memory and time, and definitions of entities and attributes are
/// refused. Nothing else is read or fetched: a DOCTYPE that names another file has no effect. Real-time safe: no.
/// Threads: any.
package enum XMLReader {
    private static let loaded: Result<LibraryFunctions<LibXMLFunctions>, LibraryError> = {
        do throws(LibraryError) {
            let functions = try unsafe LibraryFunctions<LibXMLFunctions>(libxml_description())
            unsafe functions.table.pointee.xmlInitParser()
            return .success(functions)
        } catch {
            return .failure(error)
        }
    }()

    /// Passes the parts of a text to `events`.
    ///
    /// Supports UTF-8, UTF-16, ISO-8859-1, US-ASCII and windows-1252, as declared in the text. On an error, `events`
    /// has received everything before the error.
    ///
    /// - Parameter repairing: True to read malformed text as its author meant the text (see ``XMLRepair``). Only a text
    ///   that ends before its first element does then counts as broken. Without repair, every malformed text is broken.
    package static func read(
        _ bytes: some Collection<UInt8>, limits: XMLLimits = XMLLimits(), repairing: Bool = false,
        into events: any XMLEvents
    ) throws(XMLError) {
        guard bytes.count <= limits.byteCount else { throw .limit("more than \(limits.byteCount >> 20) MiB") }
        let functions: LibraryFunctions<LibXMLFunctions>
        switch loaded {
        case .success(let table): functions = table
        case .failure(let error): throw XMLError(error)
        }
        let text = try XMLText(Array(bytes), repairing: repairing)
        let content = try XMLProlog.withoutDoctype(text.bytes)
        try XMLRun(functions, limits: limits, repairing: repairing, events: events).read(
            repairing ? XMLRepair.repaired(content, limits: limits) : content, isBroken: text.isBroken,
            lineCount: 1 + content.count { $0 == 10 })
    }
}

/// A single pass of a text through libxml2.
@safe
private final class XMLRun {
    private let functions: LibraryFunctions<LibXMLFunctions>
    private let limits: XMLLimits
    private let repairing: Bool
    private let events: any XMLEvents
    /// Error that stopped reading from within a callback.
    private var failure: XMLError?
    /// First error that libxml2 calls fatal: the text is not well-formed.
    private var fatal: (code: Int32, line: Int32, words: String)?
    private var depth = 0
    private var hasEnded = false
    private var text: [UInt8] = []
    /// Namespaces in force, by prefix, with the depth of each declaration.
    private var namespaces: [(depth: Int, prefix: String, name: String)] = []

    private var libxml: LibXMLFunctions { unsafe functions.table.pointee }

    /// Bytes passed to libxml2 at once.
    private static let pieceBytes = 1 << 16
    /// Maximum number of declared prefixes, so that a look-up takes bounded time.
    private static let mostNamespaces = 64
    /// Maximum number of `=` before a quote between two `<`. libxml2 2.9 compares each attribute of an element with all
    /// earlier attributes.
    private static let mostValues = 20_000

    init(
        _ functions: LibraryFunctions<LibXMLFunctions>, limits: XMLLimits, repairing: Bool, events: any XMLEvents
    ) {
        (self.functions, self.limits, self.repairing, self.events) = (functions, limits, repairing, events)
    }

    /// - Parameters:
    ///   - isBroken: True if bytes that are not in the text's encoding follow.
    ///   - lineCount: Number of lines before the repair.
    func read(_ bytes: [UInt8], isBroken: Bool, lineCount: Int) throws(XMLError) {
        // The repair has already limited the attributes.
        if !repairing, Self.hasTooManyValues(bytes) {
            throw .limit("an element with more than \(limits.attributeCount) attributes")
        }
        var handler = unsafe Self.handler
        // libxml2 copies the handler. Callbacks run only within `xmlParseChunk`, while this object is alive.
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard let parser = unsafe libxml.xmlCreatePushParserCtxt(&handler, own, nil, 0, nil) else { throw .outOfMemory }
        defer { unsafe libxml.xmlFreeParserCtxt(parser) }
        let options = (repairing ? XML_PARSE_RECOVER : 0) | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC
        _ = unsafe libxml.xmlCtxtUseOptions(parser, Int32(options))
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest.dropFirst(Self.pieceBytes)
            unsafe piece.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = unsafe libxml.xmlParseChunk(parser, start, Int32(bytes.count), 0)
            }
            try check()
        } while !rest.isEmpty
        if isBroken { throw error(line: lineCount, "a byte is not in the encoding of the text") }
        _ = unsafe libxml.xmlParseChunk(parser, nil, 0, 1)
        try check()
        if !hasEnded { throw error(line: lineCount, "the text ends before its first element does") }
    }

    private func check() throws(XMLError) {
        if let failure { throw failure }
        guard let fatal else { return }
        if fatal.code == Int32(XML_ERR_NO_MEMORY) { throw .outOfMemory }
        if repairing { return }
        // libxml2 reports a text that ends too early with the same words.
        let isEnd = fatal.code == Int32(XML_ERR_DOCUMENT_END) && !hasEnded
        throw error(line: Int(fatal.line), isEnd ? "the text ends before its first element does" : fatal.words)
    }

    private func error(line: Int, _ words: String) -> XMLError {
        XMLError(
            .broken, "The XML is broken in line \(line): \(words)",
            remedy: "Get the file again, or tell the author of the file.")
    }

    private static func hasTooManyValues(_ bytes: [UInt8]) -> Bool {
        var (count, last): (Int, UInt8) = (0, 0)
        for byte in bytes {
            if byte == UInt8(ascii: "<") {
                count = 0
            } else if last == UInt8(ascii: "="), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                count += 1
                if count > mostValues { return true }
            }
            if byte > 32 { last = byte }
        }
        return false
    }

    // MARK: What libxml2 calls

    private static var handler: LibXMLHandler {
        var handler = unsafe libxml_handler()
        unsafe handler.startElementNs = { own, name, prefix, _, namespaceCount, namespaces, count, _, attributes in
            guard let own = unsafe own, let name = unsafe name else { return }
            let run = unsafe XMLRun.of(own)
            // After an error of this reader, libxml2 continues to the end of the piece.
            guard run.failure == nil else { return }
            let declared = unsafe XMLRun.declarations(namespaces, count: Int(namespaceCount))
            let others = unsafe XMLRun.attributes(attributes, count: Int(count))
            unsafe run.start(XMLRun.qualified(prefix, name), declared + others)
        }
        unsafe handler.endElementNs = { own, _, _, _ in
            if let own = unsafe own { unsafe XMLRun.of(own).end() }
        }
        // One function for all three: libxml2 compares two of these pointers for equality.
        let take: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int32) -> Void = {
            own, characters, count in
            guard let own = unsafe own, let characters = unsafe characters else { return }
            unsafe XMLRun.of(own).take(UnsafeRawBufferPointer(start: characters, count: Int(count)))
        }
        unsafe handler.characters = take
        unsafe handler.ignorableWhitespace = take
        unsafe handler.cdataBlock = take
        // No DOCTYPE arrives here. If it did, libxml2 would add the default of an attribute to every element.
        unsafe handler.entityDecl = { own, _, _, _, _, _ in
            if let own = unsafe own { unsafe XMLRun.of(own).stop(.entities) }
        }
        unsafe handler.attributeDecl = { own, _, _, _, _, _, _ in
            if let own = unsafe own { unsafe XMLRun.of(own).stop(.attributes) }
        }
        unsafe handler.serror = { own, error in
            guard let own = unsafe own, let error = unsafe error else { return }
            unsafe XMLRun.of(own).note(error.pointee)
        }
        return unsafe handler
    }

    private static func of(_ own: UnsafeMutableRawPointer) -> XMLRun {
        unsafe Unmanaged<XMLRun>.fromOpaque(own).takeUnretainedValue()
    }

    private static func text(_ characters: UnsafePointer<UInt8>) -> String { unsafe String(cString: characters) }

    /// Returns a name as written.
    private static func qualified(_ prefix: UnsafePointer<UInt8>?, _ name: UnsafePointer<UInt8>) -> String {
        let name = unsafe text(name)
        return unsafe prefix.map { unsafe text($0) + ":" + name } ?? name
    }

    /// Returns the namespace declarations of an element as attributes. libxml2 passes prefixes and names in turn.
    private static func declarations(
        _ fields: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int
    ) -> [(name: String, value: String)] {
        guard let fields = unsafe fields else { return [] }
        return (0..<count).map { index in
            let (prefix, name) = unsafe (fields[2 * index], fields[2 * index + 1])
            return (
                name: unsafe prefix.map { unsafe "xmlns:" + text($0) } ?? "xmlns",
                value: unsafe name.map { unsafe value(Array(text($0).utf8)) } ?? ""
            )
        }
    }

    /// Returns the other attributes. libxml2 passes five fields for each attribute.
    private static func attributes(
        _ fields: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int
    ) -> [(name: String, value: String)] {
        guard let fields = unsafe fields else { return [] }
        return (0..<count).compactMap { index in
            let field = unsafe fields + 5 * index
            guard let name = unsafe field[0], let start = unsafe field[3], let end = unsafe field[4] else { return nil }
            let characters = unsafe UnsafeBufferPointer(start: start, count: end - start)
            return unsafe (name: qualified(field[1], name), value: value(Array(characters)))
        }
    }

    /// Returns the value of an attribute. libxml2 passes each `&` as the reference `&#38;`, unless it expands entities.
    private static func value(_ text: [UInt8]) -> String {
        var (value, rest): ([UInt8], ArraySlice<UInt8>) = ([], text[...])
        while let place = rest.firstIndex(of: UInt8(ascii: "&")) {
            value += rest[...place]
            rest = rest[(place + 1)...]
            if rest.starts(with: "#38;".utf8) { rest = rest.dropFirst(4) }
        }
        return String(decoding: value + rest, as: UTF8.self)
    }

    private func note(_ error: LibXMLError) {
        guard fatal == nil, unsafe error.level == Int32(XML_ERR_FATAL) else { return }
        let words = unsafe error.message.map { unsafe String(cString: $0) } ?? "unknown"
        let line = LineText.trimmed(Array(words.utf8)[...])
        unsafe fatal = (error.code, error.line, String(decoding: line, as: UTF8.self))
    }

    // MARK: What libxml2 finds

    private func stop(_ error: XMLError) { failure = failure ?? error }

    private func start(_ name: String, _ attributes: [(name: String, value: String)]) {
        flush()
        depth += 1
        if depth > limits.depth { return stop(.limit("more than \(limits.depth) elements within one another")) }
        if attributes.count > limits.attributeCount {
            return stop(.limit("an element with more than \(limits.attributeCount) attributes"))
        }
        for (name, value) in attributes {
            if value.utf8.count > limits.textBytes { return stop(.limit("an attribute that is too long")) }
            if name == "xmlns" {
                namespaces.append((depth, "", value))
            } else if name.hasPrefix("xmlns:") {
                namespaces.append((depth, String(name.dropFirst(6)), value))
            }
        }
        if namespaces.count > Self.mostNamespaces { return stop(.limit("too many namespaces")) }
        let colon = name.utf8.firstIndex(of: UInt8(ascii: ":"))
        let prefix = colon.map { String(name[..<$0]) } ?? ""
        let local = colon.map { String(name[name.utf8.index(after: $0)...]) } ?? name
        let namespace = namespaces.last { $0.prefix == prefix }?.name
        events.start(XMLElement(name: local, prefix: prefix, namespace: namespace, attributes: attributes))
    }

    private func end() {
        guard failure == nil, depth > 0 else { return }
        flush()
        while let last = namespaces.last, last.depth == depth { namespaces.removeLast() }
        depth -= 1
        if depth == 0 { hasEnded = true }
        events.end()
    }

    private func take(_ characters: UnsafeRawBufferPointer) {
        guard failure == nil, depth > 0 else { return }
        if text.count + characters.count > limits.textBytes { return stop(.limit("a text that is too long")) }
        unsafe text.append(contentsOf: characters)
    }

    private func flush() {
        if text.isEmpty { return }
        events.text(String(decoding: text, as: UTF8.self))
        text.removeAll(keepingCapacity: true)
    }
}
