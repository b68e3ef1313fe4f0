/// Why a device thread gave up. It is a code; the thread that waits for the end of the stream turns it into words.
enum StreamFault: Error {
    /// The device is lost, noticed on a side.
    case lost(LossCause, StreamIncident.Side)
    /// A call failed in a way that nothing here is made for.
    case call(DeviceCall, code: Int32, StreamIncident.Side)
    /// A file failed; its words are made already, as no card waits meanwhile.
    case file(DeviceError)

    /// What was asked of a device when it failed.
    enum DeviceCall {
        case setUp, run, restart
    }

    /// What the stream's incidents say of it; nil for files, which are no devices.
    var loss: (cause: LossCause, side: StreamIncident.Side)? {
        switch self {
        case .lost(let cause, let side): (cause, side)
        case .call(_, _, let side): (.cannotRestart, side)
        case .file: nil
        }
    }

    /// The fault in words, naming the device.
    func error(outputName: String, inputName: String) -> DeviceError {
        switch self {
        case .file(let error): return error
        case .lost(let cause, let side): return .lost(side == .output ? outputName : inputName, cause)
        case .call(let call, let code, let side):
            let action =
                switch call {
                case .setUp: "be set up"
                case .run: side == .output ? "play" : "record"
                case .restart: "restart"
                }
            return .failed(side == .output ? outputName : inputName, doing: action, code: code)
        }
    }
}
