internal import ChatAPI
internal import ChatProtocol
internal import JSON

/// A request to an address or to a group link, as its sender has sent it.
struct ReceivedRequest: Sendable {
    let peerVersions: ChatVersionRange
    let request: ContactRequestInfo
    /// The sender's profile; nil when it cannot be read.
    let profile: Profile?
    /// The message that the sender has added to the request, with the id of the message.
    let message: (SharedMessageID, MarkedContent)?

    /// Parses a request; nil for any other message. The oldest programs send only a profile instead of a request.
    init?(_ info: [UInt8]) {
        guard case .success(.message(let message)) = MessageBody.parseFirst(of: info) else { return nil }
        switch message.event {
        case .contact(let request): self.request = request
        case .info(let profile): request = ContactRequestInfo(profile: profile)
        default: return nil
        }
        peerVersions = message.versions
        profile = try? JSONDecoder().decode(Profile.self, from: request.profile)
        self.message = request.content.flatMap { id, json in (try? MarkedContent(json)).map { (id, $0) } }
    }
}
