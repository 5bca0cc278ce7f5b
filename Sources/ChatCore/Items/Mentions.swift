internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import ChatText
internal import JSON
internal import SQLCipher

/// The members of a group whom a message mentions: the ids of the members, by the names in the text.
struct Mentions: Sendable, Hashable {
    var memberIDs: [String: MemberID] = [:]

    /// Maximum number of mentions in a sent message, and in a received message.
    private static let (maxSentMentions, maxReceivedMentions) = (3, 5)

    static let none = Mentions()

    init() {}

    /// Reads the mentions of a message that the user sends. Names that are missing in the text and members with two
    /// names are refused, since readers would not see these mentions.
    /// - Throws: `invalidMention`, `groupMemberNotFound`; `commandError` in a chat other than a group.
    init(_ named: [String: Int64], in chat: some Conversation, of content: MarkedContent, _ db: StoreConnection) throws
    {
        guard !named.isEmpty else { return }
        guard let group = chat.group else {
            throw ChatFailure.commandError("only messages in groups can mention members")
        }
        let shown = Set(content.mentionedNames)
        guard !shown.isEmpty || !content.isPlainText else { return }
        guard named.count <= Self.maxSentMentions, named.keys.allSatisfy(shown.contains),
            Set(named.values).count == named.count
        else {
            throw ChatFailure(StoreError.invalidMention)
        }
        memberIDs = try named.mapValues { memberId in
            memberId == group.membership.memberId
                ? group.membership.sharedID : try MemberRecord.get(memberId, in: group, db).sharedID
        }
    }

    /// Reads the mentions of a received message: the first names in the text. A second name of the same member is
    /// ignored.
    init(received json: JSONObject, of content: MarkedContent) {
        var seen: Set<MemberID> = []
        for name in content.mentionedNames where memberIDs.count < Self.maxReceivedMentions && memberIDs[name] == nil {
            guard let id = json[name]?["memberId"]?.stringValue.flatMap({ MemberID(parsing: $0) }),
                seen.insert(id).inserted
            else { continue }
            memberIDs[name] = id
        }
    }

    /// The mentions in the form in which the JSON of a message contains them.
    var messageJSON: JSONObject {
        JSONObject(memberIDs.sorted { $0.key < $1.key }.map { ($0.key, ["memberId": .string($0.value.text)]) })
    }

    var storedText: String? { memberIDs.isEmpty ? nil : JSONValue.object(messageJSON).text }

    init(stored: String?) {
        guard let stored, let object = (try? JSONValue(parsing: stored, limits: .forOwnText))?.objectValue else {
            return
        }
        for (name, mention) in object {
            memberIDs[name] = mention["memberId"]?.stringValue.flatMap { MemberID(parsing: $0) }
        }
    }

    /// Returns the mentions in the form of the API, with details of the members in `known`.
    func api(_ known: [MemberID: MemberRecord]) -> [String: CIMention] {
        memberIDs.mapValues { id in
            CIMention(
                memberId: id.text,
                memberRef: known[id].map { member in
                    CIMentionMember(
                        groupMemberId: member.memberId,
                        displayName: member.profile.displayName,
                        localAlias: member.localAlias,
                        memberRole: member.role
                    )
                }
            )
        }
    }

    /// Whether the message mentions the user. In a group, a reply of another member to a message of the user also
    /// counts as a mention.
    func includesUser(isSent: Bool, quoted: CIQuote?, in chat: some Conversation) -> Bool {
        guard let group = chat.group else { return false }
        return memberIDs.values.contains(group.membership.sharedID) || !isSent && quoted?.chatDir == .groupSnd
    }
}

extension MarkedContent {
    fileprivate var fragments: [FormattedText] { markup.fragments(of: content.text) ?? [] }
    fileprivate var isPlainText: Bool { fragments.isEmpty }

    /// The names that the text mentions, in the order of the text.
    var mentionedNames: [String] { fragments.mentionedNames }
}
