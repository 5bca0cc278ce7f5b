import SMP
import SimpleXCrypto
import TestSupport
import Transport

@testable import Agent

/// Conversion of values of the vector files to the types of the agent.
extension Vector {
    func versions(_ key: String) throws -> ProtocolVersionRange {
        let bounds = value[key]?.arrayValue?.compactMap(\.integerValue) ?? []
        guard bounds.count == 2, let range = ProtocolVersionRange(min: UInt16(bounds[0]), max: UInt16(bounds[1])) else {
            throw Failure.field(key)
        }
        return range
    }

    func server(_ key: String) throws -> ProtocolServer {
        let vector = try object(key)
        let hosts = try (vector.value["hosts"]?.arrayValue ?? []).map {
            try TransportHost(parsing: $0.stringValue ?? "")
        }
        guard
            let server = ProtocolServer(
                hosts: hosts,
                port: try vector.text("port"),
                keyHash: try vector.bytes("keyHash")
            )
        else {
            throw Failure.field(key)
        }
        return server
    }

    func queueMode(_ key: String) throws -> QueueMode? {
        switch optionalText(key) {
        case nil: nil
        case "messaging": .messaging
        case "contact": .contact
        default: throw Failure.field(key)
        }
    }

    func queueURI() throws -> QueueURI {
        let address = try object("address")
        return QueueURI(
            clientVersions: try versions("clientVersionRange"),
            server: try address.server("server"),
            senderID: try address.bytes("senderId"),
            dhPublicKey: try X25519.PublicKey(rawRepresentation: address.bytes("dhPublicKey")),
            mode: try address.queueMode("queueMode")
        )
    }

    func queueInfo() throws -> SMPQueueInfo {
        let address = try object("address")
        return SMPQueueInfo(
            clientVersion: UInt16(try int("clientVersion")),
            server: try address.server("server"),
            senderID: try address.bytes("senderId"),
            dhPublicKey: try X25519.PublicKey(rawRepresentation: address.bytes("dhPublicKey")),
            mode: try address.queueMode("queueMode")
        )
    }

    func queueAddress() throws -> QueueAddress {
        QueueAddress(server: try server("server"), senderID: try bytes("senderId"))
    }

    func kemParams() throws -> RatchetKEMParams? {
        guard has("kem") else { return nil }
        let kem = try object("kem")
        let key = try kem.bytes("publicKey")
        return kem.has("ciphertext")
            ? .accepted(ciphertext: try kem.bytes("ciphertext"), publicKey: key) : .proposed(publicKey: key)
    }

    func x448Key(_ key: String) throws -> X448.PublicKey { try X448.PublicKey(rawRepresentation: bytes(key)) }

    func e2eParamsURI() throws -> E2ERatchetParamsURI {
        E2ERatchetParamsURI(
            versions: try versions("versionRange"),
            key1: try x448Key("key1"),
            key2: try x448Key("key2"),
            kem: try kemParams()
        )
    }

    func e2eParams() throws -> E2ERatchetParams {
        E2ERatchetParams(
            version: E2EVersion(UInt16(try int("version"))),
            key1: try x448Key("key1"),
            key2: try x448Key("key2"),
            kem: try kemParams()
        )
    }

    func connectionRequest() throws -> ConnectionRequest {
        let data = try object("data")
        return ConnectionRequest(
            kind: try text("mode") == "invitation" ? .invitation(e2e: try object("e2e").e2eParamsURI()) : .contact,
            agentVersions: try data.versions("agentVersionRange"),
            queues: try data.list("queues").map { try $0.queueURI() },
            clientData: data.optionalText("clientData")
        )
    }
}
