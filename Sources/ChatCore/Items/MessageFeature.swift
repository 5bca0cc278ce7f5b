internal import ChatAPI
internal import ChatText

/// A feature of messages that a chat can allow or prohibit. Each kind of chat has its own rules for this decision.
enum MessageFeature: Sendable {
    case timedMessages, fullDelete, reactions, voice
    /// Files that are not voice messages.
    case files
    /// Links to people and groups, which a group may prohibit.
    case simplexLinks

    var name: String { groupFeature.name }

    /// The feature in the preferences of direct chats; nil if direct chats do not have the feature.
    var directFeature: DirectFeature? {
        switch self {
        case .timedMessages: .timedMessages
        case .fullDelete: .fullDelete
        case .reactions: .reactions
        case .voice: .voice
        case .files, .simplexLinks: nil
        }
    }

    /// The feature in the preferences of groups.
    var groupFeature: GroupFeature {
        switch self {
        case .timedMessages: .timedMessages
        case .fullDelete: .fullDelete
        case .reactions: .reactions
        case .voice: .voice
        case .files: .files
        case .simplexLinks: .simplexLinks
        }
    }

    /// The side of a chat that uses a feature.
    enum Side: Sendable {
        case user, peer
        /// A member of a group with this role.
        /// - Parameter isHost: whether the member has invited the user.
        case member(GroupMemberRole, isHost: Bool)
    }
}

extension MarkedContent {
    /// Returns the features that a message with this content requires.
    /// - Parameter hasFile: whether the message contains a file.
    func requiredFeatures(hasFile: Bool = false) -> [MessageFeature] {
        var features: [MessageFeature] = []
        if content.isVoice { features.append(.voice) } else if hasFile { features.append(.files) }
        if content.tag == "chat" || (markup.fragments(of: content.text) ?? []).contains(where: \.isSimplexLink)
            || SimplexLinkText.containsSplitLink(in: content.text)
        {
            features.append(.simplexLinks)
        }
        return features
    }
}

extension FormattedText {
    var isSimplexLink: Bool { if case .simplexLink? = format { true } else { false } }
}
