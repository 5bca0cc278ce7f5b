internal import ChatStore
internal import JSON
internal import SimpleXCrypto

/// A request with an idempotency key whose answer is kept encrypted, in a box.
///
/// The answer may contain a secret, such as an API key, of which the disk may have only a hash. The box opens with the
/// request's API key and idempotency key, which only the client knows. The fingerprint of the request is in the box
/// too, since somebody who could read the fingerprint might guess a passphrase in the request.
struct SealedAnswerRequest: Sendable {
    /// The id of the request: a hash of the API key's id and the idempotency key. For the answer of a long operation,
    /// the id is a hash of the operation's id.
    let keyHash: [UInt8]
    let fingerprint: [UInt8]
    private let boxKey: SymmetricKey

    /// - Parameter apiKey: the API key with which the request was sent.
    init?(key: [UInt8], fingerprint: [UInt8], idempotencyKey: String, apiKey: SecretBytes) {
        let ikm = SecretBytes.concatenating(apiKey, SecretBytes(Array("\n\(idempotencyKey)".utf8)))
        let derived = HKDF.sha512(salt: [], ikm: ikm, info: Array("simplex-gateway answer".utf8), count: 32)
        guard let secret = try? SymmetricKey(derived) else { return nil }
        self.init(key: key, fingerprint: fingerprint, secret: secret)
    }

    private init(key: [UInt8], fingerprint: [UInt8], secret: SymmetricKey) {
        (self.keyHash, self.fingerprint, self.boxKey) = (key, fingerprint, secret)
    }

    /// Returns this request with a fingerprint that also covers the body, for a body that is read while it arrives.
    /// - Parameter digest: the digest of the body.
    func withBodyDigest(body digest: [UInt8]) -> SealedAnswerRequest {
        SealedAnswerRequest(key: keyHash, fingerprint: Digest.sha256(fingerprint + digest), secret: boxKey)
    }

    func sealAnswer(_ answer: [UInt8]) throws(CryptoError) -> [UInt8] {
        let nonce = RandomBytes.make(count: 24)
        return nonce
            + (try SecretBox.sealTailTag(
                fingerprint + answer,
                key: boxKey,
                nonce: try BoxNonce(rawRepresentation: nonce)
            ))
    }

    /// Encrypts an answer in a box.
    /// - Throws: `internalError` when the answer has another form than JSON.
    func sealAnswer(_ answer: HTTPResponse) throws(ProblemDetails) -> [UInt8] {
        guard let encoded = StoredAnswer.encode(answer), let box = try? sealAnswer(encoded) else {
            throw ProblemDetails(.internalError, "The answer cannot be kept.")
        }
        return box
    }

    /// Makes the row of the chat database in which the encrypted answer is kept.
    func makeRow(with answer: HTTPResponse) throws(ProblemDetails) -> AnsweredRequest {
        AnsweredRequest(key: keyHash, fingerprint: fingerprint, answer: try sealAnswer(answer))
    }

    /// Opens the box with a kept answer.
    /// - Throws: `conflict` when the secret of this request does not open the box; `idempotencyKeyReused` when the box
    ///   is of a different request.
    func openBox(_ box: [UInt8]) throws(ProblemDetails) -> [UInt8] {
        guard let nonce = try? BoxNonce(rawRepresentation: Array(box.prefix(24))),
            let plain = try? SecretBox.openTailTag(box.dropFirst(24), key: boxKey, nonce: nonce),
            plain.count >= fingerprint.count
        else {
            throw ProblemDetails(
                .conflict,
                "The request was carried out. Its answer was not kept, or needs the secret with which it was sent."
            )
        }
        guard constantTimeEquals(Array(plain.prefix(fingerprint.count)), fingerprint) else {
            throw ProblemDetails(.idempotencyKeyReused)
        }
        return Array(plain.dropFirst(fingerprint.count))
    }

    /// Opens a box, and makes the answer to a repeated request from the contents of the box.
    func openAnswer(in box: [UInt8]) throws(ProblemDetails) -> HTTPResponse {
        guard var response = StoredAnswer.decode(try openBox(box)) else {
            throw ProblemDetails(.internalError, "The answer that was kept cannot be read.")
        }
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }
}

extension KeyFile.SealedAnswer {
    init(_ request: SealedAnswerRequest, _ answer: HTTPResponse, at now: Int64) throws(KeyFileError) {
        do throws(ProblemDetails) { box = try request.sealAnswer(answer) } catch { throw .answerNotKept }
        self.requestHash = request.keyHash
        keptUntilSeconds = now + RequestClaim.lifetimeSeconds
    }
}

/// The place where the answer to a request is kept for repetitions, if the request runs no command of the core.
enum AnswerPlace: Sendable {
    /// The answer is kept in memory for this number of seconds. This place is for effects that end with the process.
    case memory(seconds: Int64)
    /// The answer is kept in memory for this number of seconds, if the limit of kept answers is not reached. This place
    /// is for effects that do no harm if they are repeated.
    case memoryIfRoom(seconds: Int64)
    /// The answer is kept in a folder beside the stores. It is written after the effect.
    case storeFolder(StoreRequestAnswers)
    /// The answer is kept in the file of the API keys. The code that makes the effect also writes the answer, in one
    /// write of the file.
    case keyFile(KeyFile)
    /// The answer is kept in the chat database. The code that makes the effect also writes the answer, in one
    /// transaction with the effect.
    case database

    /// The answer is kept in memory for a day.
    static let memory = AnswerPlace.memory(seconds: RequestClaim.lifetimeSeconds)
}
