package import Database
package import Files

/// Why a package could not be written. Nothing of it is left then.
package enum PackageFault: Error, Equatable {
    /// A file could not be made, read or written.
    case file(FileFault)
    /// The collection in it could not be made.
    case database(DatabaseError)
    /// The archive's form holds no more: 65,534 files, and 4 GiB of all together. (Its larger form, Zip64, is not read by all versions of Anki.)
    case tooLarge
}
