package import JSON
internal import SMP
package import SimpleXCrypto

/// The first message of a session, from the host (the phone): its app, and the public key of the KEM.
package struct HostHello: Hashable, Sendable {
    package var version: UInt16
    /// SHA-256 of the host's authority certificate. The host must show this certificate in TLS.
    package var authorityFingerprint: [UInt8]
    package var app: JSONValue
    package var kemKey: SNTRUP761.PublicKey

    package init(version: UInt16, authorityFingerprint: [UInt8], app: JSONValue, kemKey: SNTRUP761.PublicKey) {
        self.version = version
        self.authorityFingerprint = authorityFingerprint
        self.app = app
        self.kemKey = kemKey
    }

    var json: JSONValue {
        [
            "v": .integer(Int64(version)), "ca": .string(Base64URL.encode(authorityFingerprint)), "app": app,
            "kem": .string(Base64URL.encode(kemKey.rawRepresentation)),
        ]
    }

    init(json: [UInt8]) throws(XRCPError) {
        guard let value = try? JSONValue(parsing: json, limits: JSONLimits(size: BlockSize.helloBody, depth: 16)) else {
            throw .syntax("JSON")
        }
        guard let version = value["v"]?.integerValue.flatMap(UInt16.init(exactly:)) else { throw .syntax("v") }
        guard let authorityFingerprint = value["ca"]?.stringValue.flatMap({ try? Base64URL.decode($0) }) else {
            throw .syntax("ca")
        }
        guard let app = value["app"] else { throw .syntax("app") }
        guard let kem = value["kem"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
            let kemKey = try? SNTRUP761.PublicKey(rawRepresentation: kem)
        else { throw .syntax("kem") }
        self.init(version: version, authorityFingerprint: authorityFingerprint, app: app, kemKey: kemKey)
    }
}

/// A hello as it is sent: the host's key is not encrypted, all other values are in a box.
package struct HostHelloPacket: Sendable {
    package let dhKey: X25519.PublicKey
    let nonce: BoxNonce
    let encryptedHello: [UInt8]

    init(
        _ hello: HostHello,
        key: X25519.PrivateKey,
        secret: X25519.SharedSecret,
        nonce: BoxNonce = .random()
    ) throws(XRCPError) {
        dhKey = key.publicKey
        self.nonce = nonce
        guard
            let box = try? CryptoBox.seal(
                hello.json.encodeText(),
                secret: secret,
                nonce: nonce,
                paddedTo: BlockSize.helloBody
            )
        else { throw .blockSize }
        self.encryptedHello = box
    }

    init(_ packet: [UInt8]) throws(XRCPError) {
        var reader = ByteReader(packet)
        guard reader.skip("HELLO "), let dhKey = try? reader.readValue(X25519.PublicKey.self),
            let nonce = try? reader.readValue(BoxNonce.self)
        else { throw .syntax("hello") }
        (self.dhKey, self.nonce, encryptedHello) = (dhKey, nonce, reader.readRest())
    }

    var packetBytes: [UInt8] {
        var writer = ByteWriter()
        writer.writeASCII("HELLO ")
        dhKey.encode(to: &writer)
        nonce.encode(to: &writer)
        writer.writeRaw(encryptedHello)
        return writer.bytes
    }

    func openHello(_ secret: X25519.SharedSecret) throws(XRCPError) -> HostHello {
        guard let json = try? CryptoBox.open(encryptedHello, secret: secret, nonce: nonce) else { throw .decrypt }
        return try HostHello(json: json)
    }
}
