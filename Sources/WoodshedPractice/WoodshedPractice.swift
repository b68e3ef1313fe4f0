// Practice for embedders: sessions over an engine, takes of the sessions, and the store that keeps sections, takes and
// progress. `import WoodshedPractice` brings the engine, `Woodshed`, along.
@_exported public import Practice
@_exported public import Sections
@_exported public import Store
@_exported public import Woodshed
