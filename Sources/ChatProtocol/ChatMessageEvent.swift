package import JSON

/// The content of a chat message: `event` and `params`. An event that this core handles has a typed case.
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "Supported JSON message types and SimpleX Chat sub-protocols". The
/// members of `params` are in `simplex-chat.schema.json` in the same folder.
package enum ChatMessageEvent: Sendable, Hashable {
    case messageNew(MessageContainer)
    case messageUpdate(MessageUpdate)
    case messageDelete(MessageDeletion)
    case messageReact(MessageReaction)
    case fileDescription(messageID: SharedMessageID, description: JSONValue)
    case fileCancel(messageID: SharedMessageID)
    /// The sender's profile as received, including unknown JSON members.
    case info(profile: JSONValue)
    case contact(ContactRequestInfo)
    case directDelete
    case infoProbe(probe: String)
    case infoProbeCheck(probeHash: String)
    case infoProbeOk(probe: String)
    case ok
    case group(GroupEvent)
    case call(CallEvent)
    case relay(RelayEvent)
    /// An unknown event, or an event that is not implemented. It is stored as received.
    case other(tag: String, params: JSONObject)

    package init(tag: String, params: JSONObject) throws(ChatProtocolError) {
        let reader = ParamReader(params, in: "params")
        switch tag {
        case "x.msg.new": self = .messageNew(try MessageContainer(reader))
        case "x.file": self = .messageNew(try MessageContainer(bareFile: reader))
        case "x.msg.update": self = .messageUpdate(try MessageUpdate(reader))
        case "x.msg.del": self = .messageDelete(try MessageDeletion(reader))
        case "x.msg.react": self = .messageReact(try MessageReaction(reader))
        case "x.msg.file.descr":
            self = .fileDescription(
                messageID: try reader.readSharedID("msgId"),
                description: .object(try reader.readObject("fileDescr"))
            )
        case "x.file.cancel": self = .fileCancel(messageID: try reader.readSharedID("msgId"))
        case "x.info": self = .info(profile: try readProfile(in: reader))
        case "x.contact": self = .contact(try ContactRequestInfo(reader))
        case "x.direct.del": self = .directDelete
        case "x.info.probe": self = .infoProbe(probe: try reader.readString("probe"))
        case "x.info.probe.check": self = .infoProbeCheck(probeHash: try reader.readString("probeHash"))
        case "x.info.probe.ok": self = .infoProbeOk(probe: try reader.readString("probe"))
        case "x.ok": self = .ok
        default:
            if let event = try GroupEvent(tag: tag, reader) {
                self = .group(event)
            } else if let event = try CallEvent(tag: tag, reader) {
                self = .call(event)
            } else if let event = try RelayEvent(tag: tag, reader) {
                self = .relay(event)
            } else {
                self = .other(tag: tag, params: params)
            }
        }
    }

    package var tag: String {
        switch self {
        case .messageNew(let container): container.tag
        case .messageUpdate: "x.msg.update"
        case .messageDelete: "x.msg.del"
        case .messageReact: "x.msg.react"
        case .fileDescription: "x.msg.file.descr"
        case .fileCancel: "x.file.cancel"
        case .info: "x.info"
        case .contact: "x.contact"
        case .directDelete: "x.direct.del"
        case .infoProbe: "x.info.probe"
        case .infoProbeCheck: "x.info.probe.check"
        case .infoProbeOk: "x.info.probe.ok"
        case .ok: "x.ok"
        case .group(let event): event.tag
        case .call(let event): event.tag
        case .relay(let event): event.tag
        case .other(let tag, _): tag
        }
    }

    package var params: JSONObject {
        var params = JSONObject()
        switch self {
        case .messageNew(let container): return container.params
        case .messageUpdate(let update): return update.params
        case .messageDelete(let deletion): return deletion.params
        case .messageReact(let reaction): return reaction.params
        case .fileDescription(let messageID, let description):
            params["msgId"] = .string(messageID.text)
            params["fileDescr"] = description
        case .fileCancel(let messageID): params["msgId"] = .string(messageID.text)
        case .info(let profile): params["profile"] = profile
        case .contact(let request): return request.params
        case .infoProbe(let probe), .infoProbeOk(let probe): params["probe"] = .string(probe)
        case .infoProbeCheck(let probeHash): params["probeHash"] = .string(probeHash)
        case .directDelete, .ok: break
        case .group(let event): return event.params
        case .call(let event): return event.params
        case .relay(let event): return event.params
        case .other(_, let kept): return kept
        }
        return params
    }

    /// Whether the message is sent with a flag that lets the relay send a push notification to the recipient.
    package var hasNotification: Bool {
        ["x.msg.new", "x.contact", "x.file", "x.call.inv", "x.grp.inv", "x.grp.del", "x.grp.mem.fwd"].contains(tag)
    }

    /// Whether the recipient of the message answers with a delivery receipt, if the recipient's settings allow it.
    package var hasDeliveryReceipt: Bool {
        ["x.msg.new", "x.call.inv", "x.grp.inv"].contains(tag)
    }
}

/// The content of a request to a contact address (`x.contact`).
///
/// simplex-chat `docs/protocol/simplex-chat.md`, "x.contact - sending connection request".
package struct ContactRequestInfo: Sendable, Hashable {
    package var profile: JSONValue
    package var requestID: SharedMessageID?
    package var welcomeMessageID: SharedMessageID?
    /// The first message of the person who requests: its id and content. Content without an id is dropped, since later
    /// messages could not refer to it.
    package var content: (SharedMessageID, JSONValue)?

    package init(profile: JSONValue) { self.profile = profile }

    init(_ reader: ParamReader) throws(ChatProtocolError) {
        profile = try ChatProtocol.readProfile(in: reader)
        requestID = try reader.readOptionalSharedID("contactReqId")
        welcomeMessageID = try reader.readOptionalSharedID("welcomeMsgId")
        if let id = try reader.readOptionalSharedID("msgId"),
            let content = try reader.readOptionalTaggedObject("content")
        {
            self.content = (id, content)
        }
    }

    package var params: JSONObject {
        var params = JSONObject()
        params["profile"] = profile
        if let requestID { params["contactReqId"] = .string(requestID.text) }
        if let welcomeMessageID { params["welcomeMsgId"] = .string(welcomeMessageID.text) }
        if let content {
            params["msgId"] = .string(content.0.text)
            params["content"] = content.1
        }
        return params
    }

    package static func == (left: Self, right: Self) -> Bool { left.params == right.params }
    package func hash(into hasher: inout Hasher) { params.hash(into: &hasher) }
}
