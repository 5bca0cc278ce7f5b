import SMP
import SQLCipher
import SimpleXCrypto

/// Creates receive queues on relays.
extension Agent {
    /// Creates a queue of the connection on one of the user's servers, and subscribes to it.
    /// If the relay's answer to NEW is lost, an empty queue stays on the relay, as with the original. The agent cannot
    /// find this queue again: only the lost answer contains its recipient id, and no command finds a queue by the key
    /// of its owner. A repeated NEW creates another queue, or is refused because of the same sender id.
    /// - Parameter avoided: relays that are used only if there is no other relay. The first relay of the list is the
    ///   last choice.
    func createQueue(
        for connection: ConnectionID,
        user: AgentUserID,
        mode: QueueMode,
        avoiding avoided: [ProtocolServer] = [],
        patience: Patience
    ) async throws -> RcvQueue {
        let server = try await chooseServer(of: user, avoiding: avoided)
        return try await createQueue(
            for: connection,
            user: user,
            at: server,
            mode == .messaging ? .messaging(nil) : .contact(nil),
            e2eKey: try X25519.PrivateKey(),
            patience: patience
        ).queue
    }

    /// Creates a queue of the connection at this relay, and subscribes to it.
    /// - Parameters:
    ///   - data: the mode of the queue, and the data behind its link if the queue has a link.
    ///   - corrID: the correlation id, from which the relay derives the sender id of a queue with a link.
    ///   - e2eKey: the private key whose public key is in the address of the queue.
    /// - Returns: the queue, and the id of the link of an invitation.
    /// - Throws: `AgentError.broker(_, .transport(.version))` when the relay does not support links.
    func createQueue(
        for connection: ConnectionID,
        user: AgentUserID,
        at server: ProtocolServer,
        _ data: QueueRequestData,
        corrID: [UInt8]? = nil,
        e2eKey: X25519.PrivateKey,
        patience: Patience
    ) async throws -> (queue: RcvQueue, linkID: [UInt8]?) {
        let run = try requireOnline()
        do {
            let created = try await run.clients.requireClient(user, server, for: connection).createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                data: data,
                corrID: corrID,
                patience: patience
            )
            let queue = RcvQueue(
                connection: connection,
                server: server,
                rcvID: created.credentials.rcvID,
                key: created.credentials.key,
                dhSecret: created.credentials.dhSecret,
                sndID: created.sndID,
                mode: created.mode,
                e2ePrivateKey: e2eKey,
                clientVersion: AgentVersions.supportedClientVersions.max,
                status: .new,
                serviceID: created.credentials.serviceID
            )
            // An id that is already in use is refused, because the messages of two connections would be confused.
            guard try await database.read({ db in try RcvQueue.find(server: server, rcvID: queue.rcvID, db) }) == nil
            else { throw SMPClientError.unexpected("IDS") }
            run.clients.registerNewQueue(user, queue)
            return (queue, created.ids.linkID)
        } catch let error as SMPClientError {
            throw AgentError(error, server: server)
        }
    }

    /// Stores a new queue. If this fails, the queue is deleted on the relay, since no record of it would remain.
    func storeNewQueue<T: Sendable>(
        _ queue: RcvQueue,
        user: AgentUserID,
        _ store: @escaping @Sendable (DatabaseConnection) throws -> T
    ) async throws -> T {
        do {
            let result = try await database.write(store)
            (try? requireOnline())?.notifications.startRound()
            return result
        } catch {
            deleteQueues([
                DeletedQueue(user: user, queue: queue.credentials, connection: queue.connection, server: queue.server)
            ])
            throw error
        }
    }
}

/// Ids and keys of a queue whose link is made before a relay creates the queue.
struct PlannedQueue {
    let server: ProtocolServer
    let corrID = RandomBytes.make(count: 24)
    let e2eKey: X25519.PrivateKey

    /// The sender id that the relay derives from the correlation id.
    var senderID: [UInt8] { QueueRequestData.senderID(corrID: corrID) }

    init(server: ProtocolServer) throws {
        self.server = server
        e2eKey = try X25519.PrivateKey()
    }

    /// Returns the address of this queue for a link.
    func makeURI(mode: QueueMode) -> QueueURI {
        QueueURI(
            clientVersions: AgentVersions.supportedClientVersions,
            server: server.withoutPassword,
            senderID: senderID,
            dhPublicKey: e2eKey.publicKey,
            mode: mode
        )
    }
}
