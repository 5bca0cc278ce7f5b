package import Files
internal import SimpleXCrypto

#if canImport(Glibc)
    internal import Glibc
#endif

/// The list of the files in an unencrypted backup copy, with the SHA-256 of each file. The list is the file
/// `SHA256SUMS`, for `sha256sum --check` of coreutils. An encrypted copy needs no list.
///
/// A gateway that starts with the copy as its data folder removes the list, since the folder is then no longer a copy.
/// All functions block the thread.
package enum CopyChecksums {
    package static let fileName = "SHA256SUMS"
    /// The file with the hash of the list, as one line for `sha256sum --check`. The hash shows whether lines of the
    /// list are missing.
    private static let hashFileName = fileName + ".sha256"

    /// Maximal size of a list in bytes.
    private static let maxListBytes = 1 << 30

    /// The reasons why a copy cannot be verified, for example a file that differs from its hash in the list.
    package enum Fault: Error, Sendable, CustomStringConvertible {
        /// A line of the list is malformed, or the list itself does not match the hash of the list.
        case damagedList
        case missingFile(path: String)
        case changedFile(path: String)
        case fileError(FileSystemError)
        case stopped

        package var description: String {
            switch self {
            case .damagedList: "its list of contents, \(fileName), is damaged"
            case .missingFile(let path): "\(path) is missing"
            case .changedFile(let path): "\(path) was changed after the copy was made"
            case .fileError(let error): error.description
            case .stopped: "the work was stopped"
            }
        }
    }

    /// Writes the list of the files of a copy into the copy.
    /// - Parameters:
    ///   - left: names of files and folders directly in `folder` that are left out.
    ///   - known: known hashes of files, by the paths of the files. These hashes are not computed again.
    static func writeList(
        in folder: String,
        except left: Set<String>,
        known: [String: [UInt8]] = [:],
        while mayContinue: () -> Bool
    ) throws {
        var lines: [UInt8] = []
        try appendFolder("", of: folder, except: left, known, to: &lines, while: mayContinue)
        try DiskFiles.createFile(folder + "/" + fileName, lines)
        try DiskFiles.createFile(folder + "/" + hashFileName, makeLine(fileName, Digest.sha256(lines)))
    }

    private static func appendFolder(
        _ place: String,
        of folder: String,
        except left: Set<String>,
        _ known: [String: [UInt8]],
        to lines: inout [UInt8],
        while mayContinue: () -> Bool
    ) throws {
        for name in try DiskFiles.listNames(in: folder + "/" + place).sorted() where !left.contains(name) {
            let path = place + name
            if DiskFiles.isFile(folder + "/" + path) {
                lines += makeLine(path, try known[path] ?? computeHash(folder + "/" + path, while: mayContinue))
            } else if DiskFiles.isFolder(folder + "/" + path) {
                try appendFolder(path + "/", of: folder, except: [], known, to: &lines, while: mayContinue)
            }
        }
    }

    /// Compares the files of a copy with their hashes in the copy's list. Ignores files that are not in the list.
    /// - Returns: whether the copy has a list. Copies that earlier versions of the gateway have made have no list.
    package static func verifyFiles(_ folder: String, while mayContinue: () -> Bool = { true }) throws(Fault) -> Bool {
        guard let entries = try readEntries(of: folder) else { return false }
        for (path, expected) in entries {
            // A gateway that tried to start with the copy has removed the file `SOURCES` by ``prepareForChanges(_:)``.
            // `SOURCES` contains no data of the gateway, so the copy is complete without it.
            if path == CopySources.fileName, !DiskFiles.exists(folder + "/" + path) { continue }
            guard DiskFiles.isFile(folder + "/" + path) else { throw .missingFile(path: path) }
            guard try computeHash(folder + "/" + path, while: mayContinue) == expected else {
                throw .changedFile(path: path)
            }
        }
        return true
    }

    /// Returns the hashes in the list of a copy, by the paths of the files; nil for a copy without a list.
    static func readHashes(of folder: String) throws(Fault) -> [String: [UInt8]]? {
        try readEntries(of: folder).map { Dictionary($0) { _, last in last } }
    }

    private static func readEntries(of folder: String) throws(Fault) -> [(String, [UInt8])]? {
        let (content, sealed): ([UInt8]?, [UInt8]?)
        do throws(FileSystemError) {
            (content, sealed) = (
                try DiskFiles.readFile(folder + "/" + fileName, limit: maxListBytes),
                try DiskFiles.readFile(folder + "/" + hashFileName)
            )
        } catch { throw .fileError(error) }
        guard content != nil || sealed != nil else { return nil }
        guard let content, sealed == makeLine(fileName, Digest.sha256(content)) else { throw .damagedList }
        var entries: [(String, [UInt8])] = []
        for text in content.split(separator: lineFeed) {
            guard let (path, expected) = parseEntry(text) else { throw .damagedList }
            entries.append((path, expected))
        }
        return entries
    }

    /// Prepares a copy for changes. Replaces files that other copies share by separate files, then removes the file
    /// `SOURCES` (``CopySources``).
    /// - Throws: `FileSystemError`. Then `SOURCES` stays, and some files may still be shared.
    package static func prepareForChanges(_ folder: String) throws {
        guard DiskFiles.exists(folder + "/" + CopySources.fileName) else { return }
        try unshareFiles(folder, level: 1)
        DiskFiles.removeFile(folder + "/" + CopySources.fileName)
    }

    private static func unshareFiles(_ folder: String, level: Int) throws {
        guard level <= BackupFormat.maxFolderDepth else { throw FileSystemError(.open, folder, code: ELOOP) }
        for name in try DiskFiles.listNames(in: folder) {
            let path = folder + "/" + name
            guard !DiskFiles.isLink(path) else { continue }
            if DiskFiles.isFolder(path) {
                try unshareFiles(path, level: level + 1)
            } else {
                try DiskFiles.breakHardLinks(path)
            }
        }
    }

    package static func removeListFiles(from folder: String) {
        for file in [hashFileName, fileName, CopySources.fileName] { DiskFiles.removeFile(folder + "/" + file) }
    }

    private static func computeHash(_ path: String, while mayContinue: () -> Bool) throws(Fault) -> [UInt8] {
        do {
            let file = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
            let digest = try IncrementalDigest(.sha256)
            while true {
                guard mayContinue() else { throw Fault.stopped }
                let part = try file.read(upTo: 1 << 20)
                guard !part.isEmpty else { return try digest.finalize() }
                try digest.update(part)
            }
        } catch {
            throw error as? Fault ?? .fileError(error as? FileSystemError ?? FileSystemError(.read, path, code: EIO))
        }
    }

    // MARK: Lines

    private static let (lineFeed, backslash) = (UInt8(ascii: "\n"), UInt8(ascii: "\\"))
    private static let escapedBytes: [(byte: UInt8, letter: UInt8)] = [
        (lineFeed, UInt8(ascii: "n")), (UInt8(ascii: "\r"), UInt8(ascii: "r")), (backslash, backslash),
    ]

    /// Makes a line: the hash, two spaces and the path. If the path has line breaks or backslashes, the line begins
    /// with a backslash, and these characters are escaped as in C.
    private static func makeLine(_ path: String, _ hash: [UInt8]) -> [UInt8] {
        var name: [UInt8] = []
        for byte in path.utf8 {
            if let escape = escapedBytes.first(where: { $0.byte == byte }) {
                name += [backslash, escape.letter]
            } else {
                name.append(byte)
            }
        }
        return (name.count > path.utf8.count ? [backslash] : []) + Hex.encode(hash).utf8 + "  ".utf8 + name + [lineFeed]
    }

    private static func parseEntry(_ line: ArraySlice<UInt8>) -> (path: String, hash: [UInt8])? {
        let isEscaped = line.first == backslash
        let rest = isEscaped ? line.dropFirst() : line
        guard let hash = Hex.decode(rest.prefix(64)), hash.count == 32, rest.dropFirst(64).starts(with: "  ".utf8)
        else { return nil }
        let written = rest.dropFirst(66)
        guard let path = isEscaped ? unescapePath(written) : String(validating: written, as: UTF8.self),
            isInsideCopy(path)
        else { return nil }
        return (path, hash)
    }

    private static func unescapePath(_ bytes: ArraySlice<UInt8>) -> String? {
        var (out, rest) = ([UInt8](), bytes)
        while let byte = rest.popFirst() {
            guard byte == backslash else {
                out.append(byte)
                continue
            }
            guard let letter = rest.popFirst(), let escape = escapedBytes.first(where: { $0.letter == letter }) else {
                return nil
            }
            out.append(escape.byte)
        }
        return String(validating: out, as: UTF8.self)
    }

    /// Whether a path stays inside the copy.
    private static func isInsideCopy(_ path: String) -> Bool {
        path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !["", ".", ".."].contains($0) }
    }
}
