internal import Explanations

/// A process that has a sound device open.
package struct DeviceHolder: Sendable, Hashable, CustomStringConvertible {
    /// Process id.
    package let process: Int
    /// The kernel's name for the process: usually the first fifteen letters of the program.
    package let name: String

    /// Makes a holder.
    package init(process: Int, name: String) {
        self.process = process
        self.name = name
    }

    /// For example `firefox (process 4711)`.
    package var description: String { "\(name) (process \(process))" }
}

extension SystemFiles {
    /// Returns the programs that have a hardware device open.
    ///
    /// A name without a card may mean any card. The list is empty if the kernel does not report the programs, as for
    /// other users' processes. A sound server that holds the device for other programs is found like any other program.
    package func holders(of name: String, _ side: StreamIncident.Side) -> [DeviceHolder] {
        let letter = side == .output ? "p" : "c"
        let hardware = HardwareName(name)
        let nodes = cards(hardware?.card).flatMap { card in
            names(in: "proc/asound/card\(card)").compactMap { folder -> (folder: String, node: String)? in
                guard folder.hasPrefix("pcm"), folder.hasSuffix(letter),
                    let device = Int(folder.dropFirst(3).dropLast()),
                    hardware?.device == nil || hardware?.device == device
                else { return nil }
                return ("proc/asound/card\(card)/\(folder)", "/dev/snd/pcmC\(card)D\(device)\(letter)")
            }
        }
        let owners = nodes.flatMap { openers(in: $0.folder) }
        return (owners.isEmpty ? processes(thatHold: Set(nodes.map(\.node))) : owners).reduce(into: []) {
            found, holder in
            if !found.contains(holder) { found.append(holder) }
        }
    }

    /// Returns the numbers of the cards with this number or id; nil for all.
    private func cards(_ wanted: String?) -> [Int] {
        names(in: "proc/asound").compactMap { name in
            guard name.hasPrefix("card"), let number = Int(name.dropFirst(4)) else { return nil }
            guard let wanted else { return number }
            return wanted == "\(number)" || wanted == line("proc/asound/card\(number)/id") ? number : nil
        }
    }

    /// Returns the processes that, according to the kernel, opened one of a device's substreams.
    private func openers(in folder: String) -> [DeviceHolder] {
        names(in: folder).filter { $0.hasPrefix("sub") }.compactMap { substream in
            guard let status = text("\(folder)/\(substream)/status"),
                let opener = Self.value(of: "owner_pid", in: status).flatMap({ Int($0) }), opener > 0
            else { return nil }
            // The kernel names the thread that opened the device; the program is the leader of its thread group.
            let leader = text("proc/\(opener)/status").flatMap { Self.value(of: "Tgid", in: $0) }.flatMap { Int($0) }
            return holder(leader ?? opener)
        }
    }

    /// Returns the processes whose descriptors refer to one of the nodes.
    private func processes(thatHold nodes: Set<String>) -> [DeviceHolder] {
        guard !nodes.isEmpty else { return [] }
        return names(in: "proc").compactMap { Int($0) }.filter { process in
            names(in: "proc/\(process)/fd").contains { link("proc/\(process)/fd/\($0)").map(nodes.contains) ?? false }
        }.map(holder)
    }

    private func holder(_ process: Int) -> DeviceHolder {
        DeviceHolder(process: process, name: line("proc/\(process)/comm") ?? "a program")
    }

    /// Returns the value of a line such as `owner_pid   : 4711`, or `Tgid:	4711`.
    package static func value(of key: String, in text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].dropFirst(key.count).allSatisfy(\.isWhitespace)
            else { continue }
            return line[line.index(after: colon)...].trimmed()
        }
        return nil
    }
}
