/// How long commits that nobody waits for may be put off, so that they are one with the next commit that somebody does wait for. Under load
/// they cost no sync of their own. What they are about can neither be seen nor has left the process before.
public struct CommitDelays: Sendable, Hashable {
    /// A message with receipts only. It is acknowledged to the relay after the commit, and the queue's next message comes after that.
    public var receivedReceipts = Duration.milliseconds(20)
    /// Receipts for the peer, which are encrypted with the commit, and sent after it.
    public var ownReceipts = Duration.milliseconds(50)
    /// Deletion of what was sent, or handled. After a crash before the commit it is reported again, and recognized.
    public var forgetting = Duration.milliseconds(500)

    public init() {}
}
