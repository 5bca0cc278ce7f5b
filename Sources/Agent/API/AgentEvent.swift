/// An event of an agent's connections. After a start each event is delivered again until the handler has returned from
/// it without an error.
public enum AgentEvent: Sendable {
    /// The invited side has answered with its information. Continue with
    /// ``Agent/allow(connection:confirmation:connInfo:)``.
    case confirmation(ConnectionID, ConfirmationID, connInfo: [UInt8])
    /// A peer asks an address for a connection. Continue with ``Agent/prepareAccept(_:)`` or ``Agent/reject(_:)``.
    case request(ConnectionID, InvitationID, connInfo: [UInt8])
    /// An accepted request is joined. `isSecured`: messages can be sent already.
    case joined(ConnectionID, isSecured: Bool)
    /// The inviter's information, to the invited side.
    case info(ConnectionID, connInfo: [UInt8])
    /// Messages can be sent and received.
    case connected(ConnectionID)
    /// A received message. After each start it is delivered again until
    /// ``Agent/acknowledge(connection:messageIDs:receipts:)``; after the fifth delivery it is delivered as
    /// ``setAside(_:)``.
    case message(ConnectionID, MessageMeta, notify: Bool, body: [UInt8])
    /// A message was taken from its queue with ``Agent/waitingMessages(_:)``, and the relay no longer has it.
    /// `timestamp` is the time at which the relay received it, in seconds since 1970.
    case taken(ConnectionID, messageID: [UInt8], timestamp: Int64)
    /// The relay has the message. `isProxied`: it came through a proxy that hides the sender from the relay.
    case sent(ConnectionID, AgentMessageID, externalID: String, isProxied: Bool)
    /// A gap in message numbers before the ``receipts(_:_:)`` event that follows. For messages the gap is in their
    /// ``MessageMeta``.
    case gap(ConnectionID, MessageGap)
    /// Receipts: messages have reached the peer's program.
    case receipts(ConnectionID, [MessageReceipt])
    /// The state of agreement between the ratchets of both sides has changed.
    case ratchetSync(ConnectionID, RatchetSyncChange)
    /// A step of the replacement of one of the connection's queues.
    case switched(ConnectionID, QueueSwitchChange)
    /// The message waits: the peer's queue is full, or its relay cannot be used at present. Sending is tried again, and
    /// each failure is reported again.
    case messageWarning(ConnectionID, AgentMessageID, externalID: String, AgentError)
    /// The message was given up.
    case messageError(ConnectionID, AgentMessageID, externalID: String, AgentError)
    /// Another client has subscribed to the connection's queue, so messages of this queue no longer arrive here.
    case end(ConnectionID)
    /// A session with the relay of this host was established, or lost.
    case hostConnected(String)
    case hostDisconnected(String)
    /// A relay's session is lost; it is being restored.
    case down(server: String, [ConnectionID])
    /// The queues of these connections are subscribed to.
    case up(server: String, [ConnectionID])
    /// A queue of a deleted connection was deleted on its relay, or the relay has refused that finally.
    case queueDeleted(ConnectionID, server: String, rcvID: [UInt8], AgentError?)
    case file(FileID, FileEvent)
    /// These connections are deleted.
    case connectionsDeleted([ConnectionID])
    /// Five starts have delivered the event, and each time the process ended before the handler returned. The event is
    /// only to be reported; if it is a message, it has to be acknowledged.
    indirect case setAside(AgentEvent)
    case error(ConnectionID?, AgentError)
}

/// The position of a received message in its connection.
public struct MessageMeta: Hashable, Sendable {
    public struct Recipient: Hashable, Sendable {
        public var id: AgentMessageID
        /// Time at which this agent received the message, in seconds since 1970.
        public var timestamp: Int64
    }
    public struct Broker: Hashable, Sendable {
        /// The relay's id of the message.
        public var id: [UInt8]
        /// Time at which the relay received the message, in seconds since 1970.
        public var timestamp: Int64
    }

    public var integrity: MessageIntegrity
    public var recipient: Recipient
    public var broker: Broker
    /// The sender's number of the message.
    public var sndMsgID: Int64
    /// Whether the message is of a chain that was derived with a KEM secret, or of one before the sender had the
    /// answer with a KEM.
    public var pqEncryption = false
}

/// Whether a message follows the one before it (agent-protocol.md, "Message integrity").
public enum MessageIntegrity: Hashable, Sendable {
    case ok
    /// The messages of the sender from `from` to `to` are missing.
    case skipped(from: Int64, to: Int64)
    /// The number, which the case carries, is smaller than that of an earlier message.
    case badID(previous: Int64)
    /// The sender's hash of the previous message differs from the hash of the received one.
    case badHash
    case duplicate

    /// agent-protocol.md: the first message has the number after that of the confirmation.
    init(previousID: Int64, id: Int64, previousHash: [UInt8], receivedHash: [UInt8]) {
        self =
            if id == previousID &+ 1 { previousHash == receivedHash ? .ok : .badHash } else if id < previousID {
                .badID(previous: id)
            } else if id == previousID { .duplicate } else { .skipped(from: previousID &+ 1, to: id &- 1) }
    }
}

/// A message for ``Agent/send(_:)``.
public struct OutgoingMessage: Sendable {
    public var connection: ConnectionID
    /// Whether the relay should notify the recipient's device.
    public var notify: Bool
    public var body: [UInt8]
    /// Id that the caller has chosen, unique to the message. The events of the message contain it.
    public var externalID: String
    /// Whether the connection should have post-quantum encryption from the next ratchet step on; nil leaves it as it
    /// is.
    public var pqEncryption: Bool?
    /// Time at which the caller accepted the message, in seconds since 1970; nil for a new message. The message is
    /// given up by its age from this time.
    public var waitingSince: Int64?
    /// Whether the peer's receipt is reported. If not, all data of the message is deleted once the relay has it.
    public var awaitsReceipt: Bool

    public init(
        connection: ConnectionID,
        notify: Bool,
        body: [UInt8],
        externalID: String,
        pqEncryption: Bool? = nil,
        waitingSince: Int64? = nil,
        awaitsReceipt: Bool = true
    ) {
        self.connection = connection
        self.notify = notify
        self.body = body
        self.externalID = externalID
        self.pqEncryption = pqEncryption
        self.waitingSince = waitingSince
        self.awaitsReceipt = awaitsReceipt
    }
}
