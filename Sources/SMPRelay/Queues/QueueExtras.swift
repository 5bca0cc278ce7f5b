import RelayBase
import SMP
import SimpleXCrypto

/// The values that few queues have. They are stored outside ``Queue``, so that other queues need less memory.
struct QueueExtras: Hashable, Sendable {
    /// The recipient's keys after the first key. The command RKEY sets them.
    var otherRecipientKeys: [AuthorizationKey] = []
    var link: QueueLink?
    var notifier: QueueNotifier?
    /// The service (client with a certificate) that receives messages from the queue.
    var service: ServiceID?
    /// A JSON text that tells clients why the queue is blocked.
    var blockingNotice: String?

    /// A box that holds the values for a queue. A change replaces the box, so copies of a queue may share a box.
    final class Box: Sendable {
        let value: QueueExtras
        init(_ value: QueueExtras) { self.value = value }
    }
}

/// The id of a short link, and the data of the link.
struct QueueLink: Hashable, Sendable {
    let id: LinkID
    let data: QueueLinkData

    var byteCount: Int { data.encFixedData.count + data.encUserData.count }
}

/// The notifier of a queue. It learns that a message has arrived, but not the content of the message.
struct QueueNotifier: Hashable, Sendable {
    let id: NotifierID
    let key: AuthorizationKey
    /// The Diffie-Hellman secret that the relay and the recipient share. The relay encrypts the notification's metadata
    /// for the recipient with it.
    let dhSecret: Bytes32
    /// The service (client with a certificate) that gets the notifications.
    var service: ServiceID?
}

/// A service: a client that has a certificate, with its queues and notifiers.
struct Service: Sendable {
    let role: ClientHello.Service.Role
    let certificateHash: Bytes32
    /// The queues from which the service receives messages.
    private(set) var queues: Set<QueueID> = []
    private(set) var queuesHash = QueueIDsHash()
    /// The ids of the notifiers that belong to the service.
    private(set) var notifiers: Set<NotifierID> = []
    private(set) var notifiersHash = QueueIDsHash()
    /// The session with which the service has subscribed to all its queues or notifiers in one command.
    var subscriber: ConnectionHandle?

    init(role: ClientHello.Service.Role, certificateHash: Bytes32) {
        self.role = role
        self.certificateHash = certificateHash
    }

    mutating func add(queue id: QueueID) { if queues.insert(id).inserted { queuesHash.toggleID(id.bytes) } }
    mutating func remove(queue id: QueueID) { if queues.remove(id) != nil { queuesHash.toggleID(id.bytes) } }
    mutating func add(notifier id: NotifierID) { if notifiers.insert(id).inserted { notifiersHash.toggleID(id.bytes) } }
    mutating func remove(notifier id: NotifierID) {
        if notifiers.remove(id) != nil { notifiersHash.toggleID(id.bytes) }
    }
}
