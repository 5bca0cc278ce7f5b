package import SMP
package import SimpleXCrypto

/// The answer of a notification server.
package enum NTFResponse: Hashable, Sendable {
    /// The answer to TNEW: the token's id, and the server's Diffie-Hellman key. The client's key and this key give the
    /// secret that encrypts pushes.
    case tokenID([UInt8], dhKey: X25519.PublicKey)
    /// The answer to SNEW: the id of the new subscription.
    case subscriptionID([UInt8])
    case ok
    case err(SMPErrorType)
    /// The answer to TCHK: the status of the token.
    case token(NTFTokenStatus)
    /// The answer to SCHK: the status of the subscription.
    case subscription(NTFSubscriptionStatus)
    case pong

    package var tag: String {
        switch self {
        case .tokenID: "IDTKN"
        case .subscriptionID: "IDSUB"
        case .ok: "OK"
        case .err: "ERR"
        case .token: "TKN"
        case .subscription: "SUB"
        case .pong: "PONG"
        }
    }
}

extension NTFResponse: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeRaw(tag.utf8)
        switch self {
        case .tokenID(let id, let key):
            writer.writeASCII(" ")
            writer.writeShortBytes(id)
            writer.writeValue(key)
        case .subscriptionID(let id):
            writer.writeASCII(" ")
            writer.writeShortBytes(id)
        case .err(let error):
            writer.writeASCII(" ")
            writer.writeValue(error)
        case .token(let status):
            writer.writeASCII(" ")
            writer.writeValue(status)
        case .subscription(let status):
            writer.writeASCII(" ")
            writer.writeValue(status)
        case .ok, .pong: break
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let tag = String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
        switch tag {
        case "OK": self = .ok
        case "PONG": self = .pong
        case "IDTKN", "IDSUB", "ERR", "TKN", "SUB":
            guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
            switch tag {
            case "IDTKN": self = .tokenID(try reader.readShortBytes(), dhKey: try reader.readValue())
            case "IDSUB": self = .subscriptionID(try reader.readShortBytes())
            case "ERR": self = .err(try reader.readValue())
            case "TKN": self = .token(try reader.readValue())
            default: self = .subscription(try reader.readValue())
            }
        default: throw .invalidValue("answer")
        }
    }
}
