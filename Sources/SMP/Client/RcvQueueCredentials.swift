public import SimpleXCrypto
public import Transport

/// The ids and keys that a queue's owner needs to receive from it.
public struct RcvQueueCredentials: Sendable, Hashable {
    /// The recipient id of the queue.
    public var rcvID: [UInt8]
    /// Authorizes the recipient's commands.
    public var key: AuthorizationPrivateKey
    /// Opens the bodies that the relay delivers.
    public var dhSecret: X25519.SharedSecret

    public init(rcvID: [UInt8], key: AuthorizationPrivateKey, dhSecret: X25519.SharedSecret) {
        self.rcvID = rcvID
        self.key = key
        self.dhSecret = dhSecret
    }
}

/// A queue just created.
public struct CreatedQueue: Sendable {
    public var credentials: RcvQueueCredentials
    /// The id under which others send to the queue.
    public var sndID: [UInt8]
    /// The mode that the relay set; nil when its version has none.
    public var mode: QueueMode?
    /// The notifier, if one was requested and the relay has created it.
    public var notifier: NotifierCredentials?
    /// All that the relay answered.
    public var ids: QueueIDs
}

/// A message as its recipient gets it: the relay's encryption is off, that of the sender still on.
public struct RcvMessage: Sendable, Hashable {
    /// Given by the relay; ACK names it.
    public var id: [UInt8]
    public var body: RcvMessageBody

    public init(id: [UInt8], body: RcvMessageBody) {
        self.id = id
        self.body = body
    }
}

/// Events of a client about its queues, in order.
public enum SMPClientEvent: Sendable {
    case message(rcvID: [UInt8], RcvMessage)
    /// A message whose body does not decrypt or parse. The relay keeps it until it is acknowledged.
    case badMessage(rcvID: [UInt8], id: [UInt8], RcvMessageError)
    /// Another session has subscribed to the queue: it is no longer subscribed, also after a reconnection.
    case end(rcvID: [UInt8])
    /// The queue was deleted by its owner, from another session.
    case deleted(rcvID: [UInt8])
    /// A message with the notification flag has come to a queue; ``NotificationMeta`` is inside.
    case notification(notifierID: [UInt8], nonce: BoxNonce, encMeta: [UInt8])
    /// Another session of the same service has subscribed to all its queues. This session is no longer subscribed to
    /// `count` queues.
    case serviceEnd(serviceID: [UInt8], count: Int64)
    /// All messages that waited in the queues of the service are delivered (from SMP version 19).
    case serviceDelivered
    /// A session with this host of the relay was established; subscriptions follow.
    case connected(TransportHost)
    /// An attempt to establish a session has failed. It is repeated if there is something to subscribe to.
    case connectionFailed(SMPClientError)
    /// The session and the subscription of these queues were lost. They are subscribed again.
    case disconnected([[UInt8]], TransportHost)
    /// The relay broke the protocol, and the session is ended for it.
    case refused(SMPClientError)
    case subscribed([[UInt8]])
    /// After a temporary error the client keeps trying; after a permanent one it has given the queue up.
    case subscriptionFailed(rcvID: [UInt8], SMPClientError)
}
