import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport

extension JSONValue {
    func authKey(_ key: String) throws -> AuthorizationKey { try AuthorizationKey(spki: bytes(key)) }
    func dhKey(_ key: String) throws -> X25519.PublicKey { try X25519.PublicKey(spki: bytes(key)) }

    fileprivate var linkData: QueueLinkData {
        get throws { QueueLinkData(encFixedData: try bytes("encFixedData"), encUserData: try bytes("encUserData")) }
    }

    fileprivate var queueRequest: NewQueueRequest {
        get throws {
            var data: QueueRequestData?
            if let request = valueIfPresent("queueReqData") {
                let link = request.valueIfPresent("link")
                data =
                    try request.text("mode") == "M"
                    ? .messaging(link.map { .init(senderID: try $0.bytes("senderId"), data: try $0.linkData) })
                    : .contact(
                        link.map {
                            .init(
                                linkID: try $0.bytes("linkId"),
                                senderID: try $0.bytes("senderId"),
                                data: try $0.linkData
                            )
                        }
                    )
            }
            let notifier = valueIfPresent("ntfCreds")
            return NewQueueRequest(
                authKey: try authKey("authKey"),
                dhKey: try dhKey("dhKey"),
                password: self["basicAuth"]?.stringValue,
                subscription: self["subscribe"]?.boolValue == true ? .subscribe : .onlyCreate,
                data: data,
                notifier: try notifier.map {
                    NewNotifierCredentials(authKey: try $0.authKey("authKey"), dhKey: try $0.dhKey("dhKey"))
                }
            )
        }
    }
}

extension ClientCommand {
    /// The command of a vector.
    init(name: String, _ params: JSONValue) throws {
        switch name {
        case "NEW": self = .new(try params.queueRequest)
        case "SUB": self = .sub
        case "SUBS": self = .subs(.unknown)
        case "KEY": self = .key(try params.authKey("key"))
        case "RKEY":
            self = .rkey(
                try params.list("keys").map { try AuthorizationKey(spki: try decodeHex(#require($0.stringValue))) }
            )
        case "LSET": self = .lset(linkID: try params.bytes("linkId"), try params.linkData)
        case "LDEL": self = .ldel
        case "NKEY": self = .nkey(try params.authKey("key"), dhKey: try params.dhKey("dhKey"))
        case "NDEL": self = .ndel
        case "GET": self = .get
        case "ACK": self = .ack(messageID: try params.bytes("msgId"))
        case "OFF": self = .off
        case "DEL": self = .del
        case "QUE": self = .que
        case "SKEY": self = .skey(try params.authKey("key"))
        case "SEND":
            let flags = MessageFlags(notification: try params.flag("notification"))
            self = .send(flags, body: try params.bytes("body"))
        case "PING": self = .ping
        case "NSUB": self = .nsub
        case "NSUBS": self = .nsubs(.unknown)
        case "LKEY": self = .lkey(try params.authKey("key"))
        case "LGET": self = .lget
        case "PRXY":
            self = .prxy(
                try ProtocolServer(parsing: params.text("server")),
                password: params["basicAuth"]?.stringValue
            )
        case "PFWD":
            self = .pfwd(
                version: SMPVersion(UInt16(try params.number("version"))),
                try params.dhKey("key"),
                encTransmission: try params.bytes("encTransmission")
            )
        case "RFWD": self = .rfwd(encForward: try params.bytes("encFwdTransmission"))
        default: throw SMPErrorType.cmd(.unknown)
        }
    }
}

extension BrokerMessage {
    /// The answer of a vector. An answer with certificates is parsed from its newest encoding, since the parameters of
    /// the vector do not describe certificates completely.
    init(name: String, _ params: JSONValue, newest: (hex: String, version: SMPVersion)) throws {
        switch name {
        case "IDS":
            let notifier = params.valueIfPresent("ntfCreds")
            self = .ids(
                QueueIDs(
                    rcvID: try params.bytes("rcvId"),
                    sndID: try params.bytes("sndId"),
                    dhKey: try params.dhKey("dhKey"),
                    mode: params["queueMode"]?.stringValue.map { $0 == "M" ? .messaging : .contact },
                    linkID: try params.optionalBytes("linkId"),
                    serviceID: try params.optionalBytes("serviceId"),
                    notifier: try notifier.map {
                        .init(notifierID: try $0.bytes("notifierId"), dhKey: try $0.dhKey("dhKey"))
                    }
                )
            )
        case "LNK": self = .lnk(senderID: try params.bytes("sndId"), try params.linkData)
        case "SOK": self = .sok(serviceID: try params.optionalBytes("serviceId"))
        case "SOKS": self = .soks(ServiceQueues(count: try params.number("count")))
        case "MSG": self = .msg(id: try params.bytes("msgId"), encBody: try params.bytes("encBody"))
        case "NID": self = .nid(notifierID: try params.bytes("notifierId"), dhKey: try params.dhKey("dhKey"))
        case "NMSG":
            self = .nmsg(
                nonce: try BoxNonce(rawRepresentation: params.bytes("nonce")),
                encMeta: try params.bytes("encMeta")
            )
        case "RRES": self = .rres(encForwardResponse: try params.bytes("encFwdResponse"))
        case "PRES": self = .pres(encResponse: try params.bytes("encResponse"))
        case "END": self = .end
        case "ENDS": self = .ends(ServiceQueues(count: try params.number("count")))
        case "DELD": self = .deld
        case "OK": self = .ok
        case "PONG": self = .pong
        case "ERR": self = .err(try SMPErrorType(parsing: params.text("errorStr")))
        default: self = try BrokerMessage(parsing: try decodeHex(newest.hex), version: newest.version)
        }
    }
}
