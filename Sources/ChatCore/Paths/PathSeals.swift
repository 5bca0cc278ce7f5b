internal import Files
internal import SimpleXCrypto

/// Makes and checks seals of paths outside of the store's folders. A seal is an HMAC of a path. It proves that a client
/// which may use any path has named this path.
struct PathSeals: Sendable {
    /// The path of the file with the key of the seals. The first seal creates the file, with mode 0600. No archive
    /// contains the file, so the seals in a database from another machine are not valid. A store that replaces this
    /// store gets a new key.
    let keyFile: String

    /// Creates an object that uses the key file of a store.
    /// - Parameter prefix: the common beginning of the paths of the databases.
    init(prefix: String) { keyFile = prefix + "_paths.key" }

    private static let keySize = 32

    func seal(_ path: String) throws(FileSystemError) -> [UInt8] {
        if let key { return Self.seal(path, key) }
        let new = SecretBytes.random(count: Self.keySize)
        try DiskFiles.replaceFile(keyFile, with: new.withBytes { Array($0) })
        return Self.seal(path, new)
    }

    func isValid(_ seal: [UInt8], of path: String) -> Bool {
        key.map { constantTimeEquals(seal, Self.seal(path, $0)) } ?? false
    }

    /// Makes all seals invalid.
    func invalidateAll() { DiskFiles.removeFile(keyFile) }

    private var key: SecretBytes? {
        guard let bytes = try? DiskFiles.readFile(keyFile, limit: Self.keySize), bytes.count == Self.keySize else {
            return nil
        }
        return SecretBytes(bytes)
    }

    private static func seal(_ path: String, _ key: SecretBytes) -> [UInt8] { HMAC.sha256(Array(path.utf8), key: key) }
}
