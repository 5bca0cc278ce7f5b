package import SimpleXCrypto

/// A command of a client to a relay. The transmission around the command contains the ids and the authorization.
///
/// simplexmq `protocol/simplex-messaging.md`, "SMP commands". The encodings of versions 10–18 follow the test vectors.
/// The encodings of versions 19 and 20 follow the document.
package enum ClientCommand: Hashable, Sendable {
    // The following commands are the recipient's. Their entity id is the recipient id of the queue.
    case new(NewQueueRequest)
    case sub
    /// Subscribes to all queues of a service. From version 19 the command contains the number and the hash of these
    /// queues.
    case subs(ServiceQueues)
    case key(AuthorizationKey)
    case rkey([AuthorizationKey])
    case lset(linkID: [UInt8], QueueLinkData)
    case ldel
    case nkey(AuthorizationKey, dhKey: X25519.PublicKey)
    case ndel
    case get
    case ack(messageID: [UInt8])
    case off
    case del
    case que
    // The following commands are the sender's. Their entity id is the sender id; for LKEY and LGET it is the link id.
    case skey(AuthorizationKey)
    case send(MessageFlags, body: [UInt8])
    case lkey(AuthorizationKey)
    case lget
    case ping
    // The following commands are the notifier's. Their entity id is the notifier id.
    case nsub
    case nsubs(ServiceQueues)
    // The following commands forward other commands through a proxy.
    case prxy(ProtocolServer, password: String?)
    case pfwd(version: SMPVersion, X25519.PublicKey, encTransmission: [UInt8])
    case rfwd(encForward: [UInt8])
    // Any client may send this command, from version 20 on.
    case rslv(NameDomain)
}

extension ClientCommand {
    /// The word that begins the command.
    package var tag: String { Tag(self).rawValue }

    enum Tag: String {
        case new = "NEW", sub = "SUB", subs = "SUBS", key = "KEY", rkey = "RKEY", lset = "LSET", ldel = "LDEL"
        case nkey = "NKEY", ndel = "NDEL", get = "GET", ack = "ACK", off = "OFF", del = "DEL", que = "QUE"
        case skey = "SKEY", send = "SEND", lkey = "LKEY", lget = "LGET", ping = "PING", nsub = "NSUB", nsubs = "NSUBS"
        case prxy = "PRXY", pfwd = "PFWD", rfwd = "RFWD", rslv = "RSLV"

        init(_ command: ClientCommand) {
            self =
                switch command {
                case .new: .new
                case .sub: .sub
                case .subs: .subs
                case .key: .key
                case .rkey: .rkey
                case .lset: .lset
                case .ldel: .ldel
                case .nkey: .nkey
                case .ndel: .ndel
                case .get: .get
                case .ack: .ack
                case .off: .off
                case .del: .del
                case .que: .que
                case .skey: .skey
                case .send: .send
                case .lkey: .lkey
                case .lget: .lget
                case .ping: .ping
                case .nsub: .nsub
                case .nsubs: .nsubs
                case .prxy: .prxy
                case .pfwd: .pfwd
                case .rfwd: .rfwd
                case .rslv: .rslv
                }
        }
    }

    /// Returns the relay's error for a command that lacks needed credentials, or has forbidden ones; nil when the
    /// credentials are right.
    package func findCredentialsError(hasAuthorization: Bool, hasEntity: Bool) -> SMPCommandError? {
        switch self {
        case .new:
            !hasAuthorization ? .noAuth : hasEntity ? .hasAuth : nil
        case .send:
            hasEntity ? nil : .noEntity
        case .lget, .pfwd:
            !hasEntity ? .noEntity : hasAuthorization ? .hasAuth : nil
        case .ping, .prxy, .rfwd, .rslv:
            hasAuthorization || hasEntity ? .hasAuth : nil
        default:
            hasAuthorization && hasEntity ? nil : .noAuth
        }
    }
}
