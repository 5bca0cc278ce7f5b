internal import Files
import Glibc
package import SimpleXCrypto

/// The reason why the files of a server's identity cannot be used.
package enum CredentialsFileError: StorageError, Hashable, CustomStringConvertible {
    /// The operation on the file at this path failed with this `errno`.
    case inputOutput(path: String, code: Int32)
    /// The file does not contain what its name says: a key, a certificate or a fingerprint.
    case malformed(path: String)
    /// The certificates and keys of the identity do not belong together.
    case inconsistentIdentity(TLSError)
    /// The fingerprint in this file differs from the fingerprint of the certificate.
    case fingerprintMismatch(path: String)

    package var isStorageFull: Bool {
        if case .inputOutput(_, let code) = self { FileSystemError.isFullDiskCode(code) } else { false }
    }

    package var description: String {
        switch self {
        case .inputOutput(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .malformed(let path): "\(path) does not contain the certificate, key or fingerprint that its name promises"
        case .inconsistentIdentity(let error):
            "the certificates and keys of the folder do not belong together: \(error)"
        case .fingerprintMismatch(let path): "\(path) is not the fingerprint of the certificate beside it"
        }
    }
}

extension ServerCredentials {
    /// The names of the files, as in simplexmq's server: `ca.key`, `ca.crt`, `server.key`, `server.crt`, and
    /// `fingerprint` with the fingerprint as base64url.
    private enum File: String, CaseIterable {
        case authorityKey = "ca.key"
        case authorityCertificate = "ca.crt"
        case leafKey = "server.key"
        case leafCertificate = "server.crt"
        case fingerprint
    }

    /// Loads the identity in `directory`. If the folder has no file of an identity, makes and stores a new identity.
    /// The folder is created with mode 0700, files with mode 0600.
    ///
    /// If only a part of the files exists, this function throws. With a new identity, the server would silently become
    /// another server for its clients. If a killed process has left a complete new identity, this identity is moved to
    /// its place. An incomplete new identity is removed.
    package static func loadOrCreateIdentity(
        directory: String,
        algorithm: SignatureAlgorithm = .ed448,
        commonName: String = "127.0.0.1"
    ) throws(CredentialsFileError) -> ServerCredentials {
        try finishSave(directory)
        let present = File.allCases.contains { DiskFiles.exists(makePath($0, directory)) }
        if present { return try loadIdentity(directory: directory) }
        let made: (credentials: ServerCredentials, authorityKey: SignaturePrivateKey)
        do { made = try generateCredentials(algorithm: algorithm, commonName: commonName) } catch {
            throw .inconsistentIdentity(error)
        }
        try made.credentials.saveIdentity(directory: directory, authorityKey: made.authorityKey)
        return made.credentials
    }

    package static func loadIdentity(directory: String) throws(CredentialsFileError) -> ServerCredentials {
        let authority = try readPEM(.authorityCertificate, .certificate, directory)
        let leaf = try readPEM(.leafCertificate, .certificate, directory)
        let leafKey = try readKey(.leafKey, directory)
        do {
            return try ServerCredentials(leaf: leaf, authority: authority, leafKey: leafKey)
        } catch {
            throw .inconsistentIdentity(error)
        }
    }

    /// Returns the faults of the identity in a folder, and changes nothing. Also examines the two files that only the
    /// operator needs: the authority's key and the fingerprint.
    /// - Returns: empty when there are no faults, or no identity yet.
    package static func findFaults(directory: String) -> [CredentialsFileError] {
        // An unfinished identity (`made`) is no fault, because the next start completes it.
        guard !DiskFiles.exists(directory + "/made"),
            File.allCases.contains(where: { DiskFiles.exists(makePath($0, directory)) })
        else { return [] }
        var (faults, identity) = ([CredentialsFileError](), ServerCredentials?.none)
        do throws(CredentialsFileError) { identity = try loadIdentity(directory: directory) } catch {
            faults.append(error)
        }
        do throws(CredentialsFileError) {
            if DiskFiles.isReadable(makePath(.authorityKey, directory)) { _ = try readKey(.authorityKey, directory) }
        } catch { faults.append(error) }
        let place = makePath(.fingerprint, directory)
        if let identity, DiskFiles.isReadable(place) {
            let text =
                (try? DiskFiles.readFile(place, limit: 1024)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
                ?? ""
            let fingerprint = text.split(whereSeparator: \.isWhitespace).first.flatMap { try? Base64URL.decode($0) }
            if fingerprint != identity.fingerprint { faults.append(.fingerprintMismatch(path: place)) }
        }
        return faults
    }

    /// Writes all files of this identity. If the process is killed during this function, either all files or no files
    /// are written. The files are first written into the folder `new`. When all of them are on the disk, this folder is
    /// renamed to `made`, and then the files are moved.
    package func saveIdentity(directory: String, authorityKey: SignaturePrivateKey) throws(CredentialsFileError) {
        let new = directory + "/new"
        let contents: [(File, [UInt8])] = [
            (.authorityKey, PEM.encode(authorityKey.pkcs8, .privateKey)),
            (.leafKey, PEM.encode(leafKey.pkcs8, .privateKey)),
            (.leafCertificate, PEM.encode(certificates[0], .certificate)),
            (.fingerprint, Array((Base64URL.encode(fingerprint) + "\n").utf8)),
            (.authorityCertificate, PEM.encode(certificates[1], .certificate)),
        ]
        do throws(FileSystemError) {
            try DiskFiles.makeFolder(directory)
            Self.removeDraft(directory)
            try DiskFiles.makeNewFolder(new)
            for (file, bytes) in contents { try DiskFiles.createFile(Self.makePath(file, new), bytes) }
            try DiskFiles.syncEntry(new)
            try DiskFiles.rename(new, to: directory + "/made")
        } catch {
            throw CredentialsFileError(error)
        }
        try Self.finishSave(directory)
    }

    private static func finishSave(_ directory: String) throws(CredentialsFileError) {
        let made = directory + "/made"
        removeDraft(directory)
        guard DiskFiles.exists(made) else { return }
        do throws(FileSystemError) {
            for file in File.allCases where DiskFiles.exists(makePath(file, made)) {
                try DiskFiles.rename(makePath(file, made), to: makePath(file, directory))
            }
            try DiskFiles.syncEntry(directory)
        } catch {
            throw CredentialsFileError(error)
        }
        DiskFiles.removeEmptyFolder(made)
    }

    private static func removeDraft(_ directory: String) {
        for file in File.allCases { DiskFiles.removeFile(makePath(file, directory + "/new")) }
        DiskFiles.removeEmptyFolder(directory + "/new")
    }

    private static func makePath(_ file: File, _ directory: String) -> String { "\(directory)/\(file.rawValue)" }

    private static func readKey(_ file: File, _ directory: String) throws(CredentialsFileError) -> SignaturePrivateKey {
        let bytes = try readPEM(file, .privateKey, directory)
        guard let key = try? SignaturePrivateKey(pkcs8: bytes) else {
            throw .malformed(path: makePath(file, directory))
        }
        return key
    }

    private static func readPEM(
        _ file: File,
        _ label: PEM.Label,
        _ directory: String
    ) throws(CredentialsFileError) -> [UInt8] {
        let path = makePath(file, directory)
        let content: [UInt8]?
        // A file of an identity has a few hundred bytes, so a much larger file is refused.
        do throws(FileSystemError) { content = try DiskFiles.readFile(path, limit: 65536) } catch {
            throw error.errnoCode == EFBIG ? .malformed(path: path) : CredentialsFileError(error)
        }
        guard let content else { throw .inputOutput(path: path, code: ENOENT) }
        guard let der = PEM.decode(content, label) else { throw .malformed(path: path) }
        return der
    }
}

extension CredentialsFileError {
    fileprivate init(_ error: FileSystemError) { self = .inputOutput(path: error.path, code: error.errnoCode) }
}
