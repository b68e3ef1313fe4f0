// Umbrella import for embedders: every module that a program with sound needs, so that `import Woodshed` alone makes
// every type in a public declaration available. Pictures are a separate module: `import Drawing`.
@_exported public import AudioDevices
@_exported public import AudioFiles
@_exported public import Catalogue
@_exported public import Clips
// Meters, waveforms and spectrograms, shown by recorders and recordings.
@_exported public import DSP
@_exported public import Engine
@_exported public import Explanations
@_exported public import Library
@_exported public import Practice
@_exported public import Queue
// Reports on the scheduling of a device's thread, and ring buffers that carry data from that thread.
@_exported public import Realtime
@_exported public import Recording
@_exported public import Sections
@_exported public import Store
// The stretcher, for sound outside a player.
@_exported public import Stretching
@_exported public import Takes
@_exported public import TextFormats
@_exported public import Transfers
@_exported public import Waveforms
