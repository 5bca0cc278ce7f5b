/// The kinds of work that may take minutes, by whether a client can cancel the work.
enum LongWork: Sendable {
    /// The work cannot be stopped without half-done effects.
    case uncancellable
    /// The work can end without an effect until it calls ``WorkProgress/preventCancellation()``.
    case cancellable
    /// The request is answered soon. Only an operation waits for the end of the work, and can cancel the work.
    case background
}
