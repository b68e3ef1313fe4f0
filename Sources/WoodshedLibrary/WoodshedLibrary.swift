// Collections for embedders: recordings with titles and tags, playlists, fetching, podcasts, backups. The module plays
// nothing; the store that a collection shares with the sessions comes along.
@_exported public import AudioFiles
@_exported public import Catalogue
@_exported public import Explanations
@_exported public import Library
@_exported public import Sections
@_exported public import Store
@_exported public import Transfers
