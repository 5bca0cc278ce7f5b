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
    /// Delay of the deletion of data that was sent or handled. If the process ends before the commit, the next start
    /// reports the data again, and the caller recognizes it.
    package var deletionDelay = Duration.milliseconds(500)

    package init() {}
}
