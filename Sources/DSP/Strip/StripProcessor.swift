/// The last part of a player, like one channel of a mixing desk: the strip selects channels, keeps or removes the
/// centre, balances, and equalises in three bands.
///
/// Changes glide over 20 ms, the channels by a crossfade and the equaliser by its gains, so no change clicks. A change
/// requested during a glide begins after the glide; of several requests only the last takes effect. A neutral strip
/// passes samples bit for bit. The division of the frames into calls does not change the result.
///
/// Real-time safe: all but `init`.
@safe
@usableFromInline package struct StripProcessor: ~Copyable {
    private let channelCount: Int
    private let glideFrames: Int

    /// The old and the new settings of a glide, the number of frames already glided, and the requested settings.
    private var (old, new) = (StripSettings.neutral, StripSettings.neutral)
    private var gone: Int
    private var wanted = StripSettings.neutral
    /// The bass of the centre: the old and the new settings may choose different channels.
    private var (oldBass, newBass) = (CentreBass(), CentreBass())
    private let bassFilter: StateVariableFilter

    /// The equaliser: three filters, and a state of each for every channel.
    private let corners: (low: Double, mid: Double, high: Double)
    private var filters = (StateVariableFilter.none, StateVariableFilter.none, StateVariableFilter.none)
    private let states: UnsafeMutablePointer<(SIMD2<Double>, SIMD2<Double>, SIMD2<Double>)>

    private static var glideSeconds: Double { 0.02 }
    /// The corners of the bands, and the width of the middle one.
    private static var hertz: (low: Double, mid: Double, high: Double) { (250, 1000, 4000) }
    private static var midQuality: Double { 0.6 }
    /// The centre is kept below this frequency: the bass lies there, but hardly a voice.
    private static var bassHertz: Double { 110 }
    /// √½.
    private static var sideGain: Float { 0.707_106_77 }

    /// - Parameters:
    ///   - channelCount: 0 to 64.
    ///   - sampleRate: In Hz, 8000 to 768000.
    package init(channelCount: Int, sampleRate: Int) {
        precondition((0...64).contains(channelCount), "A strip takes up to 64 channels.")
        precondition((8000...768_000).contains(sampleRate), "A strip takes rates of 8000 to 768000 Hz.")
        self.channelCount = channelCount
        glideFrames = Int((Self.glideSeconds * Double(sampleRate)).rounded())
        gone = glideFrames
        bassFilter = .lowPass(StateVariableFilter.corner(Self.bassHertz, sampleRate))
        corners = (
            StateVariableFilter.corner(Self.hertz.low, sampleRate),
            StateVariableFilter.corner(Self.hertz.mid, sampleRate),
            StateVariableFilter.corner(Self.hertz.high, sampleRate)
        )
        unsafe states = .allocate(capacity: max(1, channelCount))
        unsafe states.initialize(repeating: (.zero, .zero, .zero), count: max(1, channelCount))
    }

    deinit { unsafe states.deallocate() }

    /// Requests other settings.
    ///
    /// - Parameters:
    ///   - settings: Settings with channels below the processor's count.
    ///   - glides: True to glide; false if nothing is heard yet.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func change(to settings: StripSettings, glides: Bool) {
        precondition(max(settings.left, settings.right) < channelCount, "A strip has no such channel.")
        wanted = settings
        if glides { return }
        (old, new) = (settings, settings)
        settle()
    }

    /// True if samples pass unchanged.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func isNeutral() -> Bool { gone == glideFrames && new == .neutral && wanted == .neutral }

    /// Changes frames in place.
    ///
    /// - Parameters:
    ///   - sound: One pointer per channel.
    ///   - frameCount: 0 or more.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func process(_ sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        var done = 0
        while done < frameCount {
            if gone == glideFrames && new != wanted { begin() }
            if isNeutral() { return }
            let isGliding = gone < glideFrames
            let count = isGliding ? min(frameCount - done, glideFrames - gone) : frameCount - done
            unsafe choose(sound, from: done, count)
            if !(old.bands.isFlat && new.bands.isFlat) { unsafe equalise(sound, from: done, count) }
            done += count
            guard isGliding else { continue }
            gone += count
            if gone == glideFrames { settle() }
        }
    }

    /// Begins the glide to the requested settings.
    private mutating func begin() {
        old = new
        new = wanted
        gone = 0
        newBass = old.left == new.left && old.right == new.right ? oldBass : CentreBass()
    }

    /// Ends a glide. Channels and filters which are heard no more begin at zero when heard again.
    private mutating func settle() {
        gone = glideFrames
        old = new
        oldBass = new.centre == .removed ? newBass : CentreBass()
        setFilters(new.bands)
        guard new.bands.isFlat else { return }
        for channel in 0..<channelCount { unsafe states[channel] = (.zero, .zero, .zero) }
    }

    // MARK: Channels

    private mutating func choose(
        _ sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, _ frameCount: Int
    ) {
        let isGliding = gone < glideFrames
        if !isGliding && new.isWide && new.leftGain == 1 && new.rightGain == 1 { return }
        var (before, after) = (oldBass, newBass)
        for frame in first..<first + frameCount {
            let next = unsafe heard(new, sound, frame, &after)
            guard isGliding else {
                for channel in 0..<channelCount {
                    unsafe sound[channel][frame] = value(new, next, channel, sound[channel][frame])
                }
                continue
            }
            let last = unsafe heard(old, sound, frame, &before)
            let part = Float(gone + frame - first + 1) / Float(glideFrames)
            for channel in 0..<channelCount {
                let from = unsafe value(old, last, channel, sound[channel][frame])
                let to = unsafe value(new, next, channel, sound[channel][frame])
                unsafe sound[channel][frame] = from + (to - from) * part
            }
        }
        newBass = after
        // Between glides both are the same, so the next glide continues from here.
        oldBass = isGliding ? before : after
    }

    /// Returns the pair which the settings make of a frame; zeros if the settings leave all channels unchanged.
    @inline(__always)
    private func heard(
        _ settings: StripSettings, _ sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ frame: Int,
        _ bass: inout CentreBass
    ) -> (left: Float, right: Float) {
        guard !settings.isWide else { return (0, 0) }
        let (left, right) = unsafe (sound[Int(settings.left)][frame], sound[Int(settings.right)][frame])
        switch settings.centre {
        case .asRecorded: return (left, right)
        case .kept: return ((left + right) / 2, (left + right) / 2)
        case .removed:
            let low = bass.process(Double(measurable((left + right) / 2)), bassFilter)
            // As loud as before, if the channels have nothing in common.
            let side = (left - right) * Self.sideGain + Float(low)
            return (side, side)
        }
    }

    /// Returns a channel's sample: from the left of the pair for even channels, from the right for odd channels. A last
    /// channel without a partner gets the mean of both, so the mean of all channels is the mean of the pair.
    @inline(__always)
    private func value(
        _ settings: StripSettings, _ pair: (left: Float, right: Float), _ channel: Int, _ sample: Float
    ) -> Float {
        if settings.isWide {
            return channel == 0 ? sample * settings.leftGain : channel == 1 ? sample * settings.rightGain : sample
        }
        let (left, right) = (pair.left * settings.leftGain, pair.right * settings.rightGain)
        if channel & 1 == 1 { return right }
        return channel + 1 < channelCount ? left : (left + right) / 2
    }

    // MARK: Equaliser

    /// Sets the filters for the given gains.
    private mutating func setFilters(_ gains: EqualiserGains) {
        let roots = gains.roots
        filters.0 = .lowShelf(corners.low, roots.x)
        filters.1 = .bell(corners.mid, roots.y, quality: Self.midQuality)
        filters.2 = .highShelf(corners.high, roots.z)
    }

    /// Filters frames which lie within one glide or outside all glides. During a glide the filters are set for every
    /// frame: steps of several frames cause an audible buzz.
    private mutating func equalise(
        _ sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, from first: Int, _ frameCount: Int
    ) {
        guard gone < glideFrames else { return unsafe filter(sound, first..<first + frameCount) }
        for frame in 0..<frameCount {
            let part = Double(gone + frame + 1) / Double(glideFrames)
            setFilters(old.bands.part(part, to: new.bands))
            unsafe filter(sound, first + frame..<first + frame + 1)
        }
    }

    @inline(__always)
    private func filter(_ sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ frames: Range<Int>) {
        let (low, mid, high) = filters
        for channel in 0..<channelCount {
            let samples = unsafe sound[channel]
            var (a, b, c) = unsafe states[channel]
            for frame in frames {
                let sample = unsafe Double(measurable(samples[frame]))
                unsafe samples[frame] = Float(high.process(mid.process(low.process(sample, &a), &b), &c))
            }
            unsafe states[channel] = (a, b, c)
        }
    }
}

/// State of the filter which keeps the bass of a removed centre: two second-order low-passes, 24 dB an octave. Trivial.
private struct CentreBass: BitwiseCopyable {
    private var (first, second) = (SIMD2<Double>.zero, SIMD2<Double>.zero)

    @inline(__always)
    mutating func process(_ sample: Double, _ filter: StateVariableFilter) -> Double {
        filter.process(filter.process(sample, &first), &second)
    }
}
