internal import CALSA

/// The sending ports of the sequencer. The owner of the sequencer keeps it open.
@safe
struct SequencerPorts {
    /// A port of another program or of a device.
    struct Port: Equatable {
        let client: Int32
        let number: Int32
        let clientName: String
        let portName: String

        /// The port's name as shown by `aconnect -l`, in one line.
        var name: String { "\(client):\(number) \(clientName): \(portName)" }
    }

    private let sequencer: OpaquePointer

    init(_ sequencer: OpaquePointer) { unsafe self.sequencer = unsafe sequencer }

    /// All ports open to subscription, except the system's own.
    var senders: [Port] {
        var client: OpaquePointer?
        var port: OpaquePointer?
        guard unsafe snd_seq_client_info_malloc(&client) >= 0 else { return [] }
        defer { unsafe snd_seq_client_info_free(client) }
        guard unsafe snd_seq_port_info_malloc(&port) >= 0 else { return [] }
        defer { unsafe snd_seq_port_info_free(port) }
        var result: [Port] = []
        unsafe snd_seq_client_info_set_client(client, -1)
        while unsafe snd_seq_query_next_client(sequencer, client) >= 0 {
            let number = unsafe snd_seq_client_info_get_client(client)
            if number == Int32(SND_SEQ_CLIENT_SYSTEM) { continue }
            let clientName = unsafe text(snd_seq_client_info_get_name(client))
            unsafe snd_seq_port_info_set_client(port, number)
            unsafe snd_seq_port_info_set_port(port, -1)
            while unsafe snd_seq_query_next_port(sequencer, port) >= 0 {
                let needed = UInt32(SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ)
                guard unsafe snd_seq_port_info_get_capability(port) & needed == needed else { continue }
                result.append(
                    Port(
                        client: number, number: unsafe snd_seq_port_info_get_port(port), clientName: clientName,
                        portName: unsafe text(snd_seq_port_info_get_name(port))))
            }
        }
        return result
    }

    private func text(_ name: UnsafePointer<CChar>?) -> String {
        guard let name = unsafe name else { return "" }
        return unsafe String(cString: name)
    }
}

/// A user's name for a port: `24:0`, `24`, `nanoKONTROL2`, `nanoKONTROL2:nanoKONTROL2 MIDI 1`.
struct PortName: Equatable {
    private let client: String
    private let port: String?

    var text: String { port.map { "\(client):\($0)" } ?? client }

    init(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        self.init(client: parts[0], port: parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil)
    }

    init(client: String, port: String?) { (self.client, self.port) = (client, port) }

    /// Returns the first port with this name: exactly, or else by the name's beginning.
    func match(_ ports: [SequencerPorts.Port]) -> SequencerPorts.Port? {
        func fits(_ word: String, _ number: Int32, _ name: String, exactly: Bool) -> Bool {
            let (word, name) = (word.lowercased(), name.lowercased())
            return word == String(number) || word == name || (!exactly && !word.isEmpty && name.hasPrefix(word))
        }
        func found(exactly: Bool) -> SequencerPorts.Port? {
            ports.first { candidate in
                fits(client, candidate.client, candidate.clientName, exactly: exactly)
                    && (port.map { fits($0, candidate.number, candidate.portName, exactly: exactly) } ?? true)
            }
        }
        return found(exactly: true) ?? found(exactly: false)
    }
}
