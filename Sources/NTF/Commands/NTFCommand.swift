package import SMP
package import SimpleXCrypto

/// A command to a notification server.
///
/// simplexmq `protocol/push-notifications.md`, "SimpleX Notification Server protocol". The token's key authorizes all
/// commands except ``ping``. All commands contain the id of their entity, except `ping` and the commands that create a
/// token or a subscription.
package enum NTFCommand: Hashable, Sendable {
    /// Registers a token (TNEW). The server pushes a code to the token. The code is encrypted with the Diffie-Hellman
    /// secret of `dhKey` and the server's key.
    case newToken(PushToken, key: AuthorizationKey, dhKey: X25519.PublicKey)
    /// Proves that the device has received the code (TVFY).
    case verifyToken(code: [UInt8])
    case checkToken
    /// Replaces a token, and keeps its subscriptions (TRPL). The new token has to be verified.
    case replaceToken(PushToken)
    case deleteToken
    /// Sets the interval, in minutes, of pushes that contain no notification (TCRN): at least 20, or 0 for no such
    /// pushes.
    case setInterval(minutes: UInt16)
    /// Asks the server to subscribe to the notifier of a queue (SNEW). `key` is the notifier's private key, which the
    /// server needs for the subscription.
    case newSubscription(tokenID: [UInt8], NotifierAddress, key: AuthorizationPrivateKey)
    case checkSubscription
    case deleteSubscription
    case ping

    /// The word of the command. Logs and errors must contain no other part of a command.
    package var tag: String {
        switch self {
        case .newToken: "TNEW"
        case .verifyToken: "TVFY"
        case .checkToken: "TCHK"
        case .replaceToken: "TRPL"
        case .deleteToken: "TDEL"
        case .setInterval: "TCRN"
        case .newSubscription: "SNEW"
        case .checkSubscription: "SCHK"
        case .deleteSubscription: "SDEL"
        case .ping: "PING"
        }
    }

    /// Returns the error for a transmission whose credentials do not fit the command; nil when they fit.
    package func findCredentialsError(hasAuthorization: Bool, hasEntity: Bool) -> SMPCommandError? {
        switch self {
        case .newToken, .newSubscription: !hasAuthorization ? .noAuth : hasEntity ? .hasAuth : nil
        case .ping: hasAuthorization || hasEntity ? .hasAuth : nil
        default: hasAuthorization && hasEntity ? nil : .noAuth
        }
    }
}

extension NTFCommand: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeRaw(tag.utf8)
        switch self {
        case .newToken(let token, let key, let dhKey):
            writer.writeASCII(" T")
            writer.writeValue(token)
            writer.writeValue(key)
            writer.writeValue(dhKey)
        case .verifyToken(let code):
            writer.writeASCII(" ")
            writer.writeShortBytes(code)
        case .replaceToken(let token):
            writer.writeASCII(" ")
            writer.writeValue(token)
        case .setInterval(let minutes):
            writer.writeASCII(" ")
            writer.writeWord16(minutes)
        case .newSubscription(let tokenID, let address, let key):
            writer.writeASCII(" S")
            writer.writeShortBytes(tokenID)
            writer.writeValue(address)
            writer.writeShortBytes(key.pkcs8)
        case .checkToken, .deleteToken, .checkSubscription, .deleteSubscription, .ping: break
        }
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let tag = String(decoding: reader.readSlice(until: UInt8(ascii: " ")), as: UTF8.self)
        func skipSpaceBeforeParameters(_ reader: inout ByteReader) throws(SMPEncodingError) {
            guard reader.skip(UInt8(ascii: " ")) else { throw .unexpectedEnd }
        }
        switch tag {
        case "TNEW":
            try skipSpaceBeforeParameters(&reader)
            guard reader.skip(UInt8(ascii: "T")) else { throw .invalidTag }
            self = .newToken(try reader.readValue(), key: try reader.readValue(), dhKey: try reader.readValue())
        case "TVFY":
            try skipSpaceBeforeParameters(&reader)
            self = .verifyToken(code: try reader.readShortBytes())
        case "TCHK": self = .checkToken
        case "TRPL":
            try skipSpaceBeforeParameters(&reader)
            self = .replaceToken(try reader.readValue())
        case "TDEL": self = .deleteToken
        case "TCRN":
            try skipSpaceBeforeParameters(&reader)
            self = .setInterval(minutes: try reader.readWord16())
        case "SNEW":
            try skipSpaceBeforeParameters(&reader)
            guard reader.skip(UInt8(ascii: "S")) else { throw .invalidTag }
            let tokenID = try reader.readShortBytes()
            let address: NotifierAddress = try reader.readValue()
            guard let key = try? AuthorizationPrivateKey(pkcs8: try reader.readShortBytes()) else {
                throw .invalidValue("notifier key")
            }
            self = .newSubscription(tokenID: tokenID, address, key: key)
        case "SCHK": self = .checkSubscription
        case "SDEL": self = .deleteSubscription
        case "PING": self = .ping
        default: throw .invalidValue("command")
        }
    }
}
