import ChatAPI
import ChatText
import JSON
import SMP
import SimpleXCrypto

/// Parses the markup of a message's text, and returns its fragments as JSON `ParsedMarkdown`; `{}` when there is no
/// markup.
@_cdecl("chat_parse_markdown")
public func chatParseMarkdown(_ text: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    CText.copyJSON(json: ParsedMarkdown(formattedText: MarkdownParser.parse(CText.readText(text))))
}

/// Parses the address of a server, and returns its parts, or the parse error, as JSON `ParsedServerAddress`.
@_cdecl("chat_parse_server")
public func chatParseServer(_ address: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    let parsed: ParsedServerAddress
    do {
        let server = try ProtocolServer(parsing: CText.readText(address))
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
    return CText.copyJSON(json: parsed)
}

/// Returns the hash of a hidden profile's password: SHA-512 of the password and the salt, in base64url. The salt is
/// given in base64url. For an invalid salt, returns an empty text.
@_cdecl("chat_password_hash")
public func chatPasswordHash(
    _ password: UnsafePointer<CChar>?,
    _ salt: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
    guard let salt = try? Base64URL.decode(CText.readText(salt)) else { return CText.copyText("") }
    return CText.copyText(Base64URL.encode(Digest.sha512(Array(CText.readText(password).utf8) + salt)))
}

/// Returns the display name without the characters that a display name must not contain.
@_cdecl("chat_valid_name")
public func chatValidName(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? {
    CText.copyText(DisplayName.stripInvalidCharacters(CText.readText(name)))
}

/// Returns the number of bytes that a text has as a JSON string, without its quotes.
@_cdecl("chat_json_length")
public func chatJSONLength(_ text: UnsafePointer<CChar>?) -> CInt {
    CInt(clamping: JSONValue.string(CText.readText(text)).encodeText().count - 2)
}
