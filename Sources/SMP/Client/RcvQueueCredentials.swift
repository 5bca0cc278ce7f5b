package import SimpleXCrypto
package import Transport

/// The ids and keys that the owner of a queue needs to receive messages from the queue.
package struct RcvQueueCredentials: Sendable, Hashable {
    /// The recipient id of the queue.
    package var rcvID: [UInt8]
    /// The key that authorizes the recipient's commands.
    package var key: AuthorizationPrivateKey
    /// The secret that opens the message bodies from the relay.
    package var dhSecret: X25519.SharedSecret
    /// The id of the service to which the relay has assigned the queue; nil for a queue without a service.
    package var serviceID: [UInt8]?

    package init(
        rcvID: [UInt8],
        key: AuthorizationPrivateKey,
        dhSecret: X25519.SharedSecret,
        serviceID: [UInt8]? = nil
    ) {
        self.rcvID = rcvID
        self.key = key
        self.dhSecret = dhSecret
        self.serviceID = serviceID
    }
}

/// A queue that was just created.
package struct CreatedQueue: Sendable {
    package var credentials: RcvQueueCredentials
    /// The id under which senders send to the queue.
    package var sndID: [UInt8]
    /// The mode of the queue (one sender, or contact requests) that the relay has set; nil for a relay whose version
    /// has no modes.
    package var mode: QueueMode?
    /// The notifier of the queue, if one was requested and the relay has created it.
    package var notifier: NotifierCredentials?
    /// The complete answer of the relay to the command that created the queue (NEW).
    package var ids: QueueIDs
}

/// A message as its recipient gets it, without the relay's encryption, but with the sender's encryption.
package struct RcvMessage: Sendable, Hashable {
    /// The message id that the relay chose. The acknowledgement (ACK) contains this id.
    package var id: [UInt8]
    package var body: RcvMessageBody

    package init(id: [UInt8], body: RcvMessageBody) {
        self.id = id
        self.body = body
    }
}

/// Events that a client emits about its session and its queues, in order.
package enum SMPClientEvent: Sendable {
    case message(rcvID: [UInt8], RcvMessage)
    /// A message whose body does not decrypt or parse. The relay keeps the message until it is acknowledged.
    case badMessage(rcvID: [UInt8], id: [UInt8], RcvMessageError)
    /// Another session has subscribed to the queue. This client no longer subscribes to the queue, even after a
    /// reconnection.
    case subscriptionEnded(rcvID: [UInt8])
    /// The owner of the queue deleted the queue in another session.
    case queueDeleted(rcvID: [UInt8])
    /// A message with the notification flag has come to a queue. `encMeta` is an encrypted ``NotificationMeta``.
    case notification(notifierID: [UInt8], nonce: BoxNonce, encMeta: [UInt8])
    /// The relay has assigned these queues to the service of the session. Later sessions can subscribe to all assigned
    /// queues with one command.
    case assignedToService([[UInt8]], serviceID: [UInt8])
    /// Another session of the same service has subscribed to all queues of the service. This session is no longer
    /// subscribed to `count` queues. ``subscriptionEnded(rcvID:)`` follows for each queue that the client knows.
    case serviceSubscriptionEnded(serviceID: [UInt8], count: Int64)
    /// All messages that waited in the queues of the service are delivered (from SMP version 19).
    case serviceMessagesDelivered
    /// The relay has subscribed the session to all queues of the service. If the queues that the relay knows (`known`)
    /// differ from `expected`, the client also subscribes to each queue.
    case serviceSubscribed(known: ServiceQueues, expected: ServiceQueues)
    /// The session in which the service was subscribed is lost. The subscriptions of `count` queues of the service
    /// ended with the session.
    case serviceDisconnected(count: Int64)
    /// A session with this host of the relay was established. The client subscribes to its queues next.
    case connected(TransportHost)
    /// An attempt to establish a session has failed. The client tries again if queues have to be subscribed to.
    case connectionFailed(SMPClientError)
    /// The session was lost, and with the session the subscriptions of these queues. The client subscribes to the
    /// queues again.
    case disconnected([[UInt8]], TransportHost)
    /// The relay broke the protocol, so the client closed the session.
    case protocolViolated(SMPClientError)
    case subscribed([[UInt8]])
    /// A queue could not be subscribed to. The client tries again after a temporary error, but not after a permanent
    /// error.
    case subscriptionFailed(rcvID: [UInt8], SMPClientError)
}
