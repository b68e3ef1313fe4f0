// What an embedder imports: the engine, the files it reads and the devices it plays on.
@_exported public import AudioDevices
@_exported public import AudioFiles
@_exported public import Clips
@_exported public import Engine
@_exported public import Explanations
@_exported public import Recording
@_exported public import Takes
// Nothing of it is public; the command writes its lines with it.
@_exported public import UserState
@_exported public import Waveforms
