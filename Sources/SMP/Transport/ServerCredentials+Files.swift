import Glibc
public import SimpleXCrypto

/// Why the files of a server's identity could not be used.
public enum CredentialsFileError: Error, Hashable, Sendable {
    /// `errno` of the operation on the file at this path.
    case inputOutput(path: String, code: Int32)
    /// The file does not hold what its name says.
    case malformed(path: String)
    /// The files do not belong together.
    case inconsistent(TLSError)
}

extension ServerCredentials {
    /// Files as the original's server names them: `ca.key`, `ca.crt`, `server.key`, `server.crt`, and the fingerprint as base64url in `fingerprint`.
    private enum File: String, CaseIterable {
        case authorityKey = "ca.key"
        case authority = "ca.crt"
        case leafKey = "server.key"
        case leaf = "server.crt"
        case fingerprint
    }

    /// The identity kept in `directory`; a new one is made and kept when there is none at all. The folder is created with mode 0700, files with 0600.
    ///
    /// A part that is missing is an error: another identity would silently be another server. What a process that was killed left of a new
    /// one is finished, or removed when it was not complete.
    public static func loadOrCreate(
        directory: String, algorithm: SignatureAlgorithm = .ed448, commonName: String = "127.0.0.1"
    ) throws(CredentialsFileError) -> ServerCredentials {
        try finishSave(directory)
        let present = File.allCases.contains { access(path($0, directory), F_OK) == 0 }
        if present { return try load(directory: directory) }
        let made: (credentials: ServerCredentials, authorityKey: SignaturePrivateKey)
        do { made = try generate(algorithm: algorithm, commonName: commonName) } catch { throw .inconsistent(error) }
        try made.credentials.save(directory: directory, authorityKey: made.authorityKey)
        return made.credentials
    }

    public static func load(directory: String) throws(CredentialsFileError) -> ServerCredentials {
        let authority = try read(.authority, .certificate, directory)
        let leaf = try read(.leaf, .certificate, directory)
        let keyBytes = try read(.leafKey, .privateKey, directory)
        guard let leafKey = try? SignaturePrivateKey(pkcs8: keyBytes) else { throw .malformed(path: path(.leafKey, directory)) }
        do {
            return try ServerCredentials(leaf: leaf, authority: authority, leafKey: leafKey)
        } catch {
            throw .inconsistent(error)
        }
    }

    /// Writes all files, or none when the process is killed meanwhile: they are made in the folder `new`, which is called `made` when all of
    /// them are on the disk, and then moved.
    public func save(directory: String, authorityKey: SignaturePrivateKey) throws(CredentialsFileError) {
        let new = directory + "/new"
        for folder in [directory, new] {
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .inputOutput(path: folder, code: errno) }
        }
        let contents: [(File, [UInt8])] = [
            (.authorityKey, PEM.encode(authorityKey.pkcs8, .privateKey)),
            (.leafKey, PEM.encode(leafKey.pkcs8, .privateKey)),
            (.leaf, PEM.encode(certificates[0], .certificate)),
            (.fingerprint, Array((Base64URL.encode(fingerprint) + "\n").utf8)),
            (.authority, PEM.encode(certificates[1], .certificate)),
        ]
        for (file, bytes) in contents { try Self.write(bytes, to: Self.path(file, new)) }
        try Self.sync(new)
        try Self.move(new, to: directory + "/made")
        try Self.finishSave(directory)
    }

    private static func finishSave(_ directory: String) throws(CredentialsFileError) {
        let (new, made) = (directory + "/new", directory + "/made")
        if access(new, F_OK) == 0 {
            for file in File.allCases { unlink(path(file, new)) }
            rmdir(new)
        }
        guard access(made, F_OK) == 0 else { return }
        for file in File.allCases where access(path(file, made), F_OK) == 0 { try move(path(file, made), to: path(file, directory)) }
        try sync(directory)
        rmdir(made)
    }

    private static func move(_ source: String, to target: String) throws(CredentialsFileError) {
        guard rename(source, target) == 0 else { throw .inputOutput(path: source, code: errno) }
    }

    private static func sync(_ folder: String) throws(CredentialsFileError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inputOutput(path: folder, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .inputOutput(path: folder, code: errno) }
    }

    private static func path(_ file: File, _ directory: String) -> String { "\(directory)/\(file.rawValue)" }

    private static func read(_ file: File, _ label: PEM.Label, _ directory: String) throws(CredentialsFileError) -> [UInt8] {
        let path = path(file, directory)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .inputOutput(path: path, code: errno) }
        defer { close(descriptor) }
        // Such a file has some hundred bytes; what does not fit here is not one.
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count >= 0 else { throw .inputOutput(path: path, code: errno) }
        guard let der = PEM.decode(Array(buffer.prefix(count)), label) else { throw .malformed(path: path) }
        return der
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(CredentialsFileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .inputOutput(path: path, code: errno) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw .inputOutput(path: path, code: errno)
        }
    }
}
