import RelayBase
import SMP
import SimpleXCrypto

/// The values that few queues have. They are stored separately, so that other queues need less memory.
struct QueueExtras: Hashable, Sendable {
    /// Further keys of recipients (RKEY).
    var otherRecipientKeys: [AuthorizationKey] = []
    var link: QueueLink?
    var notifier: QueueNotifier?
    /// The service that receives from the queue.
    var service: ServiceID?
    /// A JSON text that tells clients why the queue is blocked.
    var blockingNotice: String?

    /// A box for values in a queue. The box is replaced and never changed, so copies of a queue may share it.
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
    /// The Diffie-Hellman secret of the relay and the recipient, which encrypts the notification's metadata for the
    /// recipient.
    let dhSecret: Bytes32
    /// The service that is the notifier.
    var service: ServiceID?
}

/// A client that has a certificate, with its queues and notifiers.
struct Service: Sendable {
    let role: ClientHello.Service.Role
    let certificateHash: Bytes32
    /// The queues from which the service receives.
    private(set) var queues: Set<QueueID> = []
    private(set) var queuesHash = QueueIDsHash()
    /// The ids under which the service is the notifier of queues.
    private(set) var notifiers: Set<NotifierID> = []
    private(set) var notifiersHash = QueueIDsHash()
    /// The session that has subscribed to all queues or notifiers of the service with one command.
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
