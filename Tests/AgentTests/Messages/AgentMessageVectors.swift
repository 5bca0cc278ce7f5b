import SMP
import SimpleXCrypto
import TestSupport

@testable import Agent

/// Conversion of the messages of `agent-messages` to the types of the agent.
extension Vector {
    func aMessage() throws -> AMessage {
        let params = try object("params")
        switch try text("name") {
        case "HELLO": return .hello
        case "A_MSG": return .message(try params.bytes("body"))
        case "A_RCVD":
            return .receipts(
                try params.list("receipts").map {
                    AMessageReceipt(
                        sndMsgId: Int64(try $0.int("agentMsgId")),
                        msgHash: try $0.bytes("msgHash"),
                        info: try $0.bytes("info")
                    )
                }
            )
        case "A_QCONT": return .queueContinue(try params.object("address").queueAddress())
        case "QADD":
            return .queueAdd(
                try params.list("queues").map {
                    AMessage.AddedQueue(
                        queue: try $0.object("queue").queueURI(),
                        replaces: $0.has("replaces") ? try $0.object("replaces").queueAddress() : nil
                    )
                }
            )
        case "QKEY":
            return .queueKey(
                try params.list("keys").map {
                    AMessage.QueueKey(
                        queue: try $0.queueInfo(),
                        senderKey: try AuthorizationKey(spki: $0.bytes("senderKey"))
                    )
                }
            )
        case "QUSE":
            return .queueUse(
                try params.list("queues").map {
                    AMessage.UsedQueue(
                        address: try $0.object("address").queueAddress(),
                        isPrimary: try $0.bool("primary")
                    )
                }
            )
        case "QTEST": return .queueTest(try params.list("addresses").map { try $0.queueAddress() })
        case "EREADY": return .ratchetReady(lastDecryptedMsgId: Int64(try params.int("lastDecryptedMsgId")))
        default: throw Failure.field("name")
        }
    }

    func agentMessage() throws -> AgentMessage {
        let params = try object("params")
        switch try text("name") {
        case "AgentConnInfo": return .connInfo(try params.bytes("connInfo"))
        case "AgentConnInfoReply":
            return .connInfoReply(
                queues: try params.list("queues").map { try $0.queueInfo() },
                connInfo: try params.bytes("connInfo")
            )
        case "AgentRatchetInfo": return .ratchetInfo(try params.bytes("info"))
        default: return .message(try params.messageHeader(), try params.object("message").aMessage())
        }
    }

    func messageHeader() throws -> AgentMessageHeader {
        AgentMessageHeader(sndMsgId: Int64(try int("sndMsgId")), prevMsgHash: try bytes("prevMsgHash"))
    }

    func agentEnvelope() throws -> AgentEnvelope {
        let params = try object("params")
        let version = UInt16(try params.int("agentVersion"))
        let name = try text("name")
        if name.hasPrefix("AgentConfirmation") {
            return .confirmation(
                agentVersion: version,
                e2e: params.has("e2e") ? try params.object("e2e").e2eParams() : nil,
                encryptedConnInfo: try params.bytes("encConnInfo")
            )
        }
        switch name {
        case "AgentMsgEnvelope": return .message(agentVersion: version, encrypted: try params.bytes("encAgentMessage"))
        case "AgentInvitation":
            return .invitation(
                agentVersion: version,
                request: try ConnectionRequest(parsing: params.text("connReq")),
                connInfo: try params.bytes("connInfo")
            )
        case "AgentRatchetKey":
            return .ratchetKey(
                agentVersion: version,
                e2e: try params.object("e2e").e2eParams(),
                info: try params.bytes("info")
            )
        default: throw Failure.field("name")
        }
    }
}
