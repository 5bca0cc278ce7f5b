import ChatAPI
import ChatText
import JSON
import SMP
import SimpleXCrypto

/// Returns the fragments of a message's text as JSON `ParsedMarkdown`; `{}` when there is no markup.
@_cdecl("chat_parse_markdown")
public func chatParseMarkdown(_ text: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    CText.copy(json: ParsedMarkdown(formattedText: MarkdownParser.parse(CText.read(text))))
}

/// Returns the parts of a server's address as JSON `ParsedServerAddress`, or the parse error.
@_cdecl("chat_parse_server")
public func chatParseServer(_ address: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    let parsed: ParsedServerAddress
    do {
        let server = try ProtocolServer(parsing: CText.read(address))
        parsed = ParsedServerAddress(
            serverAddress: ServerAddress(
                serverProtocol: ServerProtocol(rawValue: server.scheme.rawValue),
                hostnames: server.hosts.map(\.str),
                port: server.port,
                keyHash: Base64URL.encode(server.keyHash),
                basicAuth: server.password ?? ""
            ),
            parseError: ""
        )
    } catch {
        parsed = ParsedServerAddress(serverAddress: nil, parseError: "\(error)")
    }
    return CText.copy(json: parsed)
}

/// Returns the hash of a hidden profile's password in base64url: SHA-512 of the password and the salt. The salt is
/// given in base64url. For an invalid salt the result is empty.
@_cdecl("chat_password_hash")
public func chatPasswordHash(
    _ password: UnsafePointer<CChar>?,
    _ salt: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
    guard let salt = try? Base64URL.decode(CText.read(salt)) else { return CText.copy("") }
    return CText.copy(Base64URL.encode(Digest.sha512(Array(CText.read(password).utf8) + salt)))
}

/// Returns the display name without the characters that it must not contain.
@_cdecl("chat_valid_name")
public func chatValidName(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    CText.copy(DisplayName.strippingInvalid(CText.read(name)))
}

/// Returns the number of bytes of a text as a JSON string, without its quotes.
@_cdecl("chat_json_length")
public func chatJSONLength(_ text: UnsafePointer<CChar>?) -> CInt {
    CInt(clamping: JSONValue.string(CText.read(text)).encoded().count - 2)
}
