public import ChatCore
internal import SimpleXCrypto
public import SQLCipher

#if canImport(Glibc)
internal import Glibc
#endif

/// Why a file gives no key of databases, or takes none.
public enum KeyFileRingError: Error, Sendable, CustomStringConvertible {
    case file(FileError)
    case notText(path: String)
    case empty(path: String)
    /// Reading the file again would give another key.
    case ambiguous

    public var description: String {
        switch self {
        case .file(let error): error.description
        case .notText(let path): "\(path) is not text"
        case .empty(let path): "\(path) is empty"
        case .ambiguous: "a key that cannot be told from others in a file"
        }
    }
}

/// Keeps the key of the databases in its file; a new one is prepared in a file beside it.
public struct KeyFileRing: DatabaseKeyring {
    public let path: String

    public init(path: String) { self.path = path }

    /// What the file says where the databases are not encrypted. (An empty file would be what a full disk leaves.)
    static let none = "# not encrypted"

    private var prepared: String { path + ".new" }

    /// 64 hexadecimal digits are a key as it is, anything else is a passphrase.
    public static func key(of text: String) -> DatabaseKey {
        guard !text.isEmpty else { return .none }
        let digits = text.compactMap(\.hexDigitValue)
        guard text.utf8.count == 64, digits.count == 64 else { return .passphrase(text) }
        return .raw(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    public func key(_ text: String) -> DatabaseKey { Self.key(of: text) }

    /// A new file with a random key.
    public func create() throws(KeyFileRingError) {
        do throws(FileError) {
            try SecureFile.create(path, Self.randomDigits() + [UInt8(ascii: "\n")])
        } catch { throw .file(error) }
    }

    /// 64 hexadecimal digits.
    static func randomDigits() -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return RandomBytes.make(count: 32).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// The key in the file; `nil` when there is no file.
    public func read() throws(KeyFileRingError) -> DatabaseKey? { try text(path).map { Self.key(of: $0) } }

    /// The key that was prepared, when a change of the key was cut off.
    public func readPrepared() throws(KeyFileRingError) -> DatabaseKey? { try text(prepared).map { Self.key(of: $0) } }

    public func prepare(_ text: String) throws {
        guard text != Self.none, !text.contains(where: \.isNewline), text.last?.isWhitespace != true else { throw KeyFileRingError.ambiguous }
        unlink(prepared)
        try SecureFile.create(prepared, Array(((text.isEmpty ? Self.none : text) + "\n").utf8))
        SecureFile.synchronizeFolder(of: path)
    }

    public func adopt() {
        guard rename(prepared, path) == 0 else { return }
        SecureFile.synchronizeFolder(of: path)
    }

    public func discard() { unlink(prepared) }

    /// The text of the key in the file, which is empty where the databases are not encrypted.
    func text() throws(KeyFileRingError) -> String? { try text(path) }

    /// White space at the end does not count.
    private func text(_ file: String) throws(KeyFileRingError) -> String? {
        let content: [UInt8]?
        do throws(FileError) { content = try SecureFile.read(file) } catch { throw .file(error) }
        guard let content else { return nil }
        guard var text = String(validating: content, as: UTF8.self) else { throw .notText(path: file) }
        while text.last?.isWhitespace == true { text.removeLast() }
        guard !text.isEmpty else { throw .empty(path: file) }
        return text == Self.none ? "" : text
    }
}
