import NIOCore
import SMP

/// Something to be sent, once the log has committed the record `number` (0: at once).
struct Outgoing {
    enum Content {
        case message(BrokerMessage, corrID: [UInt8], entityID: [UInt8])
        /// The first message of a queue. It is fetched and encrypted only when it can go out, so that what waits here is small; an
        /// answer (with a correlation id) is OK when there is none any more.
        case delivery(QueueID, corrID: [UInt8])
        /// The answer to GET, likewise.
        case polled(QueueID, corrID: [UInt8])
    }
    var number: UInt64
    var content: Content
}

/// What a session sends: in order, answers only when what they tell is durable, no faster than the client reads.
extension ClientConnection {
    /// Entries that wait before no more commands are read.
    static let highMark = 1024
    private static let lowMark = 256
    /// Bytes made ready before the channel is asked again whether it takes more.
    private static let portion = 8 * BlockCipher.blockSize

    func send(_ content: Outgoing.Content, after number: UInt64 = 0) {
        outbox.append(Outgoing(number: number, content: content))
        updateReading()
    }

    /// What may wait until all answers are out: who subscribes to hundreds of queues waits for the answers for a time that is meant for these
    /// alone, and not for a message of each queue.
    func sendWhenIdle(_ content: Outgoing.Content, after number: UInt64) {
        idleOutbox.append(Outgoing(number: number, content: content))
        updateReading()
    }

    func commitHappened() {
        isWaitingForCommit = false
        flush()
    }

    /// Sends all that is durable and that the channel takes.
    func flush() {
        guard let context, case .open(let session) = phase else { return }
        var committed = relay.store.log.committed
        var hasWritten = false
        while context.channel.isWritable, let first = outbox.first ?? idleOutbox.first {
            guard first.number <= committed else {
                waitForCommit()
                // A commit between the look above and now would not wake this session.
                let again = relay.store.log.committed
                if again == committed { break }
                committed = again
                continue
            }
            let transmissions = takeDurable(committed, session.parameters)
            for case .block(let content, _) in TransmissionBatch.split(transmissions) {
                guard let block = try? blocks.seal(content) else { return close() }
                context.write(wrapOutboundOut(block), promise: nil)
                hasWritten = true
            }
        }
        if hasWritten { context.flush() }
        updateReading()
    }

    private func waitForCommit() {
        if isWaitingForCommit { return }
        isWaitingForCommit = true
        loop.wait(self)
    }

    private func takeDurable(_ committed: UInt64, _ session: SessionParameters) -> [[UInt8]] {
        var transmissions: [[UInt8]] = []
        var size = 0
        while size < Self.portion, let first = outbox.first ?? idleOutbox.first, first.number <= committed {
            if outbox.isEmpty { idleOutbox.removeFirst() } else { outbox.removeFirst() }
            guard let (message, corrID, entityID) = message(for: first.content),
                let transmission = try? TransmissionContent.transmission(of: message, corrID: corrID, entityID: entityID, session: session)
            else { continue }
            size += transmission.count
            transmissions.append(transmission)
        }
        return transmissions
    }

    private func message(for content: Outgoing.Content) -> (BrokerMessage, corrID: [UInt8], entityID: [UInt8])? {
        switch content {
        case .message(let message, let corrID, let entityID): return (message, corrID, entityID)
        case .delivery(let queue, let corrID):
            guard let handle, let found = relay.store.messageToDeliver(queue, to: handle),
                let message = try? found.message.brokerMessage(dhSecret: found.dhSecret)
            else { return corrID.isEmpty ? nil : (.ok, corrID, queue.bytes) }
            return (message, corrID, queue.bytes)
        case .polled(let queue, let corrID):
            guard let found = try? relay.store.firstMessage(queue),
                let message = try? found.message.brokerMessage(dhSecret: found.dhSecret)
            else { return (.ok, corrID, queue.bytes) }
            polled[queue] = found.message.id
            return (message, corrID, queue.bytes)
        }
    }

    /// Reads no more commands while too much waits for the client, or too many of its commands for another relay.
    func updateReading() {
        if isReadingPaused {
            if waiting < Self.lowMark, forwarding < Self.maxForwarding / 2 { setReading(paused: false) }
        } else if waiting > Self.highMark || forwarding >= Self.maxForwarding {
            setReading(paused: true)
        }
    }

    var waiting: Int { outbox.count + idleOutbox.count }

    private func setReading(paused: Bool) {
        isReadingPaused = paused
        _ = context?.channel.setOption(ChannelOptions.autoRead, value: !paused)
    }

    // MARK: Events from other sessions

    /// The message need not be on the disk: its sender has no answer before it is, and sends it again should a crash lose it; the recipient
    /// tells the two by what is in them, as after any answer that was lost.
    func deliver(_ queue: QueueID) {
        guard subscriptions.contains(queue) else { return }
        send(.delivery(queue, corrID: []))
        flush()
    }

    func subscriptionEnded(_ queue: QueueID, isDeleted: Bool, number: UInt64) {
        // The session may have subscribed anew meanwhile.
        guard let handle, subscriptions.contains(queue), !relay.store.isSubscribed(queue, handle) else { return }
        subscriptions.remove(queue)
        send(.message(isDeleted ? .deld : .end, corrID: [], entityID: queue.bytes), after: number)
        flush()
    }
}
