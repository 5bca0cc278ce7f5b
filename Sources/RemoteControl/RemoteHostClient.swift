package import ChatAPI
internal import ChatProtocol
internal import Concurrency
internal import Files
internal import Glibc
package import JSON
package import NIOCore
import Synchronization
package import XRCP

/// The client that sends commands and files to a connected host, which is a device that this device controls.
package final class RemoteHostClient: Sendable {
    /// The properties of the host's app.
    package struct HostTraits: Sendable {
        /// Whether message bodies to and from the host are compressed as zstd frames.
        package let compressesBodies: Bool
        /// Whether the host encrypts stored files.
        package let encryptsFiles: Bool
        /// Whether the host writes sum types in JSON as the iOS app does (``SwiftJSON``).
        package let usesSwiftJSON: Bool

        package init(compresses: Bool, encryptsFiles: Bool, isSwift: Bool) {
            self.compressesBodies = compresses
            self.encryptsFiles = encryptsFiles
            self.usesSwiftJSON = isSwift
        }
    }

    /// The maximum times to wait for the host.
    package struct Timeouts: Sendable {
        /// The maximum time to wait for the answer to a command, or for a file.
        let answerTimeout: TimeAmount
        /// The maximum time to wait for the answer to a request for events. The request lets the host wait up to ten
        /// seconds for an event. A slower host is considered lost.
        let eventsTimeout: TimeAmount
        /// The maximum time for each part of a body or a file, in either direction.
        let bodyPartTimeout: TimeAmount

        package init(
            answer: TimeAmount = .seconds(120),
            events: TimeAmount = .seconds(40),
            part: TimeAmount = .seconds(30)
        ) {
            (self.answerTimeout, self.eventsTimeout, self.bodyPartTimeout) = (answer, events, part)
        }
    }

    package let id: Int64
    package let connection: DeviceConnection
    package let traits: HostTraits
    /// The folder of this device in which copies of the host's files are stored.
    let folder: String
    package let files = RemoteFiles()
    private let requestOpener: DeviceConnection.RequestOpener
    private let cipher: SessionCipher
    private let timeouts: Timeouts
    private let bodyBudget = BodyBudget()
    /// Whether the connection was closed because the host was silent.
    private let wasClosedForSilence = Atomic(false)
    /// The transfers of files from the host that are in progress, by file.
    let fetches = Mutex<[RemoteFile: Task<Void, any Error>]>([:])

    /// The maximum size of an answer after decompression, in bytes. It is sufficient for some thousand chats with their
    /// pictures.
    private static let maxBodyBytes = 64 << 20

    package init(
        id: Int64,
        _ connection: DeviceConnection,
        _ requests: DeviceConnection.RequestOpener,
        _ cipher: SessionCipher,
        _ traits: HostTraits,
        folder: String,
        patience: Timeouts = Timeouts()
    ) {
        self.id = id
        self.connection = connection
        self.requestOpener = requests
        self.cipher = cipher
        self.traits = traits
        self.folder = folder
        self.timeouts = patience
    }

    /// Runs a command on the host.
    /// - Returns: the answer, and the id of the user in the answer.
    package func runCommand(_ text: String) async throws -> (answer: APIResult<ChatResponse>, userId: Int64?) {
        try await exchangeRequest(.send(command: text, attempt: CommandAttempt.earlierAttemptCount)) { json, _, _ in
            guard json["type"] == "chatResponse" else { throw unexpectedAnswerFailure(json) }
            do {
                if let result = json["chatResponse"]?["result"] {
                    files.recordFiles(result)
                    return (
                        .result(try JSONDecoder().decode(ChatResponse.self, from: result)),
                        result["user"]?["userId"]?.integerValue
                    )
                }
                if let error = json["chatResponse"]?["error"] {
                    return (.error(try JSONDecoder().decode(ChatError.self, from: error)), nil)
                }
            } catch {
                throw makeProtocolFailure(.invalidJSON(invalidJSON: "\(error)"))
            }
            throw unexpectedAnswerFailure(json)
        }
    }

    /// Requests events until the session ends, and passes them to `take`. Disconnects a host that is silent, or that
    /// sends invalid answers.
    /// - Returns: the reason for disconnecting; nil when the connection was lost or closed.
    package func pollEvents(_ take: (JSONValue) -> Void) async -> ChatFailure? {
        while true {
            do {
                let event = try await exchangeRequest(.recv(wait: 10_000_000), within: timeouts.eventsTimeout) {
                    json,
                    _,
                    _ -> JSONValue? in
                    guard json["type"] == "chatEvent" else { throw unexpectedAnswerFailure(json) }
                    if let error = json["chatEvent"]?["error"] { return ["type": "chatError", "chatError": error] }
                    return json["chatEvent"]?["result"]
                }
                if let event {
                    files.recordFiles(event)
                    take(event)
                }
            } catch {
                let failure = ChatFailure.convertSessionError(error)
                if case .errorRemoteHost(_, .timeout) = failure.error {
                    wasClosedForSilence.store(true, ordering: .relaxed)
                }
                connection.close()
                if case .errorRemoteHost(_, .protocolError(.hTTP2)) = failure.error { return nil }
                return failure
            }
        }
    }

    // MARK: Exchange

    func makeProtocolFailure(_ error: RemoteProtocolError) -> ChatFailure {
        ChatFailure(RemoteHostError.protocolError(data: error), .id(remoteHostId: id))
    }

    /// Converts any error of the session to the error that is reported to the client.
    func convertToReportedFailure(_ error: any Error) -> any Error {
        switch error {
        case ExchangeError.timeout: ChatFailure(RemoteHostError.timeout, .id(remoteHostId: id))
        case ExchangeError.http2 where wasClosedForSilence.load(ordering: .relaxed):
            ChatFailure(RemoteHostError.timeout, .id(remoteHostId: id))
        case let error as ExchangeError: makeProtocolFailure(error.apiError)
        case let error as JSONError: makeProtocolFailure(.invalidJSON(invalidJSON: "\(error)"))
        case let error as ChatProtocolError: makeProtocolFailure(.invalidBody(invalidBody: "\(error)"))
        default: error
        }
    }

    func unexpectedAnswerFailure(_ json: JSONValue) -> ChatFailure {
        if let error = json["remoteProcotolError"],
            let known = try? JSONDecoder().decode(RemoteProtocolError.self, from: error)
        {
            return makeProtocolFailure(known)
        }
        return makeProtocolFailure(.unexpectedResponse(response: String(json.text.prefix(200))))
    }

    /// Sends a request to the host, and receives its answer.
    /// - Parameters:
    ///   - file: the path and size of a file that is sent after the request.
    ///   - time: the maximum time to wait for the answer; nil for the default.
    ///   - keepsStream: whether the stream stays open for the caller, who reads the file after the answer.
    ///   - take: converts the answer. It also receives the key of a file after the answer, and the stream. It must not
    ///     block.
    func exchangeRequest<T>(
        _ request: RemoteRequest,
        file: (path: String, size: UInt32)? = nil,
        within time: TimeAmount? = nil,
        keepsStream: Bool = false,
        _ take: (JSONValue, SealingKey, ExchangeStream) throws -> T
    ) async throws -> T {
        do {
            let text = try request.encodeJSON()
            var body = text
            if traits.compressesBodies {
                guard let frame = ZstdFrame.compress(text) else { throw XRCPError.encrypt }
                body = frame
            }
            var stream = try await requestOpener.openRequest()
            stream.peerTimeout = timeouts.bodyPartTimeout
            return try await withTaskCancellationHandler { [stream] in
                do {
                    if let file {
                        try await stream.writeBodyWithFile(body: body, cipher, fileSize: file.size) { offset, count in
                            try await runBlocking {
                                try OpenFile(file.path, O_RDONLY | O_NOFOLLOW).read(count, at: offset)
                            }
                        }
                    } else {
                        try await stream.writeBody(body, cipher)
                    }
                    let taken = try await stream.readDecodedBody(
                        cipher,
                        within: time ?? timeouts.answerTimeout,
                        bodyBudget
                    ) {
                        content,
                        key in
                        let answer =
                            traits.compressesBodies
                            ? try ZstdFrame.decompress(content, limit: Self.maxBodyBytes) : content
                        let json = try JSONValue(
                            parsing: answer,
                            limits: JSONLimits(size: Self.maxBodyBytes, depth: 256, allowsNUL: true)
                        )
                        return try take(traits.usesSwiftJSON ? SwiftJSON.convertToTagged(json) : json, key, stream)
                    }
                    // The stream may end later than its body, so another task waits for the end.
                    if !keepsStream { Task { await stream.dropRemainingBytes() } }
                    return taken
                } catch {
                    stream.close()
                    throw error
                }
            } onCancel: { [stream] in
                stream.close()
            }
        } catch {
            throw convertToReportedFailure(error)
        }
    }
}
