// The engine for embedders: every module that a program with sound needs, so that `import Woodshed` alone makes every
// type in a public declaration available. Sessions and their store are in `WoodshedPractice`, collections of recordings
// in `WoodshedLibrary`, pictures in `Drawing`.
@_exported public import AudioDevices
@_exported public import AudioFiles
@_exported public import Clips
// Meters, waveforms and spectrograms, shown by recorders and recordings.
@_exported public import DSP
@_exported public import Engine
@_exported public import Explanations
@_exported public import Queue
// Reports on the scheduling of a device's thread, and ring buffers that carry data from that thread.
@_exported public import Realtime
@_exported public import Recording
@_exported public import Takes
@_exported public import Waveforms
