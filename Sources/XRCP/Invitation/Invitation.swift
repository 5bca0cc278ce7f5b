package import JSON
package import SMP
package import SimpleXCrypto
package import Transport

/// An invitation of a controller (a desktop) to a host (a phone). The controller shows it as a code, or announces it in
/// its network, so that the host connects.
///
/// simplexmq `protocol/xrcp.md`, "Session invitation".
package struct Invitation: Hashable, Sendable {
    /// SHA-256 of the controller's authority certificate, 32 bytes, which is its permanent identity.
    package var authorityFingerprint: [UInt8]
    package var host: TransportHost
    package var port: UInt16
    package var versions: ProtocolVersionRange
    /// The controller's description of its app.
    package var app: JSONValue
    /// The start of the session, in seconds since 1970.
    package var startedAtSeconds: Int64
    /// The key of this session, which signs the invitation and every command.
    package var sessionKey: Ed25519.PublicKey
    /// The permanent key, which also signs the invitation and every command.
    package var identityKey: Ed25519.PublicKey
    package var dhKey: X25519.PublicKey

    package init(
        authorityFingerprint: [UInt8],
        host: TransportHost,
        port: UInt16,
        versions: ProtocolVersionRange,
        app: JSONValue,
        time: Int64,
        sessionKey: Ed25519.PublicKey,
        identityKey: Ed25519.PublicKey,
        dhKey: X25519.PublicKey
    ) {
        self.authorityFingerprint = authorityFingerprint
        self.host = host
        self.port = port
        self.versions = versions
        self.app = app
        self.startedAtSeconds = time
        self.sessionKey = sessionKey
        self.identityKey = identityKey
        self.dhKey = dhKey
    }

    /// Maximal number of bytes of the text of an invitation. The device name is the only part without a fixed maximal
    /// length.
    static let maxTextBytes = 16 << 10

    /// The link without signatures. To verify the signatures, simplexmq makes this text again, with the members of
    /// `app` in alphabetical order.
    package var text: String {
        let parameters = [
            ("v", versions.str), ("app", app.withSortedMembers.text), ("ts", "\(startedAtSeconds)"),
            ("skey", Base64URL.encode(sessionKey.spki)),
            ("idkey", Base64URL.encode(identityKey.spki)), ("dh", Base64URL.encode(dhKey.spki)),
        ]
        let query = parameters.map { "\($0)=\(PercentCoding.escape($1))" }.joined(separator: "&")
        return "xrcp:/\(Base64URL.encode(authorityFingerprint))@\(host.str):\(port)#/?\(query)"
    }

    /// Parses a link. If several parameters have the same name, the first one counts. Unknown parameters are ignored.
    package init(parsing text: String) throws(SMPEncodingError) {
        guard text.utf8.count <= Self.maxTextBytes else { throw .tooLong }
        var reader = TextReader(text)
        try reader.requireText("xrcp:/")
        authorityFingerprint = try reader.readBase64URL()
        guard authorityFingerprint.count == 32 else { throw .invalidValue("fingerprint") }
        try reader.requireText("@")
        host = try TransportHost(from: &reader)
        try reader.requireText(":")
        guard let port = UInt16(exactly: try reader.readDecimal()), port > 0 else { throw .invalidValue("port") }
        self.port = port
        try reader.requireText("#/?")
        let query = LinkQuery(reader.readRest())
        versions = try ProtocolVersionRange(parsing: query.requireParameterText("v"))
        guard
            let app = try? JSONValue(
                parsing: query.requireParameterText("app"),
                limits: JSONLimits(size: Self.maxTextBytes, depth: 16)
            )
        else { throw .invalidValue("app") }
        self.app = app
        guard let time = Int64(try query.requireParameterText("ts")), time >= 0 else { throw .invalidValue("ts") }
        self.startedAtSeconds = time
        guard let sessionKey = try? Ed25519.PublicKey(spki: query.decodeKey("skey")) else {
            throw .invalidValue("skey")
        }
        guard let identityKey = try? Ed25519.PublicKey(spki: query.decodeKey("idkey")) else {
            throw .invalidValue("idkey")
        }
        guard let dhKey = try? X25519.PublicKey(spki: query.decodeKey("dh")) else { throw .invalidValue("dh") }
        (self.sessionKey, self.identityKey, self.dhKey) = (sessionKey, identityKey, dhKey)
    }

    /// Returns the link with both signatures.
    /// - Parameter form: the form of the text that the identity key signs.
    package func makeSignedLink(
        session: Ed25519.PrivateKey,
        identity: Ed25519.PrivateKey,
        form: SessionSignatureForm = .asInLink
    ) throws(CryptoError) -> String {
        let text = text
        let sessionSignature = try session.sign(Array(text.utf8))
        let identitySignature = try identity.sign(form.makeIdentitySignedText(text, sessionSignature))
        return "\(text)&ssig=\(Base64URL.encode(sessionSignature))&idsig=\(Base64URL.encode(identitySignature))"
    }

    /// The form of the session's signature in the text that the identity key signs.
    package enum SessionSignatureForm: Sendable, CaseIterable {
        /// From simplexmq 6.5.1 on: base64url, the same as in the link.
        case asInLink
        /// Standard base64, as in simplexmq before 6.5.1.
        case standardBase64

        fileprivate func makeIdentitySignedText(_ text: String, _ signature: [UInt8]) -> [UInt8] {
            switch self {
            case .asInLink: Array("\(text)&ssig=\(Base64URL.encode(signature))".utf8)
            case .standardBase64: Array("\(text)&ssig=\(Base64.encode(signature))".utf8)
            }
        }
    }

    /// Parses a link with signatures. Verifies the signatures over the received text, so that exactly the signed text
    /// is trusted.
    /// - Throws: `SMPEncodingError` for a text that is not such a link, ``XRCPError/invitation`` for wrong signatures.
    package init(verifying text: String) throws {
        guard text.utf8.count <= Self.maxTextBytes else { throw SMPEncodingError.tooLong }
        guard let end = text.firstRange(of: "&ssig=")?.lowerBound else { throw SMPEncodingError.invalidValue("ssig") }
        let signed = String(text[..<end])
        let signatures = LinkQuery(Array(text[end...].utf8.dropFirst()))
        let (session, identity) = (try signatures.decodeKey("ssig"), try signatures.decodeKey("idsig"))
        try self.init(parsing: signed)
        let isByIdentity = SessionSignatureForm.allCases.contains {
            identityKey.isValidSignature(identity, for: $0.makeIdentitySignedText(signed, session))
        }
        guard sessionKey.isValidSignature(session, for: Array(signed.utf8)), isByIdentity else {
            throw XRCPError.invitation
        }
    }
}

/// The parameters of an invitation link.
private struct LinkQuery {
    private var values: [String: [UInt8]] = [:]

    init(_ bytes: [UInt8]) {
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let name = String(decoding: part.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            if values[name] == nil { values[name] = PercentCoding.decodeQuery(part.dropFirst(name.utf8.count + 1)) }
        }
    }

    func requireParameterText(_ name: String) throws(SMPEncodingError) -> String {
        guard let value = values[name], let text = String(validating: value, as: UTF8.self) else {
            throw .invalidValue(name)
        }
        return text
    }

    func decodeKey(_ name: String) throws(SMPEncodingError) -> [UInt8] {
        let text = try requireParameterText(name)
        // The value must have padding, as in all links of simplexmq. A value without padding is refused.
        guard let bytes = try? Base64URL.decode(text), Base64URL.encode(bytes) == text else {
            throw .invalidValue(name)
        }
        return bytes
    }
}

extension JSONValue {
    /// This value with the members of all its objects in alphabetical order.
    var withSortedMembers: JSONValue {
        switch self {
        case .object(let members):
            .object(
                JSONObject(
                    members.map { ($0.key, $0.value.withSortedMembers) }.sorted {
                        Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8))
                    }
                )
            )
        case .array(let elements): .array(elements.map(\.withSortedMembers))
        default: self
        }
    }
}
