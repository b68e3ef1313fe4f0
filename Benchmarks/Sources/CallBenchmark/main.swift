// The cost of a call of the interface for C beside the same call in Swift, and of the sound of 64 frames:
// CallBenchmark LIBRARY RECORDING
//
// The shared library is loaded as a program in C loads it; calls go through the addresses of its functions.
import BenchmarkRows
import CWoodshed
import Glibc
import Woodshed

let calls = 200_000
let runs = 11

/// Nanoseconds a call, of each run.
func nanoseconds(_ call: () -> Void) -> [Double] {
    (0..<runs).map { _ in
        let clock = ContinuousClock()
        return clock.measure { for _ in 0..<calls { call() } } / .nanoseconds(calls)
    }
}

func tell(_ name: String, swift: [Double], c: [Double]) {
    let (ours, theirs) = (swift.sorted()[runs / 2], c.sorted()[runs / 2])
    print("  \(name): Swift \(ours) ns, C \(theirs) ns, \(theirs - ours) ns more")
    record("Call", "\(name), more in C than in Swift", unit: "ns", .lower, zip(c, swift).map { $0 - $1 })
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let library = unsafe dlopen(arguments[1], RTLD_NOW) else {
    print("CallBenchmark LIBRARY RECORDING")
    exit(64)
}

func function<Function>(_ name: String, _: Function.Type) -> Function {
    guard let address = unsafe dlsym(library, name) else {
        print("\(name) is not in the library")
        exit(69)
    }
    return unsafe unsafeBitCast(address, to: Function.self)
}

typealias Open =
    @convention(c) (UnsafePointer<woodshed_engine_options>?, UnsafeMutablePointer<OpaquePointer?>?) -> woodshed_status
typealias OpenClip =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?) -> woodshed_status
typealias OpenPlayer =
    @convention(c) (
        OpaquePointer?, OpaquePointer?, UnsafePointer<woodshed_plan>?, UnsafeMutablePointer<OpaquePointer?>?
    ) -> woodshed_status
typealias GetStatus = @convention(c) (OpaquePointer?, UnsafeMutablePointer<woodshed_player_status>?) -> woodshed_status
typealias GetPosition = @convention(c) (OpaquePointer?, UnsafeMutablePointer<woodshed_position>?) -> woodshed_status
typealias Start = @convention(c) (OpaquePointer?) -> woodshed_status
typealias Render = @convention(c) (OpaquePointer?, UnsafePointer<UnsafeMutablePointer<Float>?>?, Int32, Int64) -> Int32

// In C.
var options = woodshed_engine_options()
options.size = UInt32(MemoryLayout<woodshed_engine_options>.stride)
options.sample_rate = 44_100
options.period_frames = 64
var (engineHandle, clipHandle, playerHandle): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (nil, nil, nil)
let opened = unsafe [
    function("woodshed_engine_open_pulled", Open.self)(&options, &engineHandle),
    function("woodshed_clip_open", OpenClip.self)(engineHandle, arguments[2], &clipHandle),
    function("woodshed_player_open", OpenPlayer.self)(engineHandle, clipHandle, nil, &playerHandle),
    function("woodshed_engine_start", Start.self)(engineHandle),
]
guard opened.allSatisfy({ $0 == WOODSHED_OK }) else {
    print("the recording cannot be played")
    exit(66)
}

// In Swift.
let output = PulledOutput(try StreamRequest(sampleRate: 44_100, channelCount: 2, periodFrames: 64))
let engine = Engine(pulled: output)
let clip = try engine.load(arguments[2])
let plan = PracticePlan(sections: [try Section(0..<clip.frameCount)])
let player = try engine.makePlayer(clip, plan: plan)
try engine.start()

var sink: Int64 = 0
var status = woodshed_player_status()
status.size = UInt32(MemoryLayout<woodshed_player_status>.stride)
let getStatus = unsafe function("woodshed_player_get_status", GetStatus.self)
tell(
    "a player's status", swift: nanoseconds { sink &+= player.status.outputFrame },
    c: nanoseconds { _ = unsafe getStatus(playerHandle, &status) })

var position = woodshed_position()
position.size = UInt32(MemoryLayout<woodshed_position>.stride)
let getPosition = unsafe function("woodshed_engine_get_position", GetPosition.self)
tell(
    "an engine's position", swift: nanoseconds { sink &+= engine.position.framesWritten },
    c: nanoseconds { _ = unsafe getPosition(engineHandle, &position) })

let buffers = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 2)
for channel in 0..<2 {
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 64)
    unsafe buffer.initialize(repeating: 0, count: 64)
    unsafe (buffers + channel).initialize(to: buffer)
}
let optionals = unsafe UnsafeRawPointer(buffers).assumingMemoryBound(to: UnsafeMutablePointer<Float>?.self)
let render = unsafe function("woodshed_engine_render", Render.self)
tell(
    "64 frames without a player that plays",
    swift: nanoseconds { sink &+= Int64(unsafe output.render(into: UnsafePointer(buffers), frameCount: 64)) },
    c: nanoseconds { _ = unsafe render(engineHandle, optionals, 64, 0) })
engine.stop()
if sink == 42 { print("") }
