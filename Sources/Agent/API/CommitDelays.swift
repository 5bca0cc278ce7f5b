/// Maximal delays of commits that no caller waits for. A delayed commit joins the next commit that a caller waits for,
/// so under load it needs no separate sync. Before the commit, its changes are not visible, and nothing that depends on
/// them has left the process.
public struct CommitDelays: Sendable, Hashable {
    /// Commit of a message with receipts only. The message is acknowledged to the relay after the commit, and the next
    /// message of the queue arrives after that.
    public var receivedReceipts = Duration.milliseconds(20)
    /// Commit of receipts for the peer. They are encrypted with the commit and sent after it.
    public var ownReceipts = Duration.milliseconds(50)
    /// Deletion of data that was sent or handled. After a crash before the commit, the data is reported again, and
    /// recognized.
    public var forgetting = Duration.milliseconds(500)

    public init() {}
}
