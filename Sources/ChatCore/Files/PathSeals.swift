internal import Files
internal import SimpleXCrypto

/// Seals of paths outside of the store's folders. A seal is an HMAC of the path. The key of the seals is in a file
/// beside the databases, and no archive contains this file. So a database from another machine has no valid seal. A
/// store that replaces this store starts without the key.
struct PathSeals: Sendable {
    /// The path of the key file, which has mode 0600. The first seal creates the file.
    let keyFile: String

    /// Creates the seals of a store.
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
