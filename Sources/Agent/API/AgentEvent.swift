/// An event of the agent. If the handler throws an error or does not return, the agent delivers a stored event again
/// after the next start. Some events are not stored, for example ``up(server:_:)``, ``error(_:_:)`` and
/// ``messageWarning(_:_:externalID:_:)``.
package enum AgentEvent: Sendable {
    /// The invited side has answered with its information. Call ``Agent/allow(connection:confirmation:connInfo:)`` to
    /// continue.
    case confirmation(ConnectionID, ConfirmationID, connInfo: [UInt8])
    /// A peer requests a connection to an address. Call ``Agent/prepareAcceptance(_:)`` or ``Agent/rejectRequest(_:)``.
    case request(ConnectionID, InvitationID, connInfo: [UInt8])
    /// The agent has joined the invitation of an accepted request. If `isSecured` is true, messages can be sent
    /// already.
    case joined(ConnectionID, isSecured: Bool)
    /// The information of the inviter has arrived at the invited side.
    case info(ConnectionID, connInfo: [UInt8])
    /// The connection is complete: messages can be sent and received.
    case connected(ConnectionID)
    /// A received message. Each start delivers the message again until the caller acknowledges it with
    /// ``Agent/acknowledgeMessages(connection:messageIDs:receipts:)``. After the fifth delivery, the agent delivers the
    /// message as ``setAside(_:)``.
    case message(ConnectionID, MessageMeta, notify: Bool, body: [UInt8])
    /// ``Agent/fetchWaitingMessages(_:)`` has received a message, and the relay has deleted it. `timestamp` is the time
    /// at which the relay received the message, in seconds since 1970.
    case waitingMessageReceived(ConnectionID, messageID: [UInt8], timestamp: Int64)
    /// The relay has received the message. If `isProxied` is true, a forwarding relay has hidden the sender from the
    /// relay.
    case sent(ConnectionID, AgentMessageID, externalID: String, isProxied: Bool)
    /// Messages are missing before a message with receipts, or its number or hash is wrong. The next event
    /// ``receipts(_:_:)`` contains the receipts of this message. For a message with a body, ``MessageMeta`` reports the
    /// missing messages instead.
    case gap(ConnectionID, MessageGap)
    /// Receipts of the peer's program for sent messages.
    case receipts(ConnectionID, [MessageReceipt])
    /// The state of the ratchets of both sides (``RatchetSync``) has changed.
    case ratchetSync(ConnectionID, RatchetSyncChange)
    /// The rotation of a queue of the connection (``QueueSwitch``) has made a step.
    case queueSwitchChanged(ConnectionID, QueueSwitchChange)
    /// The message waits, because the queue of the peer is full, or the relay of this queue cannot be used at present.
    /// The agent tries again, and reports each failure.
    case messageWarning(ConnectionID, AgentMessageID, externalID: String, AgentError)
    /// The agent has given up the message.
    case messageError(ConnectionID, AgentMessageID, externalID: String, AgentError)
    /// Another client has subscribed to the connection's queue. This agent gets no further messages of the queue.
    case subscriptionEnded(ConnectionID)
    /// The agent has established a session with the relay at this host.
    case hostConnected(String)
    /// The agent has lost a session with the relay at this host.
    case hostDisconnected(String)
    /// The agent has lost the session with a relay, and is restoring it.
    case down(server: String, [ConnectionID])
    /// The agent has subscribed to the queues of the given connections.
    case up(server: String, [ConnectionID])
    /// The subscription to all queues of a service has changed. The events ``up(server:_:)``, ``down(server:_:)`` and
    /// ``subscriptionEnded(_:)`` name the affected connections.
    case service(server: String, ServiceSubscriptionChange)
    /// The relay has deleted a queue of a deleted connection, or the agent has given up the deletion.
    case queueDeleted(ConnectionID, server: String, rcvID: [UInt8], AgentError?)
    case file(FileID, FileEvent)
    /// The given connections are deleted.
    case connectionsDeleted([ConnectionID])
    /// An event that was delivered after each of five starts. Each time, the process ended before the handler returned.
    /// The event may be the cause, so the handler should only report it. A message must still be acknowledged.
    indirect case setAside(AgentEvent)
    case error(ConnectionID?, AgentError)
}

/// A change of the subscription with which a relay delivers the messages of all queues of a service.
package enum ServiceSubscriptionChange: Hashable, Sendable {
    /// The relay has subscribed the service to `queueCount` queues.
    case subscribed(queueCount: Int64, ServiceSubscriptionError?)
    /// The session with the relay was lost. The agent is restoring it.
    case lost(queueCount: Int64)
    /// All messages that waited at the relay are delivered.
    case delivered
    /// Another client with the same certificate has taken over the subscription.
    case ended(queueCount: Int64)
}

/// A difference between the queues of a service and the queues that the relay knows. The agent then subscribes to each
/// queue separately.
package enum ServiceSubscriptionError: Hashable, Sendable {
    /// The numbers of queues differ between the relay and this agent. `expected` is the number in this agent.
    case queueCount(expected: Int64)
    /// The number of queues is equal on both sides, but the relay and this agent have different queues.
    case queueIDs
}

/// Data about a received message: its numbers, its times, and its relation to the previous message.
package struct MessageMeta: Hashable, Sendable {
    package struct RecipientInfo: Hashable, Sendable {
        package var id: AgentMessageID
        /// Time at which this agent received the message, in seconds since 1970.
        package var timestampSeconds: Int64
    }
    package struct BrokerInfo: Hashable, Sendable {
        /// Id of the message at the relay.
        package var id: [UInt8]
        /// Time at which the relay received the message, in seconds since 1970.
        package var timestampSeconds: Int64
    }

    package var integrity: MessageIntegrity
    package var recipientInfo: RecipientInfo
    package var brokerInfo: BrokerInfo
    /// The number that the sender has given to the message.
    package var sndMsgID: Int64
    /// Whether the sender uses post-quantum encryption. The value is true if the ratchet chain of this message was
    /// derived with a KEM secret. It is also true if the sender will derive its next chain with a KEM secret, after it
    /// has received a message from this agent.
    package var pqEncryption = false
}

/// The relation of a message to the previous message (agent-protocol.md, "Message integrity").
package enum MessageIntegrity: Hashable, Sendable {
    case ok
    /// The sender's messages with the numbers from `from` to `to` are missing.
    case skipped(from: Int64, to: Int64)
    /// The message has a smaller number than the previous message.
    case badID(number: Int64)
    /// The hash of the previous message differs between the sender and this side.
    case badHash
    case duplicate

    /// Determines the relation of a message to the previous message from their numbers, and from the hash of the
    /// previous message. The confirmation of the connection counts as the message before the first message
    /// (agent-protocol.md).
    init(previousID: Int64, id: Int64, previousHash: [UInt8], receivedHash: [UInt8]) {
        self =
            if id == previousID &+ 1 { previousHash == receivedHash ? .ok : .badHash } else if id < previousID {
                .badID(number: id)
            } else if id == previousID { .duplicate } else { .skipped(from: previousID &+ 1, to: id &- 1) }
    }
}

/// A message for ``Agent/sendMessages(_:)``.
package struct OutgoingMessage: Sendable {
    package var connection: ConnectionID
    /// Whether the relay should notify the recipient's device.
    package var shouldNotify: Bool
    package var body: [UInt8]
    /// Unique id that the caller has chosen for the message. The events of the message contain this id.
    package var externalID: String
    /// Whether the connection should have post-quantum encryption after the next ratchet step; nil for no change.
    package var pqEncryption: Bool?
    /// Time at which the caller accepted the message, in seconds since 1970; nil for a new message. The timeout of the
    /// message counts from this time.
    package var waitingSinceSeconds: Int64?
    /// Whether the agent reports the peer's receipt. Otherwise the agent deletes all data of the message once the relay
    /// has the message.
    package var awaitsReceipt: Bool

    package init(
        connection: ConnectionID,
        notify: Bool,
        body: [UInt8],
        externalID: String,
        pqEncryption: Bool? = nil,
        waitingSince: Int64? = nil,
        awaitsReceipt: Bool = true
    ) {
        self.connection = connection
        self.shouldNotify = notify
        self.body = body
        self.externalID = externalID
        self.pqEncryption = pqEncryption
        self.waitingSinceSeconds = waitingSince
        self.awaitsReceipt = awaitsReceipt
    }
}
