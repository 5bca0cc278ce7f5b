import Files
import Gateway

/// The text of a file that an option names.
private func text(_ file: String) throws -> String {
    let content: [UInt8]?
    do throws(FileSystemError) { content = try DiskFiles.read(file) } catch { throw Failure.configuration(error.description) }
    guard let content else { throw Failure.configuration("\(file): no such file") }
    guard let text = String(validating: content, as: UTF8.self) else { throw Failure.configuration("\(file): no text file") }
    return text
}

/// A password in a file, without white space at its end.
func password(_ file: String) throws -> String {
    var password = try text(file)
    while password.last?.isWhitespace == true { password.removeLast() }
    guard !password.isEmpty else { throw Failure.configuration("\(file) is empty") }
    return password
}

/// The PEM texts of a certificate chain and its key.
func tlsFiles(_ certificate: String, _ key: String) throws -> (key: String, certificate: String) {
    let texts = (key: try text(key), certificate: try text(certificate))
    for (file, text) in [(key, texts.key), (certificate, texts.certificate)] where !text.contains("-----BEGIN ") || !text.contains("-----END ") {
        throw Failure.configuration("\(file) has no certificate or key in PEM form, or only a part of it")
    }
    return texts
}
