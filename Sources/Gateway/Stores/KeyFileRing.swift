public import ChatCore
public import Files
public import SimpleXCrypto

#if canImport(Glibc)
    internal import Glibc
#endif

/// Reasons for which a key file cannot be read or written.
public enum KeyFileRingError: StorageError, CustomStringConvertible {
    case file(FileSystemError)
    case notText(path: String)
    case empty(path: String)
    /// A pipe can be read only once, but the key is needed each time the databases are opened.
    case pipe(path: String)
    /// The file would not give the same key when it is read again.
    case ambiguous

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .notText(let path): "\(path) is not text"
        case .empty(let path): "\(path) is empty"
        case .pipe(let path):
            "\(path) is a pipe, but the key is read again at each opening of the databases: give a file"
        case .ambiguous: "this key cannot be kept in a file: it would be read as another key"
        }
    }

    public var isFull: Bool { if case .file(let error) = self { error.isFull } else { false } }
}

/// Keeps the key of the databases in its file; a new one is prepared in a file beside it.
public struct KeyFileRing: DatabaseKeyring {
    public let path: String

    public init(path: String) { self.path = path }

    /// The content of the file when the databases are not encrypted. (An empty file may be the result of a full disk.)
    static let none = "# not encrypted"

    private var prepared: String { path + ".new" }

    /// The key for a text: 64 hexadecimal digits are the key itself, any other text is a passphrase.
    public static func key(of text: String) -> DatabaseKey {
        guard !text.isEmpty else { return .none }
        guard text.utf8.count == 64, let key = Hex.decode(text.utf8) else { return .passphrase(text) }
        return .raw(key)
    }

    public func key(_ text: String) -> DatabaseKey { Self.key(of: text) }

    /// Creates the file with a random key, 64 hexadecimal digits.
    public func create() throws(KeyFileRingError) { try create(.random()) }

    public func prepare(_ text: String) throws {
        guard text != Self.none, !text.contains(where: \.isNewline), text.last?.isWhitespace != true else {
            throw KeyFileRingError.ambiguous
        }
        DiskFiles.removeFile(prepared)
        try DiskFiles.create(prepared, Array(((text.isEmpty ? Self.none : text) + "\n").utf8))
        DiskFiles.syncFolder(of: path)
    }

    public func adopt() { adoptPrepared() }

    /// Replaces the file by the prepared one.
    /// - Returns: whether the file has the prepared key now, or no key was prepared. If false, the key is only in the
    ///   file where it was prepared, which must not be lost.
    @discardableResult func adoptPrepared() -> Bool {
        do throws(FileSystemError) { try DiskFiles.rename(prepared, to: path) } catch {
            guard error.code == ENOENT else { return false }
        }
        DiskFiles.syncFolder(of: path)
        return true
    }

    public func discard() { DiskFiles.removeFile(prepared) }

    /// The key in the file, in memory that is overwritten later; `nil` when there is no file.
    func material() throws(KeyFileRingError) -> KeyMaterial? { try material(path) }

    /// The prepared key, if a change of the key was interrupted.
    func preparedMaterial() throws(KeyFileRingError) -> KeyMaterial? { try material(prepared) }

    private func material(_ file: String) throws(KeyFileRingError) -> KeyMaterial? {
        guard !DiskFiles.isPipe(file) else { throw .pipe(path: file) }
        let secret: SecretBytes?
        do throws(FileSystemError) { secret = try SecretFile.read(file) } catch { throw .file(error) }
        guard let secret else { return nil }
        guard secret.count > 0 else { throw .empty(path: file) }
        guard secret.withBytes(Self.isText) else { throw .notText(path: file) }
        return secret.withBytes { bytes in
            KeyMaterial(
                text: bytes.elementsEqual(Self.none.utf8)
                    ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(bytes)
            )
        }
    }

    /// Creates the file with a key.
    func create(_ key: KeyMaterial) throws(KeyFileRingError) {
        var text = key.withForm { form in
            guard !form.isEmpty else { return Array(Self.none.utf8) }
            // A raw key is stored as the digits of `x'…'`.
            let isRaw =
                form.count == 67 && form[0] == UInt8(ascii: "x") && form[1] == UInt8(ascii: "'")
                && form[66] == UInt8(ascii: "'")
            return isRaw ? Array(form[2..<66]) : Array(form)
        }
        defer { wipe(&text) }
        do throws(FileSystemError) { try DiskFiles.create(path, text) } catch { throw .file(error) }
        DiskFiles.syncFolder(of: path)
    }

    /// Whether the bytes are UTF-8. The check makes no copy of them.
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
