import CALSA
import Glibc

/// The settings to try on a device, in order of preference.
struct ALSAPreferences: Sendable {
    var accesses: [snd_pcm_access_t] = [
        SND_PCM_ACCESS_MMAP_NONINTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_MMAP_COMPLEX,
        SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_RW_NONINTERLEAVED,
    ]
    var formats = SampleFormats.all
    /// Set when a lost device is opened again: then a busy device is not retried here.
    var opensAgain = false
    /// The files that tell which programs hold a busy device.
    var files = SystemFiles.machine
}

/// ALSA's linear formats, and their layouts for reading and writing.
enum SampleFormats {
    /// In order of preference: formats that lose least of a sample first; among equal formats the usual one.
    static let all: [(alsa: snd_pcm_format_t, layout: SampleLayout)] = [
        (SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_FLOAT_BE, SampleEncoding.float32),
        (SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_S32_BE, .signed32),
        (SND_PCM_FORMAT_FLOAT64_LE, SND_PCM_FORMAT_FLOAT64_BE, .float64),
        (SND_PCM_FORMAT_U32_LE, SND_PCM_FORMAT_U32_BE, .unsigned32),
        (SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S24_3BE, .signed24Packed),
        (SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_BE, .signed24),
        (SND_PCM_FORMAT_U24_3LE, SND_PCM_FORMAT_U24_3BE, .unsigned24Packed),
        (SND_PCM_FORMAT_U24_LE, SND_PCM_FORMAT_U24_BE, .unsigned24),
        (SND_PCM_FORMAT_S20_3LE, SND_PCM_FORMAT_S20_3BE, .signed20Packed),
        (SND_PCM_FORMAT_S20_LE, SND_PCM_FORMAT_S20_BE, .signed20),
        (SND_PCM_FORMAT_U20_3LE, SND_PCM_FORMAT_U20_3BE, .unsigned20Packed),
        (SND_PCM_FORMAT_U20_LE, SND_PCM_FORMAT_U20_BE, .unsigned20),
        (SND_PCM_FORMAT_S18_3LE, SND_PCM_FORMAT_S18_3BE, .signed18Packed),
        (SND_PCM_FORMAT_U18_3LE, SND_PCM_FORMAT_U18_3BE, .unsigned18Packed),
        (SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S16_BE, .signed16),
        (SND_PCM_FORMAT_U16_LE, SND_PCM_FORMAT_U16_BE, .unsigned16),
        // For one byte, both byte orders are the same.
        (SND_PCM_FORMAT_S8, SND_PCM_FORMAT_S8, .signed8),
        (SND_PCM_FORMAT_U8, SND_PCM_FORMAT_U8, .unsigned8),
    ].flatMap { little, big, encoding in
        let first = (alsa: little, layout: SampleLayout(encoding: encoding, isBigEndian: false))
        return little == big ? [first] : [first, (big, SampleLayout(encoding: encoding, isBigEndian: true))]
    }
}

/// The settings of a device, read back from the device.
struct HardwareSettings: Sendable {
    let sampleRate: Int
    let channelCount: Int
    let devicePeriodFrames: Int
    let bufferFrames: Int
    let access: snd_pcm_access_t
    let format: snd_pcm_format_t
    let layout: SampleLayout
    /// For each channel of the device, our channel.
    let channelOrder: [Int]

    /// Frames of a block: the device's period, unless the period is longer than the longest block.
    var blockFrames: Int { min(devicePeriodFrames, bufferFrames, 8192) }
}

/// One negotiation with a device: any → resampling off → access → format → channels → rate → period → periods → buffer.
///
/// The order matters: some drivers refuse a rate once the buffer is fixed, and a period count without a period size
/// gives buffers of many seconds.
@safe
struct HardwareNegotiation: ~Copyable {
    /// Requested part of the buffer's shape. Each step requests less, for drivers that contradict themselves.
    private enum Shape: CaseIterable {
        case periodCountAndBuffer, periodAndBuffer, bufferOnly
    }

    private let pcm: OpaquePointer
    private let parameters: OpaquePointer
    private let name: String
    private let request: StreamRequest
    private let preferences: ALSAPreferences

    init(
        _ pcm: OpaquePointer, name: String, request: StreamRequest, preferences: ALSAPreferences
    ) throws(DeviceError) {
        var parameters: OpaquePointer?
        let code = unsafe snd_pcm_hw_params_malloc(&parameters)
        guard let parameters = unsafe parameters else {
            throw DeviceError.failed(name, doing: "be set up", code: code)
        }
        unsafe self.parameters = unsafe parameters
        unsafe self.pcm = unsafe pcm
        self.name = name
        self.request = request
        self.preferences = preferences
    }

    deinit { unsafe snd_pcm_hw_params_free(parameters) }

    /// Sets the device up and returns its settings.
    func install() throws(DeviceError) -> HardwareSettings {
        var code: Int32 = 0
        for shape in Shape.allCases {
            let layout = try chooseFormat()
            chooseBuffer(shape)
            code = unsafe snd_pcm_hw_params(pcm, parameters)
            if code >= 0 { return try readBack(layout) }
            // The memory may be too small for a long buffer.
            guard code == -EINVAL || code == -ENOMEM else { break }
        }
        throw DeviceError.failed(name, doing: "accept any period and buffer", code: code)
    }

    private func chooseFormat() throws(DeviceError) -> SampleLayout {
        let code = unsafe snd_pcm_hw_params_any(pcm, parameters)
        guard code >= 0 else { throw DeviceError.failed(name, doing: "report its capabilities", code: code) }
        // Plug-ins may resample only if the user named a plug-in; otherwise the true rate must be visible, for
        // comparison.
        unsafe snd_pcm_hw_params_set_rate_resample(pcm, parameters, name.hasPrefix("plug") ? 1 : 0)
        guard preferences.accesses.contains(where: { unsafe snd_pcm_hw_params_set_access(pcm, parameters, $0) >= 0 })
        else { throw refused("known access method") }
        guard
            let format = preferences.formats.first(where: {
                unsafe snd_pcm_hw_params_set_format(pcm, parameters, $0.alsa) >= 0
            })
        else { throw refused("known sample format") }
        var channels = UInt32(request.channelCount)
        guard unsafe snd_pcm_hw_params_set_channels_near(pcm, parameters, &channels) >= 0 else {
            throw refused("number of channels near \(channels)")
        }
        var rate = UInt32(request.sampleRate)
        if unsafe snd_pcm_hw_params_set_rate(pcm, parameters, rate, 0) < 0 {
            guard unsafe snd_pcm_hw_params_set_rate_near(pcm, parameters, &rate, nil) >= 0 else {
                throw refused("rate near \(rate) Hz")
            }
        }
        return format.layout
    }

    private func chooseBuffer(_ shape: Shape) {
        var rate: UInt32 = 0
        unsafe snd_pcm_hw_params_get_rate(parameters, &rate, nil)
        var period = snd_pcm_uframes_t(request.periodFrames)
        var buffer = period * snd_pcm_uframes_t(request.periodCount)
        // By default, sound servers and USB cards offer buffers of up to 23 s.
        var limit = max(snd_pcm_uframes_t(rate / 2), buffer)
        unsafe snd_pcm_hw_params_set_buffer_size_max(pcm, parameters, &limit)
        // Each call may fail without harm: the next calls and the read-back use the possible values.
        if shape != .bufferOnly { unsafe snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, nil) }
        if shape == .periodCountAndBuffer, request.hasLongBuffer, period > 0 {
            buffer = max(buffer, limit / period * period)
        } else if shape == .periodCountAndBuffer {
            var count = UInt32(request.periodCount)
            unsafe snd_pcm_hw_params_set_periods_near(pcm, parameters, &count, nil)
            buffer = period * snd_pcm_uframes_t(count)
        }
        unsafe snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &buffer)
    }

    private func readBack(_ layout: SampleLayout) throws(DeviceError) -> HardwareSettings {
        var rate: UInt32 = 0
        var channels: UInt32 = 0
        var period: snd_pcm_uframes_t = 0
        var buffer: snd_pcm_uframes_t = 0
        var access = SND_PCM_ACCESS_RW_INTERLEAVED
        var format = SND_PCM_FORMAT_UNKNOWN
        unsafe snd_pcm_hw_params_get_rate(parameters, &rate, nil)
        unsafe snd_pcm_hw_params_get_channels(parameters, &channels)
        unsafe snd_pcm_hw_params_get_period_size(parameters, &period, nil)
        unsafe snd_pcm_hw_params_get_buffer_size(parameters, &buffer)
        unsafe snd_pcm_hw_params_get_access(parameters, &access)
        unsafe snd_pcm_hw_params_get_format(parameters, &format)
        guard StreamRequest.sampleRates.contains(Int(rate)), StreamRequest.channelCounts.contains(Int(channels)),
            period > 0, buffer > 0
        else {
            throw refused("usable format")
        }
        return HardwareSettings(
            sampleRate: Int(rate), channelCount: Int(channels), devicePeriodFrames: Int(period),
            bufferFrames: Int(buffer), access: access, format: format, layout: layout,
            channelOrder: unsafe ChannelOrder.read(pcm, channelCount: Int(channels)))
    }

    /// Returns the error for a value not supported by the device, with a list of the supported values.
    private func refused(_ what: String) -> DeviceError {
        let remedy =
            name.hasPrefix("hw")
            ? "Let ALSA convert: use plug\(name), without --exclusive."
            : "Choose another device, such as default or plughw:0."
        return .refused(name, what, can: unsafe DeviceAbilities(pcm), remedy: remedy)
    }
}
