// Store: the SQLite store of a user's practice: recordings and their sections, places and settings, takes, reviews and the practice log.
//
// It repairs a damaged file, upgrades older ones, and undoes changes. It knows no player, no device and no network.

// So that a program that catches an error of this module can name its type.
@_exported public import Explanations
