package import SimpleXCrypto

/// A command, the id of its entity (such as a queue), and the key that authorizes the command.
package struct SMPRequest: Sendable {
    /// The id of the entity; empty for commands without an entity.
    package var entityID: [UInt8]
    package var key: AuthorizationPrivateKey?
    package var command: ClientCommand
    /// The correlation id: 24 bytes; nil for a random id. If the command creates a queue with link data, the sender id
    /// of the queue is derived from the correlation id.
    package var corrID: [UInt8]?

    package init(
        _ command: ClientCommand,
        entityID: [UInt8] = [],
        key: AuthorizationPrivateKey? = nil,
        corrID: [UInt8]? = nil
    ) {
        self.command = command
        self.entityID = entityID
        self.key = key
        self.corrID = corrID
    }
}

/// A request that is encoded and authorized for one session.
struct PreparedRequest: Sendable {
    let corrID: [UInt8]
    let entityID: [UInt8]
    let transmission: [UInt8]
    /// Whether the relay may answer with a message from the queue. The answer is then also reported as an event.
    let deliversMessages: Bool

    init(
        _ request: SMPRequest,
        session: SessionParameters,
        serverKey: X25519.PublicKey?,
        service: ServiceSession? = nil,
        secrets: SessionSecrets? = nil
    ) throws(SMPClientError) {
        corrID = request.corrID ?? RandomBytes.make(count: BoxNonce.size)
        entityID = request.entityID
        switch request.command {
        case .sub, .ack: deliversMessages = true
        default: deliversMessages = false
        }
        guard
            let content = try? TransmissionContent(
                request.command,
                corrID: corrID,
                entityID: entityID,
                session: session
            )
        else { throw .transport(.largeMsg) }
        guard let key = request.key else {
            transmission = content.encodeTransmission()
            return
        }
        let signing = request.command.isServiceAuthorized && session.hasServiceSignatures ? service : nil
        do {
            transmission = content.encodeTransmission(
                authorization: try content.makeAuthorization(
                    by: key,
                    corrID: corrID,
                    serverKey: serverKey,
                    certificateHash: signing?.certificateHash ?? [],
                    secrets: secrets
                ),
                serviceSignature: try signing?.key.sign(content.authorizedBytes)
            )
        } catch {
            throw .smp(.crypto)
        }
    }
}
