/// Maximal delays of commits that no caller waits for. A delayed commit joins the next commit that a caller waits for,
/// which saves a sync of the disk. Before the commit, its changes are invisible, and no data that depends on these
/// changes leaves the process.
package struct CommitDelays: Sendable, Hashable {
    /// Delay of the commit of a message that contains only receipts. The agent acknowledges the message after the
    /// commit, and only then the relay delivers the next message of the queue.
    package var receivedReceiptDelay = Duration.milliseconds(20)
    /// Delay of the commit of receipts for the peer. The agent encrypts the receipts in the same commit, and sends them
    /// afterwards.
    package var ownReceiptDelay = Duration.milliseconds(50)
    /// Delay of the commit that deletes sent messages, handled messages and handled events. If the process ends before
    /// this commit, the next start reports them again, and the caller recognizes them.
    package var deletionDelay = Duration.milliseconds(500)

    package init() {}
}
