/// What an agent tells of its connections. Each is told again after a start until the handler has returned from it without an error.
public enum AgentEvent: Sendable {
    /// The invited side has answered with its information: ``Agent/allow(connection:confirmation:connInfo:)`` goes on.
    case confirmation(ConnectionID, ConfirmationID, connInfo: [UInt8])
    /// Somebody asks an address to be connected: ``Agent/prepareAccept(_:)`` or ``Agent/reject(_:)`` goes on.
    case request(ConnectionID, InvitationID, connInfo: [UInt8])
    /// A request that was accepted is joined. `isSecured`: messages can be sent already.
    case joined(ConnectionID, isSecured: Bool)
    /// The inviter's information, to the invited side.
    case info(ConnectionID, connInfo: [UInt8])
    /// Messages can be sent and received.
    case connected(ConnectionID)
    /// A message. It comes again after a start until ``Agent/acknowledge(connection:messageIDs:receipts:)``; after the fifth time as ``setAside(_:)``.
    case message(ConnectionID, MessageMeta, notify: Bool, body: [UInt8])
    /// The relay has the message. `isProxied`: from another one that does not tell it who has sent it.
    case sent(ConnectionID, AgentMessageID, externalID: String, isProxied: Bool)
    /// Receipts, which are told next, did not follow the message before them. Of a message its meta tells the same.
    case gap(ConnectionID, MessageGap)
    /// Messages have reached the peer's program.
    case receipts(ConnectionID, [MessageReceipt])
    /// How far both sides' ratchets agree has changed.
    case ratchetSync(ConnectionID, RatchetSyncChange)
    /// A queue of the connection is being changed for another.
    case switched(ConnectionID, QueueSwitchChange)
    /// The message waits: the peer's queue is full, or its relay cannot be used as it is. It will be tried again, and told again when that fails too.
    case messageWarning(ConnectionID, AgentMessageID, externalID: String, AgentError)
    /// The message was given up.
    case messageError(ConnectionID, AgentMessageID, externalID: String, AgentError)
    /// Another client has subscribed to the connection's queue: nothing comes here any more.
    case end(ConnectionID)
    /// A session with a relay is there, or is lost; the relay's host.
    case hostConnected(String)
    case hostDisconnected(String)
    /// A relay's session is lost; it is being restored.
    case down(server: String, [ConnectionID])
    /// Subscribed.
    case up(server: String, [ConnectionID])
    /// A queue of a deleted connection is gone from its relay, or the relay refused to delete it and is not asked again.
    case queueDeleted(ConnectionID, server: String, rcvID: [UInt8], AgentError?)
    /// These connections are gone for good.
    case connectionsDeleted([ConnectionID])
    /// Five starts have handed over the event, and each time the process ended before the handler had returned: it is to be reported and not handled,
    /// and a message is to be acknowledged.
    indirect case setAside(AgentEvent)
    case error(ConnectionID?, AgentError)
}

/// Where a received message stands in its connection.
public struct MessageMeta: Hashable, Sendable {
    public struct Recipient: Hashable, Sendable {
        public var id: AgentMessageID
        /// When this agent got it, in seconds since 1970.
        public var timestamp: Int64
    }
    public struct Broker: Hashable, Sendable {
        /// The relay's id of the message.
        public var id: [UInt8]
        /// When the relay got it, in seconds since 1970.
        public var timestamp: Int64
    }

    public var integrity: MessageIntegrity
    public var recipient: Recipient
    public var broker: Broker
    /// The sender's number of the message.
    public var sndMsgID: Int64
    /// Whether the message is of a chain that was derived with a KEM secret.
    public var pqEncryption = false
}

/// Whether a message follows the one before it (agent-protocol.md, "Message integrity").
public enum MessageIntegrity: Hashable, Sendable {
    case ok
    /// The sender's messages from `from` to `to` did not come.
    case skipped(from: Int64, to: Int64)
    /// The number, which the case carries, is smaller than that of an earlier message.
    case badID(previous: Int64)
    /// The sender's hash of the message before is another than ours.
    case badHash
    case duplicate

    /// agent-protocol.md: the first message has the number after that of the confirmation.
    init(previousID: Int64, id: Int64, previousHash: [UInt8], receivedHash: [UInt8]) {
        self = if id == previousID &+ 1 { previousHash == receivedHash ? .ok : .badHash }
            else if id < previousID { .badID(previous: id) }
            else if id == previousID { .duplicate }
            else { .skipped(from: previousID &+ 1, to: id &- 1) }
    }
}

/// A message for ``Agent/send(_:)``.
public struct OutgoingMessage: Sendable {
    public var connection: ConnectionID
    /// Whether the relay should notify the recipient's device.
    public var notify: Bool
    public var body: [UInt8]
    /// Chosen by the caller, unique to the message; the news of the message carries it.
    public var externalID: String
    /// Whether the connection is to have post-quantum encryption, from the next turn of the conversation on; nil leaves it as it is.
    public var pqEncryption: Bool?
    /// Since when it has waited with the caller, in seconds: this counts when it is given up for its age. Nil for a new one.
    public var waitingSince: Int64?

    public init(
        connection: ConnectionID, notify: Bool, body: [UInt8], externalID: String, pqEncryption: Bool? = nil, waitingSince: Int64? = nil
    ) {
        self.connection = connection
        self.notify = notify
        self.body = body
        self.externalID = externalID
        self.pqEncryption = pqEncryption
        self.waitingSince = waitingSince
    }
}
