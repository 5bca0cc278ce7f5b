/// Whether a user waits for the network operation of a request. The timeouts depend on it.
package enum Patience: Sendable {
    /// Nobody waits, and the timeouts are long.
    case background
    /// A user waits, and the timeouts are short.
    case interactive
}
