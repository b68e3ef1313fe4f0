// Fetches one file, for scripts/bench/bench-fetch.py: FetchBenchmark URL FILE.
//
// Prints the process's peak memory before the transfer and in all, in KiB, for the claim that memory stays flat.
import Glibc
import WoodshedLibrary

func peakKilobytes() -> Int {
    var usage = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: FetchBenchmark URL FILE")
    exit(64)
}
let queue = TransferQueue(TransferSettings(userAgent: "woodshed/benchmark"))
let before = peakKilobytes()
do {
    let request = TransferRequest(
        try WebAddress(arguments[1]), to: arguments[2], replaces: true, sizeLimit: 1_000_000_000_000)
    _ = try await queue.fetch(request)
    print(before, peakKilobytes())
} catch {
    print(error)
    exit(1)
}
