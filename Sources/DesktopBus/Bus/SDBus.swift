internal import CSDBus
internal import Explanations
internal import Libraries

/// The functions of libsystemd, loaded at the first use.
enum SDBus {
    private static let loaded: Result<LibraryFunctions<SDBusFunctions>, LibraryError> = {
        do throws(LibraryError) {
            return .success(try unsafe LibraryFunctions(sdbus_description()))
        } catch {
            return .failure(error)
        }
    }()

    static func functions() throws(DesktopBusError) -> LibraryFunctions<SDBusFunctions> {
        switch loaded {
        case .success(let functions): return functions
        case .failure(let error):
            throw DesktopBusError(.libraryMissing, error.message, remedy: error.remedy)
        }
    }
}
