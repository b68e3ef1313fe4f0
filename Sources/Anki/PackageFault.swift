package import Database
package import Files

/// The reason why a package could not be written. After a fault nothing of the package remains.
package enum PackageFault: Error, Equatable {
    /// Creating, reading or writing a file failed.
    case file(FileFault)
    /// Creating the collection in the package failed.
    case database(DatabaseError)
    /// The archive exceeds the limits of its format: 65,534 files, and 4 GiB in total. (Not all versions of Anki read
    /// the larger format, Zip64.)
    case tooLarge
}
