internal import ChatAPI
internal import ChatText
internal import JSON

/// Functions that find members of groups by their names, and send messages to members.
extension Console {
    func resolveMemberId(named name: String, in groupId: Int64, _ user: Engine.User) async throws -> Int64 {
        guard let id = try await engine.findMemberIds(of: [name], in: groupId, user)[name] else {
            throw ChatFailure(StoreError.groupMemberNameNotFound(groupId: groupId, groupMemberName: name))
        }
        return id
    }

    /// Finds the members whom the text of a group message mentions. Returns their ids, by the names in the text. Names
    /// of unknown members are left out.
    func resolveMentions(in text: String, _ chat: ChatRef, _ user: Engine.User) async throws -> [String: Int64] {
        guard chat.chatType == .group else { return [:] }
        let names = MarkdownParser.parse(text)?.mentionedNames ?? []
        guard !names.isEmpty else { return [:] }
        return try await engine.findMemberIds(of: names, in: chat.chatId, user)
    }

    /// Sends a message to the contact of a member. If the member is not a contact yet, creates the contact, and sends
    /// the message with an invitation.
    func send(
        _ text: String,
        toMember memberId: Int64,
        in groupId: Int64,
        _ user: Engine.User
    ) async throws -> ChatResponse {
        if let contactId = try await engine.findContactOfMember(memberId, in: groupId, user) {
            return try await send(text, to: ChatRef(chatType: .direct, chatId: contactId), user: user)
        }
        let created = try await run(
            .groups(.createMemberContact(groupId: groupId, groupMemberId: memberId)),
            as: user.userId
        )
        guard case .newMemberContact(_, let contact, _, _) = created else { return created }
        return try await run(
            .groups(.sendMemberContactInvitation(contactId: contact.contactId, msg: .text(text: text))),
            as: user.userId
        )
    }

    /// Sends a message to the member with this name, if exactly one member in all groups has the name. The caller has
    /// found no contact with the name.
    /// - Throws: `contactNotFound` if no member or several members have the name. If several members have the name, the
    ///   error contains one of these members.
    func send(_ text: String, toMemberNamed name: String, _ user: Engine.User) async throws -> ChatResponse {
        let found = try await engine.findConnectedMembers(named: name, user)
        guard found.count == 1, let only = found.first else {
            let suspected = try found.first.map { membership in
                [
                    try JSONEncoder().encodeValue(membership.group),
                    try JSONEncoder().encodeValue(membership.member),
                ]
            }
            throw ChatFailure(ChatErrorType.contactNotFound(contactName: name, suspectedMember: suspected))
        }
        return try await send(text, toMember: only.member.groupMemberId, in: only.group.groupId, user)
    }
}
