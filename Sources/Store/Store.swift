// Store: the SQLite store of a user's practice: recordings and their sections, places and settings, takes, reviews and
// the practice log.
//
// Repairs damaged files, upgrades older files, and undoes changes. Independent of player, devices and network.

// Re-exported so that a program can name the type of an error of this module.
@_exported public import Explanations
