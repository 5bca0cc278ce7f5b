internal import ChatCore
package import Files
package import SimpleXCrypto

#if canImport(Glibc)
    internal import Glibc
#endif

/// Reasons why a key file cannot be read or written.
package enum FileKeyringError: StorageError, CustomStringConvertible {
    case file(FileSystemError)
    case notText(path: String)
    case empty(path: String)
    /// The file is a pipe. A pipe can be read only once, but the key is read each time the databases are opened.
    case isPipe(path: String)
    /// The key, written as text, would be read from the file as another key.
    case ambiguousKey

    package var description: String {
        switch self {
        case .file(let error): error.description
        case .notText(let path): "\(path) is not text"
        case .empty(let path): "\(path) is empty"
        case .isPipe(let path):
            "\(path) is a pipe, but the key is read again at each opening of the databases: give a file"
        case .ambiguousKey: "this key cannot be kept in a file: it would be read as another key"
        }
    }

    package var isStorageFull: Bool { if case .file(let error) = self { error.isStorageFull } else { false } }
}

/// The key of the databases, which is stored in a file. A new key is prepared in a second file beside this file.
package struct FileKeyring: DatabaseKeyring {
    package let path: String

    package init(path: String) { self.path = path }

    /// The content of the file when the databases are not encrypted. (An empty file may be the result of a full disk.)
    static let unencryptedMark = "# not encrypted"

    private var preparedKeyPath: String { path + ".new" }

    /// Returns the key for a text: 64 hexadecimal digits are the key itself, any other text is a passphrase.
    package static func makeKey(of text: String) -> DatabaseKey {
        guard !text.isEmpty else { return .none }
        guard text.utf8.count == 64, let key = Hex.decode(text.utf8) else { return .passphrase(text) }
        return .raw(key)
    }

    package func makeKey(_ text: String) -> DatabaseKey { Self.makeKey(of: text) }

    /// Creates the file with a random key of 64 hexadecimal digits.
    package func createKeyFile() throws(FileKeyringError) { try createKeyFile(.random()) }

    package func storeNewKey(_ text: String) throws {
        guard text != Self.unencryptedMark, !text.contains(where: \.isNewline), text.last?.isWhitespace != true else {
            throw FileKeyringError.ambiguousKey
        }
        DiskFiles.removeFile(preparedKeyPath)
        try DiskFiles.createFile(preparedKeyPath, Array(((text.isEmpty ? Self.unencryptedMark : text) + "\n").utf8))
        DiskFiles.syncParentFolder(of: path)
    }

    package func adoptNewKey() { adoptPreparedKey() }

    /// Replaces the key file by the file with the prepared key.
    /// - Returns: whether the key file has the prepared key now, or no key was prepared. If false, only the file beside
    ///   the key file has the prepared key, and must not be lost.
    @discardableResult func adoptPreparedKey() -> Bool {
        do throws(FileSystemError) { try DiskFiles.rename(preparedKeyPath, to: path) } catch {
            guard error.errnoCode == ENOENT else { return false }
        }
        DiskFiles.syncParentFolder(of: path)
        return true
    }

    package func discardNewKey() { DiskFiles.removeFile(preparedKeyPath) }

    /// Reads the key from the file, into memory that is overwritten later; `nil` when the file does not exist.
    func readKeyMaterial() throws(FileKeyringError) -> KeyMaterial? { try readKeyMaterial(path) }

    /// Reads the prepared key, which exists only after an interrupted change of the key; otherwise returns nil.
    func readPreparedKey() throws(FileKeyringError) -> KeyMaterial? { try readKeyMaterial(preparedKeyPath) }

    private func readKeyMaterial(_ file: String) throws(FileKeyringError) -> KeyMaterial? {
        guard !DiskFiles.isPipe(file) else { throw .isPipe(path: file) }
        let secret: SecretBytes?
        do throws(FileSystemError) { secret = try SecretFile.read(file) } catch { throw .file(error) }
        guard let secret else { return nil }
        guard secret.count > 0 else { throw .empty(path: file) }
        guard secret.withBytes(Self.isText) else { throw .notText(path: file) }
        return secret.withBytes { bytes in
            KeyMaterial(
                text: bytes.elementsEqual(Self.unencryptedMark.utf8)
                    ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(bytes)
            )
        }
    }

    /// Creates the file with the given key.
    func createKeyFile(_ key: KeyMaterial) throws(FileKeyringError) {
        var text = key.withSQLCipherForm { form in
            guard !form.isEmpty else { return Array(Self.unencryptedMark.utf8) }
            // A raw key has the form `x'…'`. Only its digits are stored.
            let isRaw =
                form.count == 67 && form[0] == UInt8(ascii: "x") && form[1] == UInt8(ascii: "'")
                && form[66] == UInt8(ascii: "'")
            return isRaw ? Array(form[2..<66]) : Array(form)
        }
        defer { wipeBytes(&text) }
        do throws(FileSystemError) { try DiskFiles.createFile(path, text) } catch { throw .file(error) }
        DiskFiles.syncParentFolder(of: path)
    }

    /// Whether the bytes are UTF-8. The bytes are not copied, since they are secret.
    private static func isText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var (parser, rest) = (UTF8.ForwardParser(), bytes.makeIterator())
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
