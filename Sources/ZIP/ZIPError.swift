/// The reason why an archive cannot be read or written.
package enum ZIPError: Error, Hashable, Sendable {
    /// The file or its folder does not exist, or cannot be opened. `code` is the system's error number.
    case fileNotOpened(code: Int32)
    /// The file is not a ZIP archive, is incomplete, or contradicts itself.
    case notAnArchive
    /// The contents of an entry do not match its checksum, or cannot be read.
    case damagedEntry(entry: String)
    /// An entry has an unsafe name: an absolute path, a path with `..`, or a name with characters that are not allowed.
    case unsafeName(String)
    /// Two entries have the same name.
    case duplicateName(String)
    /// The archive exceeds one of the ``ZIPLimits``, so it may have been made to fill the disk.
    case tooLarge
    /// An entry is encrypted, or compressed by another method than "deflate".
    case unsupportedEntry(entry: String)
    /// Writing failed. `code` is the system's error number (28 when the disk is full).
    case writeFailed(code: Int32)
    /// The caller has stopped the operation.
    case stopped
}

/// The limits of the contents of an archive.
package struct ZIPLimits: Sendable, Hashable {
    /// Maximal number of entries.
    package var maxEntries: UInt64 = 100_000
    /// Maximal size in bytes of the directory, which is read into memory as a whole.
    package var maxDirectoryBytes: UInt64 = 16 << 20
    /// Maximal size in bytes of all unpacked entries together.
    package var maxBytes: UInt64 = .max
    /// Maximal ratio of the unpacked size of all entries to the size of the archive. The ratio is checked only above
    /// ``maxBytesWithoutRatioCheck``.
    package var maxCompressionRatio: UInt64 = 100
    /// Unpacked size in bytes up to which ``maxCompressionRatio`` does not apply.
    package var maxBytesWithoutRatioCheck: UInt64 = 64 << 20

    package init() {}
}
