import ChatCore
import Gateway
import Glibc
import SQLCipher

/// Keeps the key of the databases in its file; a new one is prepared in a file beside it.
struct KeyFileRing: DatabaseKeyring {
    let path: String

    /// What the file says where the databases are not encrypted. (An empty file would be what a full disk leaves.)
    static let none = "# not encrypted"

    private var prepared: String { path + ".new" }

    /// 64 hexadecimal digits are a key as it is, anything else is a passphrase.
    func key(_ text: String) -> DatabaseKey {
        guard !text.isEmpty else { return .none }
        let digits = text.compactMap(\.hexDigitValue)
        guard text.utf8.count == 64, digits.count == 64 else { return .passphrase(text) }
        return .raw(stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    /// The key in the file; `nil` when there is no file.
    func read() throws -> DatabaseKey? { try read(path) }

    /// The key that was prepared, when a change of the key was cut off.
    func readPrepared() throws -> DatabaseKey? { try read(prepared) }

    func prepare(_ text: String) throws {
        guard text != Self.none, !text.contains(where: \.isNewline), text.last?.isWhitespace != true else {
            throw Failure(code: 1, message: "a key that cannot be told from others in a file")
        }
        unlink(prepared)
        try SecureFile.create(prepared, Array(((text.isEmpty ? Self.none : text) + "\n").utf8))
        SecureFile.synchronizeFolder(of: path)
    }

    func adopt() {
        guard rename(prepared, path) == 0 else { return }
        SecureFile.synchronizeFolder(of: path)
    }

    func discard() { unlink(prepared) }

    /// White space at the end does not count.
    private func read(_ file: String) throws -> DatabaseKey? {
        let content: [UInt8]?
        do throws(FileError) { content = try SecureFile.read(file) } catch { throw Failure(code: 1, message: error.description) }
        guard let content else { return nil }
        guard var text = String(validating: content, as: UTF8.self) else { throw Failure.configuration("\(file) is not text") }
        while text.last?.isWhitespace == true { text.removeLast() }
        guard !text.isEmpty else { throw Failure.configuration("\(file) is empty") }
        return text == Self.none ? DatabaseKey.none : key(text)
    }
}
