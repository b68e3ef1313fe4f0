// What an embedder imports: every module that a program with sound needs, so that whatever a public declaration names can be
// written with `import Woodshed` alone. Pictures are not in it: `import Drawing`.
@_exported public import AudioDevices
@_exported public import AudioFiles
@_exported public import Catalogue
@_exported public import Clips
// Meters, waveforms and spectrograms, which recorders and recordings show.
@_exported public import DSP
@_exported public import Engine
@_exported public import Explanations
@_exported public import Library
@_exported public import Practice
@_exported public import Queue
// What a device's thread was granted, and rings to carry what it leaves behind.
@_exported public import Realtime
@_exported public import Recording
@_exported public import Sections
@_exported public import Store
// The stretcher, for sound that no player plays.
@_exported public import Stretching
@_exported public import Takes
@_exported public import TextFormats
@_exported public import Transfers
@_exported public import Waveforms
