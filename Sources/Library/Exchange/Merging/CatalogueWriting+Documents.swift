// Documents of a catalogue as documents of the store.
internal import Catalogue
internal import Database
internal import JSON
internal import Store
internal import TextFormats

extension CatalogueWriter {
    /// Makes the documents of a recording equal to the catalogue. The files of new documents come with a bundle or a
    /// backup, and are missing until then.
    mutating func writeDocuments(
        _ content: CatalogueItem, of recording: Int64, trashing: inout Int64?, now: Int64
    ) throws(DatabaseError) {
        let rows = DocumentRows(items: items)
        for (field, stamped) in content.fields.sorted(by: { $0.key < $1.key })
        where field.text.hasPrefix(CatalogueField.document) {
            let hash = String(field.text.dropFirst(CatalogueField.document.count))
            guard DocumentFile.isHash(hash) else { continue }
            let known = try rows.document(hash, of: recording)
            let isPresent = known?.isTold == true
            switch stamped.value {
            case .object:
                let name = DocumentFile.shownName(stamped.value["name"]?.stringValue ?? "")
                if let known, isPresent {
                    guard ExactText(known.name) != ExactText(name) else { continue }
                    try rows.rename(known.id, name)
                } else {
                    try write(hash, name, stamped, known, of: recording)
                }
            case .bool(false):
                guard let known, isPresent else { continue }
                let number = try step(&trashing, after: known.trashing)
                try rows.trash(known.id, at: now / 1000, trashing: number, changed: stamped.time)
                if known.place == .kept { documents.append(known.path) }
            default: continue
            }
            summary.documents += 1
        }
    }

    private mutating func write(
        _ hash: String, _ name: String, _ stamped: Stamped, _ known: DocumentRow?, of recording: Int64
    ) throws(DatabaseError) {
        let rows = DocumentRows(items: items)
        let bytes = stamped.value["bytes"]?.integer(in: .counts) ?? 0
        var new = DocumentRows.New(
            hash: hash, place: .kept,
            path: try rows.kept(hash).first?.path ?? DocumentFile.name(hash, original: name), name: name,
            byteCount: bytes)
        // A returning linked document keeps the former place.
        if let known, known.place == .linked {
            new = .init(hash: hash, place: .linked, path: known.path, name: name, byteCount: bytes)
        }
        try rows.write(new, of: recording, at: stamped.time / 1000, changed: stamped.time)
        if new.place == .kept { documents.append(new.path) }
    }
}
