// libcurl: loads the library once, and translates its errors.
internal import CCurl
internal import Explanations
internal import Glibc
internal import Libraries

enum Curl {
    private static let loaded: Result<LibraryFunctions<CurlFunctions>, TransferError> = {
        do throws(LibraryError) {
            let functions: LibraryFunctions<CurlFunctions> = try unsafe LibraryFunctions(curl_description())
            let curl = unsafe functions.table.pointee
            guard curl.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else {
                return .failure(unusable("cannot be set up"))
            }
            // Without background look-ups, a silent name server would stop all transfers.
            let features = unsafe curl.curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0
            guard features & Int32(CURL_VERSION_ASYNCHDNS) != 0 else {
                return .failure(unusable("was built without looking up names in the background"))
            }
            return .success(functions)
        } catch {
            return .failure(.library(error))
        }
    }()

    private static func unusable(_ why: String) -> TransferError {
        TransferError(.libraryMissing, "The library libcurl.so.4 \(why)", remedy: "Install another build of libcurl.")
    }

    static func functions() throws(TransferError) -> LibraryFunctions<CurlFunctions> { try loaded.get() }

    /// Returns the error for a request ended by a code of libcurl.
    ///
    /// - Parameters:
    ///   - system: The errno of a refused socket or of the last failed connection; 0 if there is none.
    ///   - words: libcurl's own message; empty if absent.
    ///   - hasAnswered: True if the head of the answer had arrived.
    static func error(
        _ code: CURLcode, system: Int32, words: String, address: WebAddress, hasAnswered: Bool, done: Int64,
        total: Int64?
    ) -> TransferError {
        let place = address.shown
        let reason = words.isEmpty ? "libcurl's error \(code.rawValue)" : words
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return TransferError(
                .dns, "\(place): the name of the server cannot be looked up (\(reason))",
                remedy: "Check the address and the network connection.")
        case CURLE_COULDNT_CONNECT:
            if system == ECONNREFUSED {
                return TransferError(
                    .refused, "\(place): the server takes no connections",
                    remedy: "Check the address, or try again later.")
            }
            if let limit = SystemLimit(errno: system) {
                return TransferError(
                    .unreachable, "\(place): \(limit.cause)", remedy: limit.remedy, exitStatus: limit.exitStatus)
            }
            if system == ETIMEDOUT { return .timeout(address, "the server does not answer") }
            let cause = system == 0 ? reason : systemText(system)
            return TransferError(
                .unreachable, "\(place): no route leads to the server (\(cause))", remedy: "Check the network.")
        case CURLE_OPERATION_TIMEDOUT: return .timeout(address, "the server does not answer")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return TransferError(
                .tls, "\(place): the encrypted connection cannot be trusted or made (\(reason))",
                remedy: "Check this computer's clock and certificates, or look for the file elsewhere.")
        case CURLE_PARTIAL_FILE: return .truncated(address, done: done, total: total)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            if hasAnswered { return .truncated(address, done: done, total: total) }
            return TransferError(
                .disconnected, "\(place): the connection ended before the server answered (\(reason))",
                remedy: "Try again later.")
        case CURLE_OUT_OF_MEMORY:
            return TransferError(.unexpected, "\(place): there is not enough memory", remedy: "End other programs.")
        default: return .unexpected(address, "the server's answer cannot be understood (\(reason))")
        }
    }
}
