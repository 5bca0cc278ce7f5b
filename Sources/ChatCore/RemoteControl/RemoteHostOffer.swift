internal import ChatAPI
internal import ChatStore
internal import JSON
internal import NIOCore
internal import RemoteControl
internal import SMP
internal import SimpleXCrypto
internal import Transport
internal import XRCP

/// A session that is offered to a host.
struct RemoteHostOffer: Sendable {
    let pairing: HostPairing
    let listener: ControllerListener
    let sessionKey: Ed25519.PrivateKey
    let dhKey: X25519.PrivateKey
    /// The record of a known host; nil for a new host.
    let record: RemoteHostRecord?
    let address: RCCtrlAddress?
    let port: Int?

    /// Makes the link by which the host connects to this device.
    /// - Parameter host: the network address of this device.
    func makeLink(to host: TransportHost, deviceName: String) throws -> String {
        let app: JSONValue = [
            "appVersionRange": [
                "minVersion": .string(AppVersion.supportedRange.minVersion),
                "maxVersion": .string(AppVersion.supportedRange.maxVersion),
            ],
            "compression": true, "deviceName": .string(deviceName),
        ]
        return try Invitation(
            authorityFingerprint: pairing.authority.fingerprint,
            host: host,
            port: listener.port,
            versions: ProtocolVersionRange(XRCPVersion.current),
            app: app,
            time: Timestamp.now.nanoseconds / 1_000_000_000,
            sessionKey: sessionKey.publicKey,
            identityKey: pairing.identityKey.publicKey,
            dhKey: dhKey.publicKey
        ).makeSignedLink(session: sessionKey, identity: pairing.identityKey)
    }

    /// Announces the session in the local network to a known host.
    func announceLink(
        _ link: String,
        to hostKey: X25519.PublicKey,
        from address: String,
        group: any EventLoopGroup
    ) async {
        try? await Multicast.sendAnnouncements(from: address, group: group) {
            try Announcement(link, key: dhKey, host: hostKey).encodeDatagram()
        }
    }

    /// Answers the hello message of the host. The host sends this message after its user has compared the codes.
    func answerHello(on connection: DeviceConnection, within timeout: TimeAmount) async throws -> ControllerHandshake {
        let block = try await connection.receiveBlock(within: timeout)
        do {
            let handshake = try ControllerHandshake(
                block,
                key: dhKey,
                authority: connection.peerAuthority,
                session: sessionKey,
                identity: pairing.identityKey
            )
            try await connection.sendBlock(handshake.answerBlock)
            return handshake
        } catch {
            if let refusal = ControllerHandshake.makeRefusal(of: block, key: dhKey, "\(error)") {
                try? await connection.sendBlock(refusal)
            }
            throw error
        }
    }

    /// Stores the pairing, and returns the host's record.
    func storePairing(
        _ handshake: ControllerHandshake,
        with authority: [UInt8],
        _ app: HostApp,
        _ code: String,
        _ tx: Transaction
    ) throws -> RemoteHostRecord {
        if let known = record {
            return try RemoteHostRecord.updatePairing(
                known.id,
                key: handshake.hostKey,
                name: app.deviceName,
                address,
                port,
                tx
            )
        }
        let record = try RemoteHostRecord.insert(
            pairing,
            fingerprint: authority,
            key: handshake.hostKey,
            name: app.deviceName,
            address,
            port,
            tx
        )
        try tx.emit(.newRemoteHost(remoteHost: record.apiInfo(.confirmed(sessionCode: code))), user: nil)
        return record
    }
}
