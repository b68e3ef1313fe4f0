internal import Glibc

/// Returns the system's text for an error number, for example "No such file or directory".
package func systemText(_ code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let text = buffer.baseAddress, unsafe strerror_r(code, text, buffer.count) == 0 else {
            return "error \(code)"
        }
        return unsafe String(cString: text)
    }
}
