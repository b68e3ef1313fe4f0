// Terminal: standard streams, signals, redrawn lines, and the texts printed by a command.
//
// Contents: complete writes to standard output and standard error, the raw mode of the terminal, and the watch for
// signals and readiness. Also the width of texts in cells, numbers and sizes for people, waveforms drawn in characters,
// and the command's own error. Players, recordings and verbs are unknown to this module.
