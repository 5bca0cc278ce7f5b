package import SimpleXCrypto

/// Whether the creator of a queue also subscribes to it.
package enum SubscriptionMode: Hashable, Sendable, SMPCodable {
    case subscribe, onlyCreate

    package func encode(to writer: inout ByteWriter) {
        writer.writeByte(UInt8(ascii: self == .subscribe ? "S" : "C"))
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "S"): self = .subscribe
        case UInt8(ascii: "C"): self = .onlyCreate
        default: throw .invalidTag
        }
    }
}

/// The purpose of a queue: messages of one sender, who may secure the queue (SKEY), or contact requests of many
/// senders.
package enum QueueMode: Hashable, Sendable, SMPCodable {
    case messaging, contact

    package func encode(to writer: inout ByteWriter) {
        writer.writeByte(UInt8(ascii: self == .messaging ? "M" : "C"))
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try reader.readByte() {
        case UInt8(ascii: "M"): self = .messaging
        case UInt8(ascii: "C"): self = .contact
        default: throw .invalidTag
        }
    }
}

/// The encrypted data of a short link: a fixed part, and a part that the owner of the queue may replace.
package struct QueueLinkData: Hashable, Sendable, SMPCodable {
    package var encFixedData: [UInt8]
    package var encUserData: [UInt8]

    package init(encFixedData: [UInt8], encUserData: [UInt8]) {
        self.encFixedData = encFixedData
        self.encUserData = encUserData
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeLargeBytes(encFixedData)
        writer.writeLargeBytes(encUserData)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        encFixedData = try reader.readLargeBytes()
        encUserData = try reader.readLargeBytes()
    }
}

/// The mode of a new queue, with the link data to store with it (from SMP version 15).
package enum QueueRequestData: Hashable, Sendable {
    /// A queue for one sender. The client proposes the sender id: SHA3-384 of the correlation id of NEW, cut to 24
    /// bytes.
    case messaging(MessagingLink?)
    case contact(ContactLink?)

    package struct MessagingLink: Hashable, Sendable {
        package var senderID: [UInt8]
        package var data: QueueLinkData

        package init(senderID: [UInt8], data: QueueLinkData) {
            self.senderID = senderID
            self.data = data
        }
    }

    package struct ContactLink: Hashable, Sendable {
        package var linkID: [UInt8]
        package var senderID: [UInt8]
        package var data: QueueLinkData

        package init(linkID: [UInt8], senderID: [UInt8], data: QueueLinkData) {
            self.linkID = linkID
            self.senderID = senderID
            self.data = data
        }
    }

    /// Returns the sender id that a queue with link data must have: the first 24 bytes of SHA3-384 of the correlation
    /// id of NEW.
    package static func senderID(corrID: [UInt8]) -> [UInt8] { Array(Digest.sha3_384(corrID).prefix(24)) }

    var hasLink: Bool {
        switch self {
        case .messaging(let link): link != nil
        case .contact(let link): link != nil
        }
    }

    package var mode: QueueMode {
        switch self {
        case .messaging: .messaging
        case .contact: .contact
        }
    }
}

extension QueueRequestData: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(mode)
        switch self {
        case .messaging(let link):
            writer.writeOptional(link) { writer, link in
                writer.writeShortBytes(link.senderID)
                writer.writeValue(link.data)
            }
        case .contact(let link):
            writer.writeOptional(link) { writer, link in
                writer.writeShortBytes(link.linkID)
                writer.writeShortBytes(link.senderID)
                writer.writeValue(link.data)
            }
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        switch try QueueMode(from: &reader) {
        case .messaging:
            self = .messaging(
                try reader.readOptional { reader throws(SMPEncodingError) in
                    MessagingLink(senderID: try reader.readShortBytes(), data: try reader.readValue())
                }
            )
        case .contact:
            self = .contact(
                try reader.readOptional { reader throws(SMPEncodingError) in
                    ContactLink(
                        linkID: try reader.readShortBytes(),
                        senderID: try reader.readShortBytes(),
                        data: try reader.readValue()
                    )
                }
            )
        }
    }
}

/// Keys of a notifier for a new queue (from SMP version 17).
package struct NewNotifierCredentials: Hashable, Sendable, SMPCodable {
    package var authKey: AuthorizationKey
    package var dhKey: X25519.PublicKey

    package init(authKey: AuthorizationKey, dhKey: X25519.PublicKey) {
        self.authKey = authKey
        self.dhKey = dhKey
    }

    package func encode(to writer: inout ByteWriter) {
        writer.writeValue(authKey)
        writer.writeValue(dhKey)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        authKey = try reader.readValue()
        dhKey = try reader.readValue()
    }
}

/// The parameters of the command that creates a queue (NEW). simplexmq `protocol/simplex-messaging.md`, "Create queue
/// command".
package struct NewQueueRequest: Hashable, Sendable {
    /// The key that verifies the recipient's commands.
    package var authKey: AuthorizationKey
    /// The recipient's key for the encryption of message bodies between relay and recipient.
    package var dhKey: X25519.PublicKey
    /// The password that the relay requires for the creation of queues.
    package var password: String?
    package var subscriptionMode: SubscriptionMode
    /// The mode and the link data. Versions 9–14 only encode whether the mode is messaging, and older versions encode
    /// nothing.
    package var requestData: QueueRequestData?
    package var notifier: NewNotifierCredentials?

    package init(
        authKey: AuthorizationKey,
        dhKey: X25519.PublicKey,
        password: String? = nil,
        subscription: SubscriptionMode = .subscribe,
        data: QueueRequestData? = nil,
        notifier: NewNotifierCredentials? = nil
    ) {
        self.authKey = authKey
        self.dhKey = dhKey
        self.password = password
        self.subscriptionMode = subscription
        self.requestData = data
        self.notifier = notifier
    }

    /// Whether the sender may secure the queue.
    package var senderCanSecure: Bool { requestData?.mode == .messaging }
}

extension NewQueueRequest {
    func encode(to writer: inout ByteWriter, version: SMPVersion) {
        writer.writeValue(authKey)
        writer.writeValue(dhKey)
        if version < .firstWithSenderAuthorizedKey {
            if let password {
                writer.writeByte(UInt8(ascii: "A"))
                writer.writeShortText(password)
            }
            return writer.writeValue(subscriptionMode)
        }
        writer.writeOptional(password) { writer, password in writer.writeShortText(password) }
        writer.writeValue(subscriptionMode)
        guard version >= .firstWithShortLinks else { return writer.writeBool(senderCanSecure) }
        writer.writeOptional(requestData)
        if version >= .firstWithNewNotifierCredentials { writer.writeOptional(notifier) }
    }

    init(from reader: inout ByteReader, version: SMPVersion) throws(SMPEncodingError) {
        authKey = try reader.readValue()
        dhKey = try reader.readValue()
        let readPassword = { (reader: inout ByteReader) throws(SMPEncodingError) in
            try ProtocolServer.parsePassword(try reader.readShortBytes())
        }
        if version < .firstWithSenderAuthorizedKey {
            password = reader.skip(UInt8(ascii: "A")) ? try readPassword(&reader) : nil
            subscriptionMode = try reader.readValue()
            (requestData, notifier) = (nil, nil)
            return
        }
        password = try reader.readOptional(readPassword)
        subscriptionMode = try reader.readValue()
        if version >= .firstWithShortLinks {
            requestData = try reader.readOptional()
        } else {
            requestData = try reader.readBool() ? .messaging(nil) : .contact(nil)
        }
        notifier = version >= .firstWithNewNotifierCredentials ? try reader.readOptional() : nil
    }
}
