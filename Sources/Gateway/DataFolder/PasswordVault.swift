internal import JSON
internal import SimpleXCrypto

/// The file `passwords.json` of a store with an app password: the key of the databases, encrypted under the password.
///
/// The vault always has two boxes of the same length. The first box contains the key, encrypted under the app password.
/// The second box contains a marker, encrypted under the self-destruct password, or random bytes. Both passwords have
/// the same salt and cost. So each attempt takes one derivation and two decryptions, and the file does not reveal
/// whether the store has a self-destruct password.
struct PasswordVault: Sendable {
    enum Content: Sendable {
        case key(KeyMaterial)
        case selfDestruct
    }

    private enum BoxKind {
        static let key: UInt8 = 1
        static let selfDestructContent: UInt8 = 2
    }

    /// Size in bytes of the content of a box: its kind, a length, and a passphrase of at most 1,024 bytes.
    private static let contentSize = 1088
    private static let boxSize = 24 + SecretBox.tagSize + contentSize

    private let salt: [UInt8]
    private let cost: PasswordCost
    private var appBox: [UInt8]
    private var selfDestructBox = RandomBytes.make(count: boxSize)

    /// Makes a vault for a new password. The caller must call `sealContent` next.
    init(cost: PasswordCost) {
        salt = RandomBytes.make(count: PasswordKey.saltSize)
        self.cost = cost
        appBox = RandomBytes.make(count: Self.boxSize)
    }

    init?(_ content: [UInt8]) {
        guard let json = try? JSONValue(parsing: content), let operations = json["operations"]?.integerValue,
            let memory = json["memory"]?.integerValue,
            let salt = Self.decodeBytes(json["salt"]), salt.count == PasswordKey.saltSize,
            let boxes = json["boxes"]?.arrayValue?.map(Self.decodeBytes),
            boxes.count == 2, let app = boxes[0], let selfDestruct = boxes[1], app.count == Self.boxSize,
            selfDestruct.count == Self.boxSize
        else { return nil }
        self.salt = salt
        cost = PasswordCost(operations: UInt64(clamping: operations), memory: Int(clamping: memory))
        self.appBox = app
        self.selfDestructBox = selfDestruct
    }

    private static func decodeBytes(_ json: JSONValue?) -> [UInt8]? {
        json?.stringValue.flatMap { try? Base64URL.decode($0) }
    }

    var encodedJSON: [UInt8] {
        let json: JSONValue = [
            "salt": .string(Base64URL.encode(salt)), "operations": .integer(Int64(clamping: cost.passCount)),
            "memory": .integer(Int64(cost.memoryBytes)),
            "boxes": [.string(Base64URL.encode(appBox)), .string(Base64URL.encode(selfDestructBox))],
        ]
        return json.encodeText()
    }

    /// Derives a key from a password. The derivation takes much time and memory.
    func deriveKey(of password: SecretBytes) throws(CryptoError) -> SymmetricKey {
        try PasswordKey.deriveKey(password, salt: salt, cost: cost)
    }

    /// Decrypts the content of the vault.
    /// - Parameter key: the key that ``deriveKey(of:)`` has derived from a password.
    /// - Returns: the content of the box that the key opens; `nil` for the key of a wrong password.
    func openContent(_ key: SymmetricKey) -> Content? {
        let (first, second) = (Self.openBox(appBox, key), Self.openBox(selfDestructBox, key))
        if case .selfDestruct = second { return second }
        return first
    }

    mutating func sealContent(_ content: Content, _ key: SymmetricKey) throws(CryptoError) {
        switch content {
        case .key: appBox = try Self.makeBox(content, key)
        case .selfDestruct: selfDestructBox = try Self.makeBox(content, key)
        }
    }

    mutating func removeSelfDestruct() { selfDestructBox = RandomBytes.make(count: Self.boxSize) }

    private static func makeBox(_ content: Content, _ key: SymmetricKey) throws(CryptoError) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: contentSize)
        switch content {
        case .selfDestruct: plain[0] = BoxKind.selfDestructContent
        case .key(let material):
            plain[0] = BoxKind.key
            let fits = material.withSQLCipherForm { form in
                guard form.count <= contentSize - 3 else { return false }
                plain[1] = UInt8(form.count >> 8)
                plain[2] = UInt8(form.count & 0xFF)
                plain.replaceSubrange(3..<3 + form.count, with: form)
                return true
            }
            guard fits else { throw .messageTooLarge }
        }
        defer { wipeBytes(&plain) }
        let nonce = RandomBytes.make(count: 24)
        return nonce + (try SecretBox.sealTailTag(plain, key: key, nonce: try BoxNonce(rawRepresentation: nonce)))
    }

    private static func openBox(_ box: [UInt8], _ key: SymmetricKey) -> Content? {
        guard let nonce = try? BoxNonce(rawRepresentation: Array(box.prefix(24))),
            var plain = try? SecretBox.openTailTag(box.dropFirst(24), key: key, nonce: nonce),
            plain.count == contentSize
        else { return nil }
        defer { wipeBytes(&plain) }
        switch plain[0] {
        case BoxKind.selfDestructContent: return .selfDestruct
        case BoxKind.key:
            let count = Int(plain[1]) << 8 | Int(plain[2])
            guard count <= contentSize - 3 else { return nil }
            return .key(
                plain.withUnsafeBytes {
                    KeyMaterial(sqlCipherForm: UnsafeRawBufferPointer(rebasing: $0[3..<3 + count]))
                }
            )
        default: return nil
        }
    }
}
