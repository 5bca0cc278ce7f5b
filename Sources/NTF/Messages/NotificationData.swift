package import SMP
package import SimpleXCrypto

/// The notification about one queue. A server puts the notifications of several queues into one push.
package struct NotificationData: Hashable, Sendable {
    package var address: NotifierAddress
    /// The time at which the server received the notification, in seconds since 1970.
    package var receivedAtSeconds: Int64
    package var nonce: BoxNonce
    /// The encrypted `NotificationMeta`, which only the queue's owner can open.
    package var encMeta: [UInt8]

    package init(address: NotifierAddress, timestamp: Int64, nonce: BoxNonce, encMeta: [UInt8]) {
        self.address = address
        self.receivedAtSeconds = timestamp
        self.nonce = nonce
        self.encMeta = encMeta
    }
}

extension NotificationData: StrCodable {
    package var str: String {
        [address.str, String(receivedAtSeconds), Base64URL.encode(nonce.rawRepresentation), Base64URL.encode(encMeta)]
            .joined(
                separator: " "
            )
    }

    package init(from text: inout TextReader) throws(SMPEncodingError) {
        address = try NotifierAddress(from: &text)
        try text.requireText(" ")
        receivedAtSeconds = Int64(truncatingIfNeeded: try text.readDecimal())
        try text.requireText(" ")
        let nonce = try text.readBase64URL()
        guard nonce.count == BoxNonce.size else { throw .invalidValue("nonce") }
        self.nonce = BoxNonce(padding: nonce)
        try text.requireText(" ")
        encMeta = try text.readBase64URL()
    }
}

/// Encryption of the content of a push, so that the push service cannot read it. The key is the Diffie-Hellman secret
/// of the token's key and the server's key.
package enum NotificationBox {
    /// Number of bytes of the padded content, without the authentication tag, in every version.
    package static let paddedBytes = 3072

    package static func sealContent(
        _ content: [UInt8],
        secret: X25519.SharedSecret,
        nonce: BoxNonce
    ) throws(CryptoError) -> [UInt8] {
        try CryptoBox.seal(content, secret: secret, nonce: nonce, paddedTo: paddedBytes)
    }

    /// Encrypts the notifications of several queues as the content of one push.
    package static func sealNotifications(
        _ news: [NotificationData],
        secret: X25519.SharedSecret,
        nonce: BoxNonce
    ) throws(CryptoError) -> [UInt8] {
        try sealContent(Array(news.map(\.str).joined(separator: ";").utf8), secret: secret, nonce: nonce)
    }

    /// Decrypts the content of a push. Throws `authenticationFailed` or `invalidPadding`.
    package static func openContent(
        _ box: [UInt8],
        secret: X25519.SharedSecret,
        nonce: BoxNonce
    ) throws(CryptoError) -> [UInt8] {
        try CryptoBox.open(box, secret: secret, nonce: nonce)
    }

    /// Parses the notifications in the content of a push. At least one notification is required.
    package static func parseNotifications(in content: [UInt8]) throws(SMPEncodingError) -> [NotificationData] {
        var text = TextReader(content)
        var news = [try NotificationData(from: &text)]
        while text.skip(";") { news.append(try NotificationData(from: &text)) }
        try text.requireEnd()
        return news
    }
}
