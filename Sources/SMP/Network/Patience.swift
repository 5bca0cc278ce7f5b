/// Whether a user waits for a network operation. The time limits of the operation depend on this.
package enum Patience: Sendable {
    /// Nobody waits, and the timeouts are long.
    case background
    /// A user waits, and the timeouts are short.
    case interactive
}
