extension ConsoleCommand {
    /// An action on a group or on its members. Commands contain the local names of the members.
    package enum GroupAction: Hashable, Sendable {
        case showInfo
        case listMembers
        /// Invites a contact.
        case addMember(contact: String, role: GroupMemberRole)
        /// Accepts the invitation to the group. A muted group causes no notifications of messages.
        case join(muted: Bool)
        case leave
        case delete
        case showMemberInfo(String)
        case setRole(of: String, GroupMemberRole)
        /// Admits a member who waits for approval.
        case acceptMember(String, as: GroupMemberRole)
        case blockForAll(String, Bool)
        case removeMembers([String], withMessages: Bool)
        /// Shows or hides the messages of a member, only for the user.
        case setShowMessages(of: String, Bool)
        case showProfile
        case setNames(name: String, shortDescr: String?)
        case showDescription
        /// Sets the description; nil removes it.
        case setDescription(String?)
        case createLink(GroupMemberRole)
        case showLink
        case setLinkRole(GroupMemberRole)
        case deleteLink
        /// Switches a feature on or off. With a role, the feature is on for members with at least this role.
        case setFeature(ConsoleGroupFeature, GroupFeatureEnabled, role: GroupMemberRole?)
        /// Sets the lifetime of messages in seconds; nil for unlimited.
        case setTimedMessages(seconds: Int?)
        /// Sets whether moderators review all members who join.
        case setAdmissionReview(Bool)
        /// Sends `text` as a reply to an item. The item is the newest one whose text begins with `quoted`, and whose
        /// author is the member or user with the name `to`; nil for any author.
        case reply(to: String?, quoted: String, text: String)
        /// Sends a message in the user's own chat with the moderators. If `of` names a member, the message is sent in
        /// that member's chat with the moderators.
        case sendToSupport(of: String?, text: String)
        /// Sends a direct message to a member, who becomes a contact.
        case sendToMember(String, text: String)
        /// Deletes an item of a member for everyone: the member's newest item whose text begins with `text`.
        case moderate(member: String, text: String)
        /// Lists the members who have chats with the moderators.
        case listSupportChats
        /// Reports an item to the moderators. The item is the newest one whose text begins with `text`, and whose
        /// author has the name `member`; nil for any author.
        case report(member: String?, reason: ReportReason, text: String)
    }
}

extension ConsoleCommand.GroupAction {
    var name: CommandName {
        switch self {
        case .showInfo, .showProfile, .showDescription: .groupInfo
        case .listMembers: .listMembers
        case .addMember: .addMember
        case .join: .joinGroup
        case .leave: .leaveGroup
        case .delete: .deleteChat
        case .showMemberInfo: .groupMemberInfo
        case .setRole: .membersRole
        case .acceptMember: .acceptMember
        case .blockForAll: .blockMembersForAll
        case .removeMembers: .removeMembers
        case .setShowMessages: .setMemberSettings
        case .createLink: .createGroupLink
        case .showLink: .getGroupLink
        case .setLinkRole: .groupLinkMemberRole
        case .deleteLink: .deleteGroupLink
        case .setNames, .setDescription, .setFeature, .setTimedMessages, .setAdmissionReview: .updateGroupProfile
        case .reply, .sendToSupport, .sendToMember: .sendMessages
        case .moderate: .deleteMemberChatItem
        case .listSupportChats: .listMembers
        case .report: .reportMessage
        }
    }

    func commandText(_ group: String) -> CommandText {
        func member(_ name: String) -> String { "@" + formatName(name) }
        let group = "#" + formatName(group)
        return switch self {
        case .showInfo: "/info \(group)"
        case .listMembers: "/members \(group)"
        case .addMember(let contact, let role): "/add \(group) \(member(contact)) \(role)"
        case .join(let muted): "/join \(group)\(" mute", if: muted)"
        case .leave: "/leave \(group)"
        case .delete: "/delete \(group)"
        case .showMemberInfo(let name): "/info \(group) \(member(name))"
        case .acceptMember(let name, let role): "/accept member \(group) \(member(name)) \(role)"
        case .setRole(let name, let role): "/member role \(group) \(member(name)) \(role)"
        case .blockForAll(let name, true): "/block for all \(group) \(member(name))"
        case .blockForAll(let name, false): "/unblock for all \(group) \(member(name))"
        case .removeMembers(let names, let withMessages):
            "/remove \(group) \(names.map(member).joined(separator: ","))\(" messages=on", if: withMessages)"
        case .setShowMessages(let name, false): "/block \(group) \(member(name))"
        case .setShowMessages(let name, true): "/unblock \(group) \(member(name))"
        case .showProfile: "/group_profile \(group)"
        case .setNames(let name, let shortDescr): "/group_profile \(group) \(formatName(name))\(" ", shortDescr)"
        case .showDescription: "/show welcome \(group)"
        case .setDescription(nil): "/delete welcome \(group)"
        case .setDescription(let text?): "/set welcome \(group) \(formatMessage(text))"
        case .createLink(let role): "/create link \(group) \(role)"
        case .showLink: "/show link \(group)"
        case .setLinkRole(let role): "/set link role \(group) \(role)"
        case .deleteLink: "/delete link \(group)"
        case .setFeature(let feature, let enable, let role): "/set \(feature.rawValue) \(group) \(enable)\(" ", role)"
        case .setTimedMessages(let seconds?): "/set disappear \(group) on \(seconds)"
        case .setTimedMessages(nil): "/set disappear \(group) off"
        case .setAdmissionReview(let isOn): "/set admission review \(group) \(isOn ? "all" : "off")"
        case .reply(let name, let quoted, let text):
            "> \(group)\(" ", name.map(member)) (\(quoted)) \(formatMessage(text))"
        case .sendToSupport(nil, let text): "\(group) (support) \(formatMessage(text))"
        case .sendToSupport(let name?, let text): "\(group) (support: \(formatName(name))) \(formatMessage(text))"
        case .sendToMember(let name, let text): "@\(group) \(member(name)) \(formatMessage(text))"
        case .listSupportChats: "/member support chats \(group)"
        case .report(let name, let reason, let text): "/report \(group)\(" ", name.map(member)) \(reason) \(text)"
        case .moderate(let name, let text): "\\\\ \(group) \(member(name)) \(text)"
        }
    }
}

/// The features of a group that the terminal can set, with the words for them in terminal commands.
package enum ConsoleGroupFeature: String, Hashable, Sendable, CaseIterable {
    case voice, files, history, reactions, delete, direct, reports, support, links

    /// Whether the feature can be limited to members with at least a certain role.
    var canDependOnRole: Bool {
        switch self {
        case .voice, .files, .delete, .direct, .links: true
        case .history, .reactions, .reports, .support: false
        }
    }
}
