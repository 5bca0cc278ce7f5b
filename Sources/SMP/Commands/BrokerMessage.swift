package import SimpleXCrypto

/// A message of a relay: the answer to a command, or an event of a subscription.
///
/// simplexmq `protocol/simplex-messaging.md`, "Server messages". The encodings of versions 10–18 follow the test
/// vectors. The encodings of versions 19 and 20 follow the document.
package enum BrokerMessage: Hashable, Sendable {
    case ids(QueueIDs)
    case lnk(senderID: [UInt8], QueueLinkData)
    /// The answer to SUB, with the id of the service that now owns the queue. In versions before 16, the answer to SUB
    /// is OK.
    case sok(serviceID: [UInt8]?)
    /// The answer to SUBS and NSUBS: the number of the service's queues, and their hash (from version 19).
    case soks(ServiceQueues)
    /// All messages that waited in the queues of a service are delivered (from version 19).
    case alls
    /// A message: its id, and its body encrypted between relay and recipient (see ``RcvMessageBody``).
    case msg(id: [UInt8], encBody: [UInt8])
    case nid(notifierID: [UInt8], dhKey: X25519.PublicKey)
    case nmsg(nonce: BoxNonce, encMeta: [UInt8])
    case pkey(sessionID: [UInt8], ProtocolVersionRange, CertificateChainKey)
    case rres(encForwardResponse: [UInt8])
    case pres(encResponse: [UInt8])
    /// Another session has subscribed to the queue.
    case end
    /// Another session of the service has subscribed to all queues or notifiers of the service. The value contains the
    /// number and the hash of these queues or notifiers.
    case ends(ServiceQueues)
    /// The queue was deleted. Relays before version 10 send END instead.
    case deld
    /// The relay's report about a queue: the JSON that the relay sent.
    case info([UInt8])
    /// The resolution of a name: the JSON that the relay sent (from version 20).
    case rname([UInt8])
    case ok
    case err(SMPErrorType)
    case pong
}

/// The answer to the command that creates a queue (NEW).
package struct QueueIDs: Hashable, Sendable {
    package var rcvID: [UInt8]
    package var sndID: [UInt8]
    /// The relay's key for the encryption of message bodies to the recipient.
    package var dhKey: X25519.PublicKey
    /// The mode of the queue. Versions 9–14 only encode whether the mode is messaging, and older versions encode
    /// nothing.
    package var mode: QueueMode?
    package var linkID: [UInt8]?
    package var serviceID: [UInt8]?
    package var notifier: NewNotifier?

    package struct NewNotifier: Hashable, Sendable, SMPCodable {
        package var notifierID: [UInt8]
        package var dhKey: X25519.PublicKey

        package init(notifierID: [UInt8], dhKey: X25519.PublicKey) {
            self.notifierID = notifierID
            self.dhKey = dhKey
        }

        package func encode(to writer: inout ByteWriter) {
            writer.writeShortBytes(notifierID)
            writer.writeValue(dhKey)
        }

        package init(from reader: inout ByteReader) throws(SMPEncodingError) {
            notifierID = try reader.readShortBytes()
            dhKey = try reader.readValue()
        }
    }

    package init(
        rcvID: [UInt8],
        sndID: [UInt8],
        dhKey: X25519.PublicKey,
        mode: QueueMode? = nil,
        linkID: [UInt8]? = nil,
        serviceID: [UInt8]? = nil,
        notifier: NewNotifier? = nil
    ) {
        self.rcvID = rcvID
        self.sndID = sndID
        self.dhKey = dhKey
        self.mode = mode
        self.linkID = linkID
        self.serviceID = serviceID
        self.notifier = notifier
    }
}

extension QueueIDs {
    func encode(to writer: inout ByteWriter, version: SMPVersion) {
        writer.writeShortBytes(rcvID)
        writer.writeShortBytes(sndID)
        writer.writeValue(dhKey)
        if version < .firstWithSenderAuthorizedKey { return }
        guard version >= .firstWithShortLinks else { return writer.writeBool(mode == .messaging) }
        writer.writeOptional(mode)
        writer.writeOptional(linkID)
        if version >= .firstWithServiceCertificates { writer.writeOptional(serviceID) }
        if version >= .firstWithNewNotifierCredentials { writer.writeOptional(notifier) }
    }

    init(from reader: inout ByteReader, version: SMPVersion) throws(SMPEncodingError) {
        rcvID = try reader.readShortBytes()
        sndID = try reader.readShortBytes()
        dhKey = try reader.readValue()
        if version >= .firstWithShortLinks {
            mode = try reader.readOptional()
        } else if version >= .firstWithSenderAuthorizedKey {
            mode = try reader.readBool() ? .messaging : .contact
        } else {
            mode = nil
        }
        linkID = version >= .firstWithShortLinks ? try reader.readOptional() : nil
        serviceID = version >= .firstWithServiceCertificates ? try reader.readOptional() : nil
        notifier = version >= .firstWithNewNotifierCredentials ? try reader.readOptional() : nil
    }
}

extension BrokerMessage {
    /// An estimate of the size of the encoding, in bytes. The exact size may be smaller, or slightly larger.
    var approximateByteCount: Int {
        switch self {
        case .msg(_, let encBody): encBody.count + 32
        case .rres(let response), .pres(let response): response.count + 8
        case .lnk(_, let data): data.encFixedData.count + data.encUserData.count + 40
        default: 160
        }
    }

    /// The word that begins the message.
    package var tag: String {
        switch self {
        case .ids: "IDS"
        case .lnk: "LNK"
        case .sok: "SOK"
        case .soks: "SOKS"
        case .alls: "ALLS"
        case .msg: "MSG"
        case .nid: "NID"
        case .nmsg: "NMSG"
        case .pkey: "PKEY"
        case .rres: "RRES"
        case .pres: "PRES"
        case .end: "END"
        case .ends: "ENDS"
        case .deld: "DELD"
        case .info: "INFO"
        case .rname: "RNAME"
        case .ok: "OK"
        case .err: "ERR"
        case .pong: "PONG"
        }
    }
}
