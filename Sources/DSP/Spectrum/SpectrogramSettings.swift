// The settings of a spectrogram, checked once.
public import Explanations

/// The reason why settings of a spectrogram are invalid, and the permitted values.
public struct SpectrogramError: ExplainedError, Equatable {
    /// The cause, in one plain sentence.
    public let message: String
    /// The permitted values, in one plain sentence.
    public let remedy: String

    init(_ what: String, is value: String, permitted: String) {
        message = "\(what) of a spectrogram cannot be \(value)"
        remedy = "Permitted is \(permitted)."
    }
}

extension Spectrogram {
    /// Settings of a spectrogram. Every value is valid: the initialiser checks.
    public struct Settings: Equatable, Sendable {
        /// Division of the frequency range into rows.
        public enum Axis: String, Sendable, CaseIterable {
            /// Every row spans the same number of Hz.
            case linear
            /// Every row spans the same number of octaves.
            case logarithmic
        }

        /// The window function applied before the transform.
        public enum Window: String, Sendable, CaseIterable {
            /// Narrow main lobe; sidelobes begin at -31 dB and fall by 18 dB per octave. Suits nearly everything.
            case hann
            /// A main lobe twice as wide, with all sidelobes below -92 dB (Harris, "On the use of windows for harmonic
            /// analysis with the discrete Fourier transform", 1978). Suits soft tones beside loud ones.
            case blackmanHarris
        }

        /// The permitted sizes of a window, powers of two only.
        package static let permittedWindowSizes = 256...65_536
        /// The permitted ranges, in dB.
        package static let permittedRanges = 10.0...200.0
        /// The permitted numbers of windows per column.
        package static let permittedWindowsPerColumn = 1...4096

        /// In Hz.
        package let sampleRate: Int
        /// Frames per transform: more frames separate frequencies better, fewer separate times better.
        package let windowSize: Int
        /// The window function.
        package let window: Window
        /// The range of levels below 0 dB; softer levels are raised to the floor, `-range`.
        public let range: Double
        /// Division of the frequency range into rows.
        package let axis: Axis
        /// The lower edge of the lowest row, in Hz.
        public let lowest: Double
        /// The upper edge of the highest row, in Hz.
        public let highest: Double
        /// The largest number of windows averaged in a column.
        ///
        /// A longer column has this many windows, evenly spread; the sound between the windows is skipped.
        package let windowsPerColumn: Int

        /// Checks the settings and creates them.
        ///
        /// - Parameters:
        ///   - sampleRate: In Hz, 1 or more.
        ///   - windowSize: In frames, a power of two from 256 to 65536.
        ///   - window: The window function.
        ///   - range: In dB, 10 to 200.
        ///   - axis: Division of the frequency range into rows.
        ///   - lowest: In Hz, below `highest`, and above 0 on a logarithmic axis; by default 0 on a linear axis, and on
        ///     a logarithmic one 40 or a hundredth of `highest`, whichever is lower.
        ///   - highest: In Hz, up to half the sample rate, the default.
        ///   - windowsPerColumn: 1 to 4096.
        /// - Throws: A `SpectrogramError` with the permitted values.
        public init(
            sampleRate: Int, windowSize: Int = 2048, window: Window = .hann, range: Double = 90, axis: Axis = .linear,
            lowest: Double? = nil, highest: Double? = nil, windowsPerColumn: Int = 16
        ) throws(SpectrogramError) {
            if sampleRate < 1 {
                throw SpectrogramError("The sample rate", is: "\(sampleRate)", permitted: "1 Hz or more")
            }
            if !Self.permittedWindowSizes.contains(windowSize) || windowSize.nonzeroBitCount != 1 {
                throw SpectrogramError(
                    "The window", is: "\(windowSize) frames", permitted: "a power of two from 256 to 65536")
            }
            if !Self.permittedRanges.contains(range) {
                throw SpectrogramError("The range", is: "\(range) dB", permitted: "10 to 200 dB")
            }
            if !Self.permittedWindowsPerColumn.contains(windowsPerColumn) {
                throw SpectrogramError(
                    "The number of windows a column", is: "\(windowsPerColumn)", permitted: "1 to 4096")
            }
            let half = Double(sampleRate) / 2
            let highest = highest ?? half
            // A recording with a very low rate has nothing at 40 Hz.
            let lowest = lowest ?? (axis == .linear ? 0 : min(40, highest / 100))
            guard highest > 0, highest <= half else {
                throw SpectrogramError("The highest frequency", is: "\(highest) Hz", permitted: "up to \(half) Hz")
            }
            guard lowest < highest, axis == .linear ? lowest >= 0 : lowest > 0 else {
                throw SpectrogramError(
                    "The lowest frequency", is: "\(lowest) Hz",
                    permitted: "\(axis == .linear ? "0 Hz or more" : "more than 0 Hz"), and less than \(highest) Hz")
            }
            (self.sampleRate, self.windowSize, self.window, self.range) = (sampleRate, windowSize, window, range)
            (self.axis, self.lowest, self.highest) = (axis, lowest, highest)
            self.windowsPerColumn = windowsPerColumn
        }
    }
}

extension SpectrogramError: CategorisedError {
    package var exitStatus: ExitStatus { .usage }
}
