// The function for libFuzzer's calls. The function main and the options belong to libFuzzer. The fuzzer's own
// environment variables:
//   WOODSHED_FUZZ_READER   the name of a reader
//   WOODSHED_FUZZ_SECONDS  seconds of processor time after which the fuzzer ends; 0 for never
//   WOODSHED_FUZZ_TELLS    if set, the fuzzer prints whether each input is accepted or refused
import Glibc

/// Of processor time, because the machine may be busy.
private func processorSeconds() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func environment(_ name: String) -> String { unsafe getenv(name).map { unsafe String(cString: $0) } ?? "" }

/// A longer run counts as hanging. Sanitizers make a run several times slower than the product.
private let longestSeconds = 1.0

private let reader: FuzzedReader = {
    let name = environment("WOODSHED_FUZZ_READER")
    guard let reader = FuzzedReader.all.first(where: { $0.name == name }) else {
        print("WOODSHED_FUZZ_READER names one of: \(FuzzedReader.all.map(\.name).joined(separator: " "))")
        exit(2)
    }
    return reader
}()

private let tells = !environment("WOODSHED_FUZZ_TELLS").isEmpty
private let limit = Double(environment("WOODSHED_FUZZ_SECONDS")) ?? 0

/// Ends as a fault, so libFuzzer keeps the input.
private func end(_ reason: String) -> Never {
    let line = reason + "\n"
    _ = unsafe line.withCString { unsafe write(STDERR_FILENO, $0, strlen($0)) }
    abort()
}

/// Gives an input to the reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    let begin = processorSeconds()
    do {
        let isAccepted = try reader.accepts(input)
        if tells { print(isAccepted ? "accepted" : "refused") }
    } catch {
        end("broken promise: \(error)")
    }
    let now = processorSeconds()
    let seconds = now - begin
    if seconds > longestSeconds {
        end("hang: \(seconds) s of processor time")
    }
    // libFuzzer ends on this signal with its statistics.
    if limit > 0, now > limit { raise(SIGUSR1) }
    return 0
}
