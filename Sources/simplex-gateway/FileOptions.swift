import Agent
import Files
import Gateway
import SMP
import Synchronization

/// The contents of pipes whose paths are values of options. They are stored, because an option is read more than once,
/// but a pipe can be read only once.
private let sharedPipeContents = PipeContents()

private final class PipeContents: Sendable {
    private let contents = Mutex<[String: [UInt8]]>([:])

    func readFile(_ file: String) throws(FileSystemError) -> [UInt8]? {
        guard DiskFiles.isPipe(file) else { return try DiskFiles.readFile(file) }
        if let content = contents.withLock({ $0[file] }) { return content }
        let content = try DiskFiles.readFile(file)
        contents.withLock { $0[file] = content }
        return content
    }
}

/// Throws an error if the file of an option is a pipe. The file is read more than once, but a pipe can be read only
/// once.
func refusePipe(_ file: String, _ option: String) throws {
    guard !DiskFiles.isPipe(file) else {
        throw Failure.configurationFailure("--\(option): \(file) is a pipe, but is read more than once: give a file")
    }
}

/// Returns the text of the file that an option names.
private func readText(_ file: String) throws -> String {
    let content: [UInt8]?
    do throws(FileSystemError) { content = try sharedPipeContents.readFile(file) } catch {
        throw Failure.configurationFailure(error.description)
    }
    guard let content else { throw Failure.configurationFailure("\(file): no such file") }
    try refuseByteOrderMark(content, file)
    guard let text = String(validating: content, as: UTF8.self), !content.contains(0) else {
        throw Failure.configurationFailure("\(file) is not a text file")
    }
    return text
}

/// Throws an error if a file begins with a byte order mark. Some editors write this invisible mark before the text, and
/// it would become part of a password.
func refuseByteOrderMark(_ content: [UInt8], _ file: String) throws {
    guard !content.starts(with: [0xEF, 0xBB, 0xBF]) else {
        throw Failure.configurationFailure("\(file) begins with a byte order mark: save it as UTF-8 without one")
    }
}

/// Returns the password in a file, without white space at its end.
func readPassword(_ file: String) throws -> String {
    var password = try readText(file)
    while password.last?.isWhitespace == true { password.removeLast() }
    guard !password.isEmpty else { throw Failure.configurationFailure("\(file) is empty") }
    return password
}

/// Returns the relay password in a file. Some characters are refused, because the password is a part of the relay's
/// address.
func readRelayPassword(_ file: String) throws -> String {
    let password = try readPassword(file)
    guard ProtocolServer.isValidPassword(password) else {
        throw Failure.configurationFailure(
            "the password in \(file) has a space, @, : or /, which the address of a relay cannot have: openssl rand -hex 16 makes a suitable one"
        )
    }
    return password
}

/// Returns the records of names in the file of the option `--relay-names` or `--names`, each as the JSON that the relay
/// answers.
func readRelayNames(_ file: String, _ option: String) throws -> [NameDomain: [UInt8]] {
    let content = Array(try readText(file).utf8)
    do throws(NameFile.Fault) { return try NameFile(parsing: content).records.mapValues(\.json) } catch {
        throw Failure.configurationFailure("--\(option): \(file): \(error)")
    }
}

/// Returns the PEM texts of a TLS certificate chain and its private key.
func readTLSFiles(_ certificate: String, _ key: String) throws -> (key: String, certificate: String) {
    let chain = try readPEM(certificate)
    return (key: try readPEM(key), certificate: chain)
}

/// Returns the text of a file. Throws an error if the text is not in PEM form.
@discardableResult func readPEM(_ file: String) throws -> String {
    let text = try readText(file)
    guard text.contains("-----BEGIN "), text.contains("-----END ") else {
        throw Failure.configurationFailure("\(file) has no certificate or key in PEM form, or only a part of it")
    }
    return text
}
