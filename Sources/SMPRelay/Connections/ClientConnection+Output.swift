import NIOCore
import RelayBase
import SMP

/// A message for the client that is sent after the log has committed the record `recordNumber` (0: immediately).
struct OutboxEntry {
    enum Content {
        case message(BrokerMessage, corrID: [UInt8], entityID: [UInt8])
        /// The delivery of the first message of a queue. The message is read and encrypted only when it can be sent, so
        /// that waiting output stays small. If the queue has no message then, a delivery that answers a command (with a
        /// `corrID`) becomes OK, and any other delivery is omitted.
        case delivery(QueueID, corrID: [UInt8])
        /// The answer to GET, which reads the first message of a queue. The message is read only when it can be sent.
        case polledMessage(QueueID, corrID: [UInt8])
    }
    var recordNumber: UInt64
    var content: Content
}

/// Sends the output of a session, in order and no faster than the client reads. An answer is sent only when the change
/// that it confirms is durable.
extension ClientConnection {
    /// Number of waiting answers and events above which the session stops reading commands.
    static let maxWaitingEntries = 1024
    private static let minWaitingEntries = 256
    /// Number of bytes that are prepared before the session checks again whether the channel is writable.
    private static let outputPortionBytes = 8 * BlockCipher.blockSize

    func enqueue(_ content: OutboxEntry.Content, after number: UInt64 = 0) {
        outbox.append(OutboxEntry(recordNumber: number, content: content))
        pauseOrResumeReading()
    }

    /// Queues output that is sent only when no answer waits. A client that subscribes to hundreds of queues has a
    /// timeout for the answers. If messages were sent between the answers, the timeout might pass.
    func enqueueWhenIdle(_ content: OutboxEntry.Content, after number: UInt64) {
        lowPriorityOutbox.append(OutboxEntry(recordNumber: number, content: content))
        pauseOrResumeReading()
    }

    func didCommit() {
        isWaitingForCommit = false
        sendCommitted()
    }

    /// Sends the waiting output whose log records are committed, while the channel is writable.
    func sendCommitted() {
        guard let context, case .open(let session) = phase else { return }
        var committed = relay.store.log.lastCommittedRecordNumber
        var hasWritten = false
        while context.channel.isWritable, let first = outbox.first ?? lowPriorityOutbox.first {
            guard first.recordNumber <= committed else {
                requestWakeAfterCommit()
                // The number of the last committed record is read again. A commit after the first reading, but before
                // the request to be woken, does not wake this session.
                let again = relay.store.log.lastCommittedRecordNumber
                if again == committed { break }
                committed = again
                continue
            }
            let transmissions = takeDurableOutput(committed, session.parameters)
            for case .block(let content, _) in TransmissionBatch.splitIntoBlocks(transmissions) {
                guard let block = try? blockCipher.seal(content) else { return closeChannel() }
                context.write(wrapOutboundOut(block), promise: nil)
                hasWritten = true
            }
        }
        if hasWritten { context.flush() }
        pauseOrResumeReading()
    }

    private func requestWakeAfterCommit() {
        if isWaitingForCommit { return }
        isWaitingForCommit = true
        loop.wakeAfterCommit(self)
    }

    private func takeDurableOutput(_ committed: UInt64, _ session: SessionParameters) -> [[UInt8]] {
        var transmissions: [[UInt8]] = []
        var size = 0
        while size < Self.outputPortionBytes, let first = outbox.first ?? lowPriorityOutbox.first,
            first.recordNumber <= committed
        {
            if outbox.isEmpty { lowPriorityOutbox.removeFirst() } else { outbox.removeFirst() }
            guard let (message, corrID, entityID) = makeMessage(for: first.content),
                let transmission = try? TransmissionContent.encodeTransmission(
                    of: message,
                    corrID: corrID,
                    entityID: entityID,
                    session: session
                )
            else { continue }
            size += transmission.count
            transmissions.append(transmission)
        }
        return transmissions
    }

    private func makeMessage(for content: OutboxEntry.Content) -> (BrokerMessage, corrID: [UInt8], entityID: [UInt8])? {
        switch content {
        case .message(let message, let corrID, let entityID): return (message, corrID, entityID)
        case .delivery(let queue, let corrID):
            guard let handle, let found = relay.store.takeMessageToDeliver(queue, to: handle),
                let message = try? found.message.makeBrokerMessage(dhSecret: found.dhSecret)
            else { return corrID.isEmpty ? nil : (.ok, corrID, queue.bytes) }
            return (message, corrID, queue.bytes)
        case .polledMessage(let queue, let corrID):
            guard let found = try? relay.store.readFirstMessage(queue),
                let message = try? found.message.makeBrokerMessage(dhSecret: found.dhSecret)
            else { return (.ok, corrID, queue.bytes) }
            polledQueues[queue] = found.message.id
            return (message, corrID, queue.bytes)
        }
    }

    /// Stops reading commands while too much output waits for the client, or too many of the client's commands wait for
    /// other relays. Resumes reading when little output and few of these commands are left.
    func pauseOrResumeReading() {
        if isReadingPaused {
            if waitingOutputCount < Self.minWaitingEntries, pendingForwardingCount < Self.maxForwardedCommands / 2 {
                setReading(paused: false)
            }
        } else if waitingOutputCount > Self.maxWaitingEntries || pendingForwardingCount >= Self.maxForwardedCommands {
            setReading(paused: true)
        }
    }

    var waitingOutputCount: Int { outbox.count + lowPriorityOutbox.count }

    private func setReading(paused: Bool) {
        isReadingPaused = paused
        _ = context?.channel.setOption(ChannelOptions.autoRead, value: !paused)
    }

    // MARK: Events from other sessions

    /// Delivers the first message of a queue to this session, possibly before the log has committed the message. The
    /// sender gets its answer only after the commit. So the sender repeats a message that a crash has lost, and the
    /// recipient recognizes the repetition by its contents.
    func enqueueDelivery(_ queue: QueueID) {
        guard subscriptions.contains(queue) else { return }
        enqueue(.delivery(queue, corrID: []))
        sendCommitted()
    }

    func didEndSubscription(_ queue: QueueID, isDeleted: Bool, number: UInt64) {
        // If the session has lost the subscription and has then subscribed again, it stays subscribed and gets no
        // event.
        guard let handle, subscriptions.contains(queue), !relay.store.isSubscribed(queue, handle) else { return }
        subscriptions.remove(queue)
        enqueue(.message(isDeleted ? .deld : .end, corrID: [], entityID: queue.bytes), after: number)
        sendCommitted()
    }
}
