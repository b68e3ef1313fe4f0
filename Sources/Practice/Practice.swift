// Practice: what a musician or learner does with a recording, above the engine that plays it and beside the store that keeps its sections.
// Marking sections by ear and finding them automatically; sessions that lead through them; takes over their loops, heard and compared.
//
// The module knows no terminals and no networks, and makes no sound of its own: everything that is heard is a score of the engine's.

// So that a program that catches an error of this module can name its type.
@_exported public import Explanations
