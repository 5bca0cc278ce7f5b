internal import SimpleXCrypto

/// The name of an object in the object storage: the folder of the store, and a random text.
enum ObjectKey {
    /// Number of random bytes in a name.
    private static let randomByteCount = 24

    static func makeKey(in folder: String) -> String {
        folder + "/" + Base64URL.encode(RandomBytes.make(count: randomByteCount))
    }

    /// Whether a key has the form of ``makeKey(in:)`` for this folder. An object with another key may belong to
    /// somebody else.
    static func isObjectKey(_ key: String, in folder: String) -> Bool {
        guard key.hasPrefix(folder + "/") else { return false }
        let name = String(key.dropFirst(folder.count + 1))
        guard let bytes = try? Base64URL.decode(name) else { return false }
        return bytes.count == randomByteCount && Base64URL.encode(bytes) == name
    }
}
