/// The properties of a route whose work may take minutes.
enum LongWork: Sendable {
    /// The work cannot be stopped without half-done effects.
    case uncancellable
    /// The work can end without an effect until it calls ``WorkProgress/beginEffect()``.
    case cancellable
    /// The request is answered soon. Only an operation waits for the end of the work, and can cancel the work.
    case background
}
