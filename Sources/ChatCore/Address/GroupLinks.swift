internal import Agent
internal import ChatAPI
internal import JSON

/// Links of groups, channels and chat relays: they are recognized and planned, but cannot be connected to yet.
extension RunningCommand {
    /// The plan for a link of a group; nil for other links.
    func planGroup(_ link: String, user: UserRecord) async throws -> ChatResponse? {
        if let request = try? ConnectionRequest(parsing: link) {
            guard request.leadsToGroup else { return nil }
            return Self.plan(CreatedConnLink(connFullLink: request.uri), nil, nil, user)
        }
        guard let short = try? ShortLink(atServer: link), case .contact(let type) = short.kind, type != .contact else { return nil }
        let (request, data, _) = try await withAgent { try await $0.linkData(user: user.agentUserId, short, patience: .interactive) }
        var info: GroupShortLinkInfo?
        if case .contact(let contact) = data {
            info = GroupShortLinkInfo(direct: contact.isDirect, groupRelays: contact.relays.map(\.uri))
        }
        let group: GroupShortLinkData? = ShortLinkData.decode(data.bytes)
        return Self.plan(CreatedConnLink(connFullLink: request.uri, connShortLink: short.uri), info, group, user)
    }

    private static func plan(
        _ link: CreatedConnLink, _ info: GroupShortLinkInfo?, _ data: GroupShortLinkData?, _ user: UserRecord
    ) -> ChatResponse {
        .connectionPlan(
            user: user.api, connLink: link, planSimplexName: nil, otherSimplexName: nil,
            connectionPlan: .groupLink(groupLinkPlan: .ok(groupSLinkInfo_: info, groupSLinkData_: data, ownerVerification: nil)))
    }
}

extension ConnectionRequest {
    /// Whether a full link is that of a group, by the data that the chat protocol adds to the link.
    var leadsToGroup: Bool {
        guard !isInvitation, let clientData, let json = try? JSONValue(parsing: clientData) else { return false }
        return json["type"] == "group" || json["groupLinkId"] != nil
    }
}
