package import Agent
internal import JSON
internal import SimpleXCrypto

extension ConnectionRequest {
    /// Whether a full link leads to a group, according to the data that the chat protocol adds to the link.
    package var leadsToGroup: Bool { groupLinkID != nil }

    /// The id of the group link in the data of the chat protocol; nil for other links.
    package var groupLinkID: String? {
        guard !isInvitation, let clientData, let json = try? JSONValue(parsing: clientData),
            let id = json["groupLinkId"]?.stringValue,
            (try? Base64URL.decode(id)) != nil
        else { return nil }
        return id
    }
}
