package import ChatAPI
package import JSON
internal import SimpleXCrypto

/// A request of a controller to a host.
package enum RemoteRequest: Sendable {
    /// Requests that the host runs the command with this text. `attempt` is the number of earlier attempts to send the
    /// command.
    case send(command: String, attempt: Int)
    /// Requests the next event, and waits for it for at most `wait` microseconds.
    case recv(wait: Int64)
    /// Requests that the host stores a file. The file follows the request, and has this SHA-512 digest.
    case storeFile(name: String, size: UInt32, digest: [UInt8])
    case getFile(RemoteFile)

    package func encodeJSON() throws -> [UInt8] { try JSONEncoder().encode(self) }
}

extension RemoteRequest: Codable {
    private enum Key: String, CodingKey { case type, command, retryNumber, wait, fileName, fileSize, fileDigest, file }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        switch try fields.decode(String.self, forKey: .type) {
        case "send":
            self = .send(
                command: try fields.decode(String.self, forKey: .command),
                attempt: try fields.decodeIfPresent(Int.self, forKey: .retryNumber) ?? 0
            )
        case "recv": self = .recv(wait: try fields.decode(Int64.self, forKey: .wait))
        case "storeFile":
            self = .storeFile(
                name: try fields.decode(String.self, forKey: .fileName),
                size: try fields.decode(UInt32.self, forKey: .fileSize),
                digest: try FileDigestText.decode(fields.decode(String.self, forKey: .fileDigest))
            )
        case "getFile": self = .getFile(try fields.decode(RemoteFile.self, forKey: .file))
        default: throw DecodingError.dataCorruptedError(forKey: .type, in: fields, debugDescription: "unknown request")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        switch self {
        case .send(let command, let attempt):
            try fields.encode("send", forKey: .type)
            try fields.encode(command, forKey: .command)
            try fields.encode(attempt, forKey: .retryNumber)
        case .recv(let wait):
            try fields.encode("recv", forKey: .type)
            try fields.encode(wait, forKey: .wait)
        case .storeFile(let name, let size, let digest):
            try fields.encode("storeFile", forKey: .type)
            try fields.encode(name, forKey: .fileName)
            try fields.encode(size, forKey: .fileSize)
            try fields.encode(Base64URL.encode(digest), forKey: .fileDigest)
        case .getFile(let file):
            try fields.encode("getFile", forKey: .type)
            try fields.encode(file, forKey: .file)
        }
    }
}

/// An answer of a host.
package enum RemoteAnswer: Sendable {
    case chatResponse(APIResult<ChatResponse>)
    /// The JSON text of an event; nil if no event arrived within the requested time.
    case chatEvent([UInt8]?)
    /// The name of the file in the host's folder.
    case fileStored(String)
    /// The size and the SHA-512 digest of the file that follows the answer.
    case file(UInt32, [UInt8])
    case protocolError(RemoteProtocolError)

    package func encodeJSON(_ encoder: JSONEncoder = JSONEncoder()) throws -> [UInt8] {
        switch self {
        case .chatResponse(.result(let response)):
            Array(#"{"type":"chatResponse","chatResponse":{"result":"#.utf8) + (try encoder.encode(response))
                + Array("}}".utf8)
        case .chatResponse(.error(let error)):
            Array(#"{"type":"chatResponse","chatResponse":{"error":"#.utf8) + (try JSONEncoder().encode(error))
                + Array("}}".utf8)
        case .chatEvent(nil): Array(#"{"type":"chatEvent"}"#.utf8)
        case .chatEvent(let event?):
            // An event that reports an error is sent as an error, because errors and events have different forms in the
            // protocol.
            if event.starts(with: #"{"type":"chatError","#.utf8),
                let error = try? JSONValue(parsing: event, limits: .forOwnText)["chatError"]
            {
                Array(#"{"type":"chatEvent","chatEvent":{"error":"#.utf8) + error.encodeText() + Array("}}".utf8)
            } else {
                Array(#"{"type":"chatEvent","chatEvent":{"result":"#.utf8) + event + Array("}}".utf8)
            }
        case .fileStored(let path):
            JSONValue(dictionaryLiteral: ("type", "fileStored"), ("filePath", .string(path))).encodeText()
        case .file(let size, let digest):
            JSONValue(
                dictionaryLiteral: ("type", "file"),
                ("fileSize", .integer(Int64(size))),
                ("fileDigest", .string(Base64URL.encode(digest)))
            ).encodeText()
        case .protocolError(let error):
            // The name of this member is misspelled, as in the original.
            JSONValue(
                dictionaryLiteral: ("type", "protocolError"),
                ("remoteProcotolError", try JSONEncoder().encodeValue(error))
            ).encodeText()
        }
    }
}

/// Conversion of SHA-512 digests of files from base64url.
enum FileDigestText {
    static func decode(_ text: String) throws -> [UInt8] { try Base64URL.decode(text) }
}
