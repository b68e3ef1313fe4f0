import Glibc

/// Stable device names: the card's id replaces the card's number, which another card may get later.
package enum StableName {
    private static let kinds: Set<Substring> = ["hw", "plughw", "sysdefault", "front", "dmix", "dsnoop"]

    /// Returns the stable name of the same device.
    ///
    /// Names without a number, and numbers of cards that do not exist, stay as they are.
    package static func of(_ name: String, cardID: (Int) -> String? = StableName.cardID) -> String {
        guard let colon = name.firstIndex(of: ":") else { return name }
        let kind = name[..<colon]
        var arguments = name[name.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
        guard kinds.contains(kind), let first = arguments.first else { return name }
        let number = first.hasPrefix("CARD=") ? first.dropFirst("CARD=".count) : first
        guard let card = Int(number), let id = cardID(card) else { return name }
        arguments[0] = "CARD=\(id)"
        // Named and unnamed arguments cannot be mixed.
        for (index, argument) in arguments.enumerated().dropFirst() where !argument.contains("=") && index < 3 {
            arguments[index] = (index == 1 ? "DEV=" : "SUBDEV=") + argument
        }
        return "\(kind):\(arguments.joined(separator: ","))"
    }

    /// Returns the kernel's id of a card.
    package static func cardID(_ card: Int) -> String? {
        SystemFiles.machine.line("proc/asound/card\(card)/id").flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension OutputDevice {
    /// Returns the same device by its stable name; outputs that are not system devices stay unchanged.
    func stable(cardID: (Int) -> String? = StableName.cardID) -> OutputDevice {
        guard case .system(let name) = self else { return self }
        return .system(StableName.of(name, cardID: cardID))
    }
}
