// Terminal: standard streams, signals, lines that are redrawn, and the texts that a command prints.
//
// It holds complete writes to standard output and standard error, the raw mode of the terminal, the watch for signals and readiness, the width of
// texts in cells, numbers and sizes for people, and the command's own error. It knows no player, no recording and no verb.
