internal import Clocks
internal import SimpleXCrypto
internal import Synchronization

/// The requests with an idempotency key that are running, and the answers that are kept in memory.
final class IdempotentRequests: Sendable {
    /// The number and the bytes of kept answers.
    private struct Amount {
        var count = 0
        var bytes = 0

        static func < (left: Amount, right: Amount) -> Bool { left.count < right.count && left.bytes < right.bytes }

        mutating func addBox(_ box: [UInt8]) {
            count += 1
            bytes += box.count
        }

        mutating func removeBox(_ box: [UInt8]) {
            count -= 1
            bytes -= box.count
        }
    }

    /// The maximal amount of all kept answers together.
    private static let maxTotalAmount = Amount(count: 10_000, bytes: 16 << 20)
    /// The maximal amount for one API key, so that one key cannot use up the places of other keys.
    private static let maxOwnerAmount = Amount(count: maxTotalAmount.count / 2, bytes: maxTotalAmount.bytes / 2)

    private struct KeptAnswer {
        let box: [UInt8]
        /// The time until which the answer is kept, in microseconds of the monotonic clock.
        let keptUntilMicroseconds: Int64
        /// The id of the API key that has sent the request.
        let ownerKeyID: String
    }

    private struct State {
        var runningKeys: Set<[UInt8]> = []
        /// The kept answers, each by the `keyHash` of its request.
        var answers: [[UInt8]: KeptAnswer] = [:]
        var totalAmount = Amount()
        var ownerAmounts: [String: Amount] = [:]

        func hasRoomForAnswer(_ owner: String) -> Bool {
            totalAmount < IdempotentRequests.maxTotalAmount
                && (ownerAmounts[owner] ?? Amount()) < IdempotentRequests.maxOwnerAmount
        }

        mutating func removeExpiredAnswers() {
            let now = MonotonicClock.microseconds()
            let old = answers
            (answers, totalAmount, ownerAmounts) = ([:], Amount(), [:])
            for (key, kept) in old where kept.keptUntilMicroseconds > now { addAnswer(kept, key) }
        }

        mutating func addAnswer(_ kept: KeptAnswer, _ key: [UInt8]) {
            if let former = answers.updateValue(kept, forKey: key) {
                totalAmount.removeBox(former.box)
                ownerAmounts[former.ownerKeyID]?.removeBox(former.box)
            }
            totalAmount.addBox(kept.box)
            ownerAmounts[kept.ownerKeyID, default: Amount()].addBox(kept.box)
        }
    }

    private let state = Mutex(State())

    func beginRequest(_ key: [UInt8]) -> Bool { state.withLock { $0.runningKeys.insert(key).inserted } }
    func endRequest(_ key: [UInt8]) { state.withLock { _ = $0.runningKeys.remove(key) } }

    /// Returns the box (the encrypted answer) that is kept for a request; nil when no answer is kept.
    func findAnswerBox(of request: SealedAnswerRequest) -> [UInt8]? {
        state.withLock { state in
            guard let kept = state.answers[request.keyHash], kept.keptUntilMicroseconds > MonotonicClock.microseconds()
            else {
                return nil
            }
            return kept.box
        }
    }

    /// Whether the limits allow another kept answer.
    /// - Parameter owner: the id of the API key that has sent the request.
    func hasRoomForAnswer(_ owner: String) -> Bool {
        state.withLock { state in
            if !state.hasRoomForAnswer(owner) { state.removeExpiredAnswers() }
            return state.hasRoomForAnswer(owner)
        }
    }

    /// Keeps a box, which is an encrypted answer, for a number of seconds.
    /// - Parameter owner: the id of the API key that has sent the request.
    func keepAnswerBox(_ box: [UInt8], to request: SealedAnswerRequest, of owner: String, for seconds: Int64) {
        let until = MonotonicClock.microseconds() + seconds * 1_000_000
        state.withLock {
            $0.addAnswer(KeptAnswer(box: box, keptUntilMicroseconds: until, ownerKeyID: owner), request.keyHash)
        }
    }
}

/// The hashes by which a repeated request is recognized.
struct RequestIdentity: Sendable, Equatable {
    /// The hash under which the request is stored. It covers the API key's id and the idempotency key. For a notice
    /// without an idempotency key, it covers the time window and the notice.
    let keyHash: [UInt8]
    /// The hash of the request's contents, or of the notice. It distinguishes requests with equal idempotency keys.
    let fingerprint: [UInt8]

    static func hashText(_ text: String) -> [UInt8] { Digest.sha256(Array(text.utf8)) }
}

/// The encoding of a stored answer: status, location, body.
enum StoredAnswer {
    static func encode(_ response: HTTPResponse) -> [UInt8]? {
        guard case .bytes(let body) = response.content else { return nil }
        let location = response.headers.first { $0.name == "Location" }?.value ?? ""
        return Array("\(response.status) \(location)\n".utf8) + body
    }

    static func decode(_ stored: [UInt8]) -> HTTPResponse? {
        guard let end = stored.firstIndex(of: 10), let line = String(validating: stored[..<end], as: UTF8.self),
            let space = line.firstIndex(of: " "), let status = Int(line[..<space]), (100...599).contains(status)
        else { return nil }
        var response = HTTPResponse(status: status, json: Array(stored[(end + 1)...]))
        let location = line[line.index(after: space)...]
        if !location.isEmpty { response.headers.append(("Location", String(location))) }
        response.headers.append(("Idempotent-Replayed", "true"))
        return response
    }
}
