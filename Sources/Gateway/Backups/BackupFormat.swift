internal import SimpleXCrypto

/// The format of an encrypted backup: one file with a copy of the data folder, or of one store.
///
/// Numbers are big-endian. The header has 58 bytes:
/// - `SXGWBK1` and a line feed;
/// - the kind (1: a data folder, 2: a store);
/// - the derivation of the key (1: from a passphrase by Argon2id, 2: from a key of 32 bytes by HKDF with SHA-512);
/// - the passes and the KiB of memory of Argon2id, 4 bytes each;
/// - the salt, 16 bytes;
/// - the header of libsodium's secretstream, 24 bytes.
///
/// Parts of 65,553 bytes follow. Each part contains 65,536 encrypted bytes, and 17 bytes that libsodium's secretstream
/// (XChaCha20-Poly1305) adds to authenticate the part. The last part may be shorter and is marked as the last. The
/// first part also authenticates the header.
///
/// The decrypted parts together are a sequence of entries. An entry has a byte (1: a folder, 2: a file, 0: the end),
/// the length of the path in 2 bytes, and the path, which is relative, with `/`, in UTF-8. A file also has its size in
/// 8 bytes, and its contents. A folder comes before its contents.
enum BackupFormat {
    static let magic = Array("SXGWBK1\n".utf8)
    static let headerSize = magic.count + 2 + 8 + PasswordKey.saltSize + SecretStream.headerSize
    static let partSize = 65_536
    /// Maximal length of a path in bytes.
    static let maxPathBytes = 4_096
    /// Maximal depth of nested folders.
    static let maxFolderDepth = 64
    /// Maximal cost of the derivation from a passphrase (passes, bytes of memory). A file with a greater cost is
    /// refused.
    static let (maxOperations, maxMemory): (UInt64, Int) = (64, 1 << 30)

    enum Entry { static let (end, folder, file): (UInt8, UInt8, UInt8) = (0, 1, 2) }
}

/// The kind of a backup: a copy of the whole data folder, or of one store. The raw value is the kind in the header of
/// the file.
package enum BackupKind: UInt8, Sendable {
    case dataFolder = 1
    case store = 2
}

extension FixedWidthInteger {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    init(bigEndianBytes bytes: some Collection<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
