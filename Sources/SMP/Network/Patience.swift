/// Whether somebody waits for what a request does on the network: the timeouts depend on it.
public enum Patience: Sendable {
    /// Nobody waits, and the timeouts are long.
    case background
    /// A user waits, and the timeouts are short.
    case interactive
}
