internal import CCrypto
internal import Libraries

/// Computes a checksum, piece by piece. One thread at a time.
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

    /// Begins with no bytes.
    ///
    /// - Throws: A `TransferError` of kind `libraryMissing` if libcrypto is missing, or does not know the algorithm.
    init(_ algorithm: Checksum.Algorithm) throws(TransferError) {
        functions = try Self.loaded.get()
        let crypto = unsafe functions.table.pointee
        guard let context = unsafe crypto.EVP_MD_CTX_new() else { throw Self.refused(algorithm) }
        unsafe self.context = context
        // MD5 shows accidents here, and protects nothing.
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

    /// The checksum of all bytes; call it once.
    func finished() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        _ = unsafe crypto.EVP_DigestFinal_ex(context, &bytes, &count)
        return Array(bytes.prefix(Int(count)))
    }
}
