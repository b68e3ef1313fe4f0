import CALSA
import Glibc

extension DeviceAbilities {
    /// Opens a device, queries its abilities, and closes the device. May block as long as the server or driver behind
    /// the device does.
    init(askedOf name: String, _ side: StreamIncident.Side) throws(DeviceError) {
        var handle: OpaquePointer?
        let code = unsafe ALSALibrary.open(&handle, name, side)
        guard code >= 0, let pcm = unsafe handle else {
            let error = ALSALibrary.quietly { DeviceError.opening(name, side, code: code) }
            throw error.kind == .busy ? .busy(name, holders: SystemFiles.machine.holders(of: name, side)) : error
        }
        defer { unsafe ALSALibrary.close(pcm) }
        guard let abilities = ALSALibrary.quietly({ unsafe DeviceAbilities(pcm) }) else {
            throw DeviceError.failed(name, doing: "report its capabilities", code: -EIO)
        }
        self = abilities
    }

    /// Queries an open device; nil if the device does not answer.
    init?(_ pcm: OpaquePointer) {
        var handle: OpaquePointer?
        guard unsafe snd_pcm_hw_params_malloc(&handle) >= 0, let parameters = unsafe handle else { return nil }
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        guard unsafe snd_pcm_hw_params_any(pcm, parameters) >= 0 else { return nil }
        unsafe snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
        var formats: [String] = []
        for number in 0...SND_PCM_FORMAT_LAST.rawValue {
            let format = snd_pcm_format_t(number)
            guard unsafe snd_pcm_hw_params_test_format(pcm, parameters, format) == 0,
                let name = unsafe snd_pcm_format_name(format)
            else { continue }
            formats.append(unsafe String(cString: name))
        }
        var (channels, rates): ((UInt32, UInt32), (UInt32, UInt32)) = ((0, 0), (0, 0))
        unsafe snd_pcm_hw_params_get_channels_min(parameters, &channels.0)
        unsafe snd_pcm_hw_params_get_channels_max(parameters, &channels.1)
        unsafe snd_pcm_hw_params_get_rate_min(parameters, &rates.0, nil)
        unsafe snd_pcm_hw_params_get_rate_max(parameters, &rates.1, nil)
        guard let channelCounts = Self.within(StreamRequest.channelCounts, channels),
            let sampleRates = Self.within(StreamRequest.sampleRates, rates)
        else { return nil }
        let usual = Self.knownRates.filter {
            unsafe snd_pcm_hw_params_test_rate(pcm, parameters, UInt32($0), 0) == 0
        }
        self.init(formats: formats, channelCounts: channelCounts, sampleRates: sampleRates, usualRates: usual)
    }

    /// Returns the part of a device's limits within the permitted limits of a request; nil without a common part.
    private static func within(_ limits: ClosedRange<Int>, _ found: (UInt32, UInt32)) -> ClosedRange<Int>? {
        let (low, high) = (max(Int(found.0), limits.lowerBound), min(Int(found.1), limits.upperBound))
        return low <= high ? low...high : nil
    }
}
