internal import CExpat
internal import Libraries

/// What an XML text may have at most. Whatever goes beyond is refused with an error.
package struct XMLLimits: Sendable {
    /// Bytes of the whole text.
    package var byteCount = 64 << 20
    /// Elements within one another.
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
    /// What stands before the colon of the name; empty if there is none.
    package let prefix: String
    /// The name of the namespace; nil if none is declared for the prefix, which is an error in XML but common in feeds.
    package let namespace: String?
    /// Name and value of each attribute, in the order of the text. The names have their prefixes, as they are written.
    package let attributes: [(name: String, value: String)]

    /// The value of an attribute.
    package subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    package static func == (left: XMLElement, right: XMLElement) -> Bool {
        left.name == right.name && left.prefix == right.prefix && left.namespace == right.namespace
            && left.attributes.elementsEqual(right.attributes, by: ==)
    }
}

/// What takes the parts of an XML text, in their order.
package protocol XMLEvents: AnyObject {
    func start(_ element: XMLElement)
    /// The whole text between two tags, whatever entities or CDATA it is made of; never empty.
    func text(_ text: String)
    /// The end of the element that began last and has not ended.
    func end()
}

/// Reads XML with Expat, which is loaded when it is first needed.
///
/// The text may come from anywhere: memory and time are bounded by its length, definitions of entities and of attributes are refused, and
/// nothing else is ever read or fetched: a DOCTYPE that names another file has no effect. Real-time safe: no. Threads: any.
package enum XMLReader {
    private static let loaded: Result<LibraryFunctions<ExpatFunctions>, LibraryError> = {
        do throws(LibraryError) {
            return .success(try unsafe LibraryFunctions(expat_description()))
        } catch {
            return .failure(error)
        }
    }()

    /// Passes the parts of a text to `events`.
    ///
    /// UTF-8, UTF-16, ISO-8859-1, US-ASCII and windows-1252 are read, as the text declares them. On an error, `events` has got what stands
    /// before it.
    package static func read(
        _ bytes: some Collection<UInt8>, limits: XMLLimits = XMLLimits(), into events: any XMLEvents
    ) throws(XMLError) {
        guard bytes.count <= limits.byteCount else { throw .limit("more than \(limits.byteCount >> 20) MiB") }
        let functions: LibraryFunctions<ExpatFunctions>
        switch loaded {
        case .success(let table): functions = table
        case .failure(let error): throw XMLError(error)
        }
        let run = try XMLRun(functions, limits: limits, events: events)
        do {
            try run.read(bytes)
        } catch {
            // An encoding that Expat does not know is found before anything else, so that `events` has got nothing yet.
            guard error.kind == .encoding, windows.contains(run.encoding.lowercased()) else { throw error }
            try XMLRun(functions, limits: limits, events: events, encoding: "UTF-8").read(LineText.western(bytes))
        }
    }

    private static let windows: Set<String> = ["windows-1252", "cp1252", "cp-1252", "x-cp1252"]
}

/// One text's way through Expat.
@safe
private final class XMLRun {
    private let functions: LibraryFunctions<ExpatFunctions>
    private let parser: OpaquePointer
    private let limits: XMLLimits
    private let events: any XMLEvents
    /// Why reading was stopped from within.
    private var failure: XMLError?
    /// The encoding that the text declares.
    private(set) var encoding = "unknown"
    private var depth = 0
    private var text: [UInt8] = []
    /// The namespaces in force, by prefix, with the depth at which each was declared.
    private var namespaces: [(depth: Int, prefix: String, name: String)] = []

    private var expat: ExpatFunctions { unsafe functions.table.pointee }

    /// The XML text goes to Expat in pieces of this many bytes.
    private static let pieceBytes = 1 << 16
    /// Prefixes that are declared at once, so that finding one takes bounded time.
    private static let mostNamespaces = 64

    /// - Parameter encoding: What the text is in, whatever it declares; nil to believe it.
    init(
        _ functions: LibraryFunctions<ExpatFunctions>, limits: XMLLimits, events: any XMLEvents, encoding: String? = nil
    ) throws(XMLError) {
        guard let parser = unsafe functions.table.pointee.XML_ParserCreate(encoding) else { throw .outOfMemory }
        (self.functions, self.limits, self.events) = (functions, limits, events)
        unsafe self.parser = parser
    }

    deinit { unsafe expat.XML_ParserFree(parser) }

    func read(_ bytes: some Collection<UInt8>) throws(XMLError) {
        // Expat calls back only within `XML_ParseBuffer`, while this object is alive.
        unsafe expat.XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe expat.XML_SetElementHandler(
            parser,
            { own, name, attributes in
                guard let own = unsafe own, let name = unsafe name else { return }
                unsafe XMLRun.of(own).start(unsafe String(cString: name), XMLRun.pairs(attributes))
            }, { own, _ in if let own = unsafe own { unsafe XMLRun.of(own).end() } })
        unsafe expat.XML_SetCharacterDataHandler(parser) { own, characters, count in
            guard let own = unsafe own, let characters = unsafe characters else { return }
            unsafe XMLRun.of(own).take(UnsafeRawBufferPointer(start: characters, count: Int(count)))
        }
        unsafe expat.XML_SetXmlDeclHandler(parser) { own, _, encoding, _ in
            guard let own = unsafe own, let encoding = unsafe encoding else { return }
            unsafe XMLRun.of(own).encoding = unsafe String(cString: encoding)
        }
        unsafe expat.XML_SetEntityDeclHandler(parser) { own, _, _, _, _, _, _, _, _ in
            if let own = unsafe own { unsafe XMLRun.of(own).stop(.entities) }
        }
        // The default of an attribute is added to every element, and each element is compared with every declaration.
        unsafe expat.XML_SetAttlistDeclHandler(parser) { own, _, _, _, _, _ in
            if let own = unsafe own { unsafe XMLRun.of(own).stop(.attributes) }
        }
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(Self.pieceBytes)
            rest = rest.dropFirst(Self.pieceBytes)
            guard let buffer = unsafe expat.XML_GetBuffer(parser, Int32(max(1, piece.count))) else {
                throw unsafe error(expat.XML_GetErrorCode(parser))
            }
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: piece.count).copyBytes(from: piece)
            let status = unsafe expat.XML_ParseBuffer(parser, Int32(piece.count), rest.isEmpty ? 1 : 0)
            if let failure { throw failure }
            if status != XML_STATUS_OK { throw unsafe error(expat.XML_GetErrorCode(parser)) }
        } while !rest.isEmpty
    }

    private static func of(_ own: UnsafeMutableRawPointer) -> XMLRun {
        unsafe Unmanaged<XMLRun>.fromOpaque(own).takeUnretainedValue()
    }

    /// The attributes of an element, which Expat passes as names and values in turn, ended by a null.
    private static func pairs(
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        guard var next = unsafe attributes else { return pairs }
        while let name = unsafe next[0], let value = unsafe next[1] {
            unsafe pairs.append((String(cString: name), String(cString: value)))
            unsafe next += 2
        }
        return pairs
    }

    private func error(_ code: XML_Error) -> XMLError {
        if code == XML_ERROR_NO_MEMORY { return .outOfMemory }
        if code == XML_ERROR_UNKNOWN_ENCODING { return .encoding(encoding) }
        let words = unsafe expat.XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
        let line = unsafe expat.XML_GetCurrentLineNumber(parser)
        return XMLError(
            .broken, "The XML is broken in line \(line): \(words)", remedy: "Get the file again, or tell its author.")
    }

    // MARK: What Expat finds

    private func stop(_ error: XMLError) {
        guard failure == nil else { return }
        failure = error
        _ = unsafe expat.XML_StopParser(parser, 0)
    }

    private func start(_ name: String, _ attributes: [(name: String, value: String)]) {
        // Expat may report what it has already found after it was told to stop.
        guard failure == nil else { return }
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
        guard failure == nil else { return }
        flush()
        while let last = namespaces.last, last.depth == depth { namespaces.removeLast() }
        depth -= 1
        events.end()
    }

    private func take(_ characters: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        if text.count + characters.count > limits.textBytes { return stop(.limit("a text that is too long")) }
        unsafe text.append(contentsOf: characters)
    }

    private func flush() {
        if text.isEmpty { return }
        events.text(String(decoding: text, as: UTF8.self))
        text.removeAll(keepingCapacity: true)
    }
}
