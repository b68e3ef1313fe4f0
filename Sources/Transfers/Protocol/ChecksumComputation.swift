internal import CCrypto
internal import Files
internal import Libraries

/// Computes a checksum piece by piece. Threads: one at a time.
@safe
final class ChecksumComputation {
    private static let loaded: Result<LibraryFunctions<CryptoFunctions>, TransferError> = {
        do throws(LibraryError) {
            return .success(try unsafe LibraryFunctions(crypto_description()))
        } catch {
            return .failure(.library(error))
        }
    }()

    private let functions: LibraryFunctions<CryptoFunctions>
    private let context: OpaquePointer

    private var crypto: CryptoFunctions { unsafe functions.table.pointee }

    /// Creates a computation over no bytes.
    ///
    /// - Throws: A `TransferError` of kind `libraryMissing` if libcrypto is missing, or does not know the algorithm.
    init(_ algorithm: Checksum.Algorithm) throws(TransferError) {
        functions = try Self.loaded.get()
        let crypto = unsafe functions.table.pointee
        guard let context = unsafe crypto.EVP_MD_CTX_new() else { throw Self.refused(algorithm) }
        unsafe self.context = context
        // MD5 detects accidents here, and protects nothing.
        unsafe crypto.EVP_MD_CTX_set_flags(context, Int32(EVP_MD_CTX_FLAG_NON_FIPS_ALLOW))
        let method = unsafe algorithm == .sha256 ? crypto.EVP_sha256() : crypto.EVP_md5()
        guard unsafe crypto.EVP_DigestInit_ex(context, method, nil) == 1 else { throw Self.refused(algorithm) }
    }

    deinit { unsafe crypto.EVP_MD_CTX_free(context) }

    private static func refused(_ algorithm: Checksum.Algorithm) -> TransferError {
        TransferError(
            .libraryMissing, "The library libcrypto.so.3 computes no \(algorithm.rawValue) checksums here",
            remedy: "Permit the algorithm in the settings of OpenSSL.")
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        _ = unsafe crypto.EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the checksum of a whole file; nil if no longer wanted.
    ///
    /// - Parameter path: Name of the file, for errors.
    static func sum(
        _ algorithm: Checksum.Algorithm, of descriptor: Int32, at path: String, isWanted: () -> Bool
    ) throws(TransferError) -> [UInt8]? {
        let computation = try ChecksumComputation(algorithm)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var offset: Int64 = 0
        while isWanted() {
            do throws(FileFault) {
                let count = try unsafe FileBytes.read(descriptor, at: offset, into: buffer)
                if count == 0 { return computation.finished() }
                unsafe computation.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            } catch { throw .disk(path, error) }
        }
        return nil
    }

    /// Returns the checksum of all bytes. Call once only.
    func finished() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        _ = unsafe crypto.EVP_DigestFinal_ex(context, &bytes, &count)
        return Array(bytes.prefix(Int(count)))
    }
}

extension FetchedFile {
    /// Compares an earlier fetched file with a newly given checksum.
    ///
    /// - Parameters:
    ///   - path: Name of the file.
    ///   - sha256: Expected checksum of the file, in 64 hexadecimal digits.
    ///   - place: Address of the file, for errors.
    /// - Throws: `TransferError`, of kind `checksum` if the file has another checksum.
    package static func compare(fileAt path: String, sha256: String, from place: String) throws(TransferError) {
        let file: RegularFile
        do throws(FileFault) { file = try unsafe RegularFile(path) } catch { throw .disk(path, error) }
        let found = try ChecksumComputation.sum(.sha256, of: file.descriptor, at: path, isWanted: { true })
        guard let asked = Checksum(.sha256, hexadecimal: sha256), asked.bytes == found else {
            throw .checksum(place, .sha256, isAsked: true)
        }
    }
}
