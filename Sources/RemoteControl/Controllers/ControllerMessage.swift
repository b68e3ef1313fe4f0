/// A message of a controller: only messages made by a hand or a foot.
package struct ControllerMessage: Hashable, Sendable {
    /// The moved part.
    package enum Part: Hashable, Sendable {
        /// A pedal, button, knob or slider.
        case control(Int)
        /// A key or pad.
        case note(Int)
        /// A program, sent by some foot boards in place of a button.
        case program(Int)
    }

    package let part: Part
    /// 1 to 16, as printed on controllers.
    package let channel: Int
    /// 0 to 127: the distance of a movement, or the speed of a hit; 0 is released. A program has 127.
    package let value: Int

    package init(_ part: Part, channel: Int, value: Int) {
        (self.part, self.channel, self.value) = (part, channel, value)
    }
}

/// Reads messages from the bytes of a MIDI cable.
package struct ControllerBytes {
    /// The running status byte for the following data; 0 for none.
    private var status: UInt8 = 0
    private var data: [UInt8] = []

    package init() {}

    /// Returns the messages completed by the bytes. Leaves out messages that are no press.
    package mutating func messages(_ bytes: some Sequence<UInt8>) -> [ControllerMessage] {
        var result: [ControllerMessage] = []
        for byte in bytes {
            switch byte {
            // Clock and other real-time bytes may appear within another message.
            case 0xF8...: continue
            case 0xF0...0xF7:
                // The data of these messages, of any length, are ignored.
                (status, data) = (0, [])
            case 0x80...0xEF: (status, data) = (byte, [])
            default:
                guard status != 0 else { continue }
                data.append(byte)
                let isShort = status & 0xF0 == 0xC0 || status & 0xF0 == 0xD0
                guard data.count == (isShort ? 1 : 2) else { continue }
                if let message = Self.message(status, data) { result.append(message) }
                // The status holds until the next status byte.
                data = []
            }
        }
        return result
    }

    private static func message(_ status: UInt8, _ data: [UInt8]) -> ControllerMessage? {
        let (channel, number) = (Int(status & 0x0F) + 1, Int(data[0]))
        switch status & 0xF0 {
        case 0x80: return ControllerMessage(.note(number), channel: channel, value: 0)
        case 0x90: return ControllerMessage(.note(number), channel: channel, value: Int(data[1]))
        case 0xB0: return ControllerMessage(.control(number), channel: channel, value: Int(data[1]))
        case 0xC0: return ControllerMessage(.program(number), channel: channel, value: 127)
        default: return nil
        }
    }
}
