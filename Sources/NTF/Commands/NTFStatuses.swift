package import SMP

/// Status of a token's registration at the server.
package enum NTFTokenStatus: Hashable, Sendable {
    /// The client knows the token, but the server does not know it yet.
    case new
    /// The token was registered by TNEW or TRPL.
    case registered
    /// The push service has refused the token. Servers before version 3 give no reason.
    case invalid(Reason?)
    /// The push service has accepted the code for the device.
    case confirmed
    /// The token was verified by TVFY.
    case active
    case expired

    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case badToken = "BAD", topic = "TOPIC", expired = "EXPIRED", unregistered = "UNREGISTERED"
    }

    package var text: String {
        switch self {
        case .new: "NEW"
        case .registered: "REGISTERED"
        case .invalid(let reason): "INVALID" + (reason.map { "," + $0.rawValue } ?? "")
        case .confirmed: "CONFIRMED"
        case .active: "ACTIVE"
        case .expired: "EXPIRED"
        }
    }

    package init?(text: String) {
        switch text {
        case "NEW": self = .new
        case "REGISTERED": self = .registered
        case "INVALID": self = .invalid(nil)
        case "CONFIRMED": self = .confirmed
        case "ACTIVE": self = .active
        case "EXPIRED": self = .expired
        default:
            guard text.hasPrefix("INVALID,"), let reason = Reason(rawValue: String(text.dropFirst(8))) else {
                return nil
            }
            self = .invalid(reason)
        }
    }
}

extension NTFTokenStatus: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeRaw(text.utf8) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let text = String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
        guard let status = NTFTokenStatus(text: text) else { throw .invalidValue("token status") }
        self = status
    }
}

/// Status of a subscription of the server to a queue on a relay.
package enum NTFSubscriptionStatus: Hashable, Sendable {
    case new, pending, active, inactive
    /// Another server has subscribed to the notifier.
    case end
    /// The queue or its notifier was deleted.
    case deleted
    /// The relay refuses the notifier's key.
    case auth
    case service
    case error(String)

    /// Whether the server still receives notifications for this subscription. Otherwise the queue needs a new notifier.
    package var isSubscribed: Bool {
        switch self {
        case .new, .pending, .active, .inactive, .service: true
        case .end, .deleted, .auth, .error: false
        }
    }

    package var text: String {
        switch self {
        case .new: "NEW"
        case .pending: "PENDING"
        case .active: "ACTIVE"
        case .inactive: "INACTIVE"
        case .end: "END"
        case .deleted: "DELETED"
        case .auth: "AUTH"
        case .service: "SERVICE"
        case .error(let detail): "ERR " + detail
        }
    }

    package init?(text: String) {
        switch text {
        case "NEW": self = .new
        case "PENDING": self = .pending
        case "ACTIVE": self = .active
        case "INACTIVE": self = .inactive
        case "END": self = .end
        case "DELETED": self = .deleted
        case "AUTH": self = .auth
        case "SERVICE": self = .service
        default:
            guard text.hasPrefix("ERR ") else { return nil }
            self = .error(String(text.dropFirst(4)))
        }
    }
}

extension NTFSubscriptionStatus: SMPCodable {
    package func encode(to writer: inout ByteWriter) { writer.writeRaw(text.utf8) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        guard let status = NTFSubscriptionStatus(text: String(decoding: reader.readRest(), as: UTF8.self)) else {
            throw .invalidValue("subscription status")
        }
        self = status
    }
}
