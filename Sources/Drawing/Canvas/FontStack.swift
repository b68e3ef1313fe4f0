// Which font has which character. Cairo's own simple text looks into one font alone, and draws boxes for a title in Japanese.
internal import CCairo
internal import Synchronization

/// The fonts of the machine in the order fontconfig prefers them for plain text, of which each character takes the first that
/// has it.
///
/// Letters stand in the order of the text, one after the other: scripts that join letters or run from right to left come out
/// readable at best.
@safe
final class FontStack: Sendable {
    enum Weight: Sendable { case regular, bold }

    /// One font: what draws it, and what it has.
    @safe
    private struct Font: @unchecked Sendable {
        let face: OpaquePointer
        let characters: OpaquePointer

        func has(_ scalar: Unicode.Scalar) -> Bool { unsafe FcCharSetHasChar(characters, scalar.value) != 0 }
    }

    /// Fontconfig's choice for one weight, of which faces are made as they are needed.
    @safe
    private struct Choice: @unchecked Sendable {
        let pattern: OpaquePointer
        let set: UnsafeMutablePointer<FcFontSet>
        var fonts: [Font?]
        /// The index of the font of each scalar that was looked up.
        var known: [Unicode.Scalar: Int] = [:]
    }

    /// The fonts of this machine.
    static let system = unsafe FontStack(configuration: nil)

    @safe
    private struct Configuration: @unchecked Sendable { let pointer: OpaquePointer? }
    private let configuration: Configuration
    private let choices: Mutex<[Weight: Choice]>
    /// Whether there is any font.
    let isUsable: Bool

    /// - Parameter configuration: An `FcConfig` that outlives this, or nil for the machine's.
    init(configuration: OpaquePointer?) {
        self.configuration = unsafe Configuration(pointer: configuration)
        var choices: [Weight: Choice] = [:]
        for weight in [Weight.regular, .bold] {
            choices[weight] = unsafe Self.choice(weight, configuration: configuration)
        }
        isUsable = choices.count == 2
        self.choices = Mutex(choices)
    }

    deinit {
        choices.withLock { choices in
            for choice in choices.values {
                for font in choice.fonts { if let font { unsafe cairo_font_face_destroy(font.face) } }
                unsafe FcFontSetDestroy(choice.set)
                unsafe FcPatternDestroy(choice.pattern)
            }
        }
    }

    /// A piece of text that one font draws.
    @safe
    struct Run: @unchecked Sendable {
        /// Lives as long as the stack.
        let face: OpaquePointer
        var text: String
    }

    /// The text in pieces of one font each; none without fonts.
    func runs(of text: String, weight: Weight) -> [Run] {
        choices.withLock { choices in
            guard var choice = choices.removeValue(forKey: weight) else { return [] }
            defer { choices[weight] = choice }
            var runs: [Run] = []
            var last = -1
            for character in text {
                let index = self.index(of: character, in: &choice) ?? 0
                guard let font = choice.fonts[index] else { continue }
                if index == last {
                    runs[runs.count - 1].text.append(character)
                } else {
                    unsafe runs.append(Run(face: font.face, text: String(character)))
                    last = index
                }
            }
            return runs
        }
    }

    /// The characters of a text that no font has, in its order.
    func missing(in text: String) -> [Character] {
        choices.withLock { choices in
            guard var choice = choices.removeValue(forKey: .regular) else { return Array(text) }
            defer { choices[.regular] = choice }
            return text.filter { index(of: $0, in: &choice) == nil }
        }
    }

    /// The first font that has all of a character.
    private func index(of character: Character, in choice: inout Choice) -> Int? {
        // Joiners and variation selectors choose among forms, and fonts that have one form do without them.
        let scalars = character.unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint && !$0.properties.isJoinControl
        }
        if scalars.count == 1, let first = scalars.first, let index = choice.known[first] {
            return index < 0 ? nil : index
        }
        var found: Int?
        for index in choice.fonts.indices {
            guard let font = load(index, of: &choice) else { continue }
            if scalars.allSatisfy(font.has) {
                found = index
                break
            }
        }
        if scalars.count == 1, let first = scalars.first { choice.known[first] = found ?? -1 }
        if found == nil { _ = load(0, of: &choice) }
        return found
    }

    private func load(_ index: Int, of choice: inout Choice) -> Font? {
        if let font = choice.fonts[index] { return font }
        var characters: OpaquePointer?
        guard let listed = unsafe choice.set.pointee.fonts[index],
            unsafe FcPatternGetCharSet(listed, FC_CHARSET, 0, &characters) == FcResultMatch,
            let characters = unsafe characters,
            let prepared = unsafe FcFontRenderPrepare(configuration.pointer, choice.pattern, listed)
        else { return nil }
        // The face keeps the pattern it needs.
        defer { unsafe FcPatternDestroy(prepared) }
        guard let face = unsafe cairo_ft_font_face_create_for_pattern(prepared) else { return nil }
        let font = unsafe Font(face: face, characters: characters)
        choice.fonts[index] = font
        return font
    }

    /// Fontconfig's order of fonts; nil when there is none.
    private static func choice(_ weight: Weight, configuration: OpaquePointer?) -> Choice? {
        guard let pattern = unsafe FcPatternCreate() else { return nil }
        let family = Array("sans-serif".utf8) + [0]
        unsafe FcPatternAddString(pattern, FC_FAMILY, family)
        unsafe FcPatternAddInteger(pattern, FC_WEIGHT, weight == .bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR)
        unsafe FcConfigSubstitute(configuration, pattern, FcMatchPattern)
        unsafe FcDefaultSubstitute(pattern)
        var result = FcResultMatch
        let sorted = unsafe FcFontSort(configuration, pattern, FcBool(1), nil, &result)
        guard let set = unsafe sorted, unsafe set.pointee.nfont > 0 else {
            unsafe FcPatternDestroy(pattern)
            if let set = unsafe sorted { unsafe FcFontSetDestroy(set) }
            return nil
        }
        return unsafe Choice(
            pattern: pattern, set: set, fonts: Array(repeating: nil, count: Int(set.pointee.nfont)))
    }
}
