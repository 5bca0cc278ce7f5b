internal import SMP
internal import SimpleXCrypto
internal import Synchronization
internal import XFTP

/// Keeps the chunks of a file server in memory, and executes the commands of its clients.
final class ChunkStore: Sendable {
    private struct Chunk {
        var file: ChunkInfo
        var recipients: [[UInt8]: AuthorizationKey] = [:]
        var content: [UInt8]?
    }

    private struct State {
        var chunks: [[UInt8]: Chunk] = [:]
        /// The sender's id of each chunk, by the recipient's id.
        var senderIDs: [[UInt8]: [UInt8]] = [:]
        var usedBytes = 0
        var requests: [String] = []
        var fault: FileServer.Fault?

        mutating func addRecipients(_ recipients: [AuthorizationKey], to senderID: [UInt8]) -> [[UInt8]] {
            recipients.map { key in
                let id = RandomBytes.make(count: 24)
                chunks[senderID]?.recipients[id] = key
                senderIDs[id] = senderID
                return id
            }
        }

        mutating func storeContent(_ body: [UInt8], _ id: [UInt8], quota: Int) -> FileResponse {
            guard let file = chunks[id]?.file else { return .err(.auth) }
            guard body.count == Int(file.size) else { return .err(.size) }
            if chunks[id]?.content != nil { return .ok }
            guard usedBytes + body.count <= quota else { return .err(.quota) }
            guard Digest.sha256(body) == file.digest else { return .err(.digest) }
            usedBytes += body.count
            chunks[id]?.content = body
            return .ok
        }
    }

    let configuration: FileServer.Configuration
    private let state = Mutex(State())
    private static let allowedSizes: [UInt32] = [65536, 262_144, 1_048_576, 4_194_304]

    init(_ configuration: FileServer.Configuration) {
        self.configuration = configuration
        state.withLock { $0.fault = configuration.fault }
    }

    var fault: FileServer.Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    var chunkCount: Int { state.withLock { $0.chunks.count } }
    var requests: [String] { state.withLock { $0.requests } }
    func recordRequest(_ request: String) { state.withLock { $0.requests.append(request) } }

    /// Returns the key that must have signed a command; nil if the chunk does not exist.
    private func key(for command: XFTPCommand, _ entityID: [UInt8]) -> AuthorizationKey? {
        state.withLock { state in
            switch command {
            case .fnew(let file, _, _): file.senderKey
            case .fget, .fack: state.senderIDs[entityID].flatMap { state.chunks[$0]?.recipients[entityID] }
            default: state.chunks[entityID]?.file.senderKey
            }
        }
    }

    /// Executes a command. Returns its answer, and the chunk that follows the answer.
    /// - Parameter body: bytes after the block of the command.
    func execute(_ received: ReceivedTransmission, _ command: XFTPCommand, body: [UInt8]) -> (FileResponse, [UInt8]) {
        if case .ping = command { return (.pong, []) }
        guard let key = key(for: command, received.entityID), let unused = try? X25519.PrivateKey(),
            received.isAuthorized(by: key, sessionKey: unused)
        else { return (.err(.auth), []) }
        let id = received.entityID
        return state.withLock { state in
            switch command {
            case .fnew(let file, let recipients, let password):
                guard configuration.password == nil || password == configuration.password else {
                    return (.err(.auth), [])
                }
                guard Self.allowedSizes.contains(file.size) else { return (.err(.size), []) }
                let senderID = RandomBytes.make(count: 24)
                state.chunks[senderID] = Chunk(file: file)
                return (.sids(senderID: senderID, recipientIDs: state.addRecipients(recipients, to: senderID)), [])
            case .fadd(let recipients): return (.rids(recipientIDs: state.addRecipients(recipients, to: id)), [])
            case .fput: return (state.storeContent(body, id, quota: configuration.quota), [])
            case .fdel:
                state.usedBytes -= state.chunks[id]?.content?.count ?? 0
                for recipient in state.chunks[id]?.recipients.keys ?? [:].keys { state.senderIDs[recipient] = nil }
                state.chunks[id] = nil
                return (.ok, [])
            case .fget(let clientKey):
                guard let chunk = state.senderIDs[id].flatMap({ state.chunks[$0] }), let content = chunk.content else {
                    return (.err(.noFile), [])
                }
                guard let ownKey = try? X25519.PrivateKey(), let secret = try? ownKey.sharedSecret(with: clientKey)
                else {
                    return (.err(.internal), [])
                }
                let nonce = BoxNonce.random()
                return (.file(ownKey.publicKey, nonce: nonce), sealChunk(content, secret, nonce, state.fault))
            case .fack:
                if let sender = state.senderIDs.removeValue(forKey: id) { state.chunks[sender]?.recipients[id] = nil }
                return (.ok, [])
            case .ping: return (.pong, [])
            }
        }
    }

    private func sealChunk(
        _ content: [UInt8],
        _ secret: X25519.SharedSecret,
        _ nonce: BoxNonce,
        _ fault: FileServer.Fault?
    ) -> [UInt8] {
        var content = content
        if fault == .otherChunk { content[0] ^= 1 }
        var sealed = ChunkEncryption.seal(content, secret: secret, nonce: nonce)
        switch fault {
        case .damagedChunk: sealed[7] ^= 1
        case .shortChunk: sealed.removeLast(20)
        case .longChunk: sealed += [UInt8](repeating: 1, count: 100_000)
        case .noChunk: sealed = []
        default: break
        }
        return sealed
    }
}
