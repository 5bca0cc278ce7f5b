/// Why an archive cannot be read or written.
public enum ZIPError: Error, Hashable, Sendable {
    /// The file or its folder does not exist, or cannot be opened: the system's error number.
    case file(code: Int32)
    /// The file is not a ZIP archive, or is cut off, or contradicts itself.
    case notAnArchive
    /// The contents of an entry do not match its checksum, or cannot be read.
    case damaged(entry: String)
    /// An entry with a name that leads elsewhere: absolute, with `..`, or with characters that no name here has.
    case unsafeName(String)
    /// Two entries of one name.
    case duplicate(String)
    /// More entries, or more in them, than there can be for an archive of its size: made to fill the disk.
    case tooLarge
    /// Encrypted, or compressed in another way than "deflate".
    case unsupported(entry: String)
    /// Writing failed: the system's error number (28 when the disk is full).
    case write(code: Int32)
    /// The caller did not want to go on.
    case stopped
}

/// The limits of the contents of an archive.
public struct ZIPLimits: Sendable, Hashable {
    /// The most entries.
    public var entries: UInt64 = 100_000
    /// The most bytes of the directory, all of which is in memory.
    public var directory: UInt64 = 16 << 20
    /// The most bytes that the entries have together when they are unpacked.
    public var bytes: UInt64 = .max
    /// Maximal ratio of the unpacked size of all entries to the size of the archive…
    public var ratio: UInt64 = 100
    /// …for unpacked sizes above this number of bytes.
    public var smallBytes: UInt64 = 64 << 20

    public init() {}
}
