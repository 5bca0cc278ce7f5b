extension ConsoleForms {
    /// The text forms of commands about groups, except `/info` and `/delete`. The forms of these two commands for
    /// contacts are also used for groups.
    static let groups: [CommandForm<ChatCommand>] = [
        [
            CommandForm("/group", "/g") { scanner throws(CommandParseError) in
                let incognito = scanner.skipIncognito()
                let name = try scanner.scanGroupName()
                return .console(
                    .ownUser(.newGroup(incognito: incognito, name: name, shortDescr: scanner.scanShortDescription()))
                )
            },
            CommandForm("/groups", "/gs") { scanner throws(CommandParseError) in
                let contact = scanner.remainingText.hasPrefix(" @") ? try scanner.scanContactName() : nil
                return .console(.ownUser(.listGroups(contact: contact, search: try scanner.scanRemainderIfAny())))
            },
        ],
        groupForms("/members", "/ms") { _ throws(CommandParseError) in .listMembers },
        groupForms("/add", "/a") { scanner throws(CommandParseError) in
            .addMember(
                contact: try scanner.scanContactName(),
                role: scanner.isAtEnd ? .member : try scanner.scanMemberRole()
            )
        },
        groupForms("/join", "/j") { scanner throws(CommandParseError) in .join(muted: scanner.skipPrefix(" mute")) },
        groupForms("/leave", "/l") { _ throws(CommandParseError) in .leave },
        groupForms("/member role", "/mr") { scanner throws(CommandParseError) in
            .setRole(of: try scanner.scanContactName(), try scanner.scanMemberRole())
        },
        groupForms("/member support chats", signed: true) { _ throws(CommandParseError) in .listSupportChats },
        groupForms("/report", signed: true) { scanner throws(CommandParseError) in
            let member = scanner.remainingText.hasPrefix(" @") ? try scanner.scanContactName() : nil
            guard scanner.skipPrefix(" ") else { throw .malformed }
            let reason = ReportReason(rawValue: String(scanner.remainingText.prefix { $0 != " " }))
            guard ReportReason.knownValues.contains(reason), scanner.skipPrefix(reason.rawValue) else {
                throw .malformed
            }
            return .report(member: member, reason: reason, text: try scanner.scanRemainder())
        },
        groupForms("/accept member", signed: true) { scanner throws(CommandParseError) in
            .acceptMember(try scanner.scanContactName(), as: scanner.isAtEnd ? .member : try scanner.scanMemberRole())
        },
        groupForms("/block for all", signed: true) { scanner throws(CommandParseError) in
            .blockForAll(try scanner.scanContactName(), true)
        },
        groupForms("/unblock for all", signed: true) { scanner throws(CommandParseError) in
            .blockForAll(try scanner.scanContactName(), false)
        },
        groupForms("/block", signed: true) { scanner throws(CommandParseError) in
            .setShowMessages(of: try scanner.scanContactName(), false)
        },
        groupForms("/unblock", signed: true) { scanner throws(CommandParseError) in
            .setShowMessages(of: try scanner.scanContactName(), true)
        },
        groupForms("/remove", "/rm") { scanner throws(CommandParseError) in
            var names = [try scanner.scanContactName()]
            while scanner.skipPrefix(",") {
                _ = scanner.skipPrefix("@")
                names.append(try scanner.scanDisplayName())
            }
            return .removeMembers(names, withMessages: try scanner.scanFlag("messages") ?? false)
        },
        groupForms("/group_profile", "/gp") { scanner throws(CommandParseError) in
            if scanner.isAtEnd { return .showProfile }
            guard scanner.skipPrefix(" ") else { throw .malformed }
            return .setNames(name: try scanner.scanDisplayName(), shortDescr: scanner.scanShortDescription())
        },
        groupForms("/group_descr") { scanner throws(CommandParseError) in
            .setDescription(scanner.isAtEnd ? nil : try scanner.scanMessage())
        },
        groupForms("/set welcome") { scanner throws(CommandParseError) in .setDescription(try scanner.scanMessage()) },
        groupForms("/delete welcome") { _ throws(CommandParseError) in .setDescription(nil) },
        groupForms("/show welcome") { _ throws(CommandParseError) in .showDescription },
        groupForms("/create link", signed: true) { scanner throws(CommandParseError) in
            .createLink(scanner.isAtEnd ? .member : try scanner.scanMemberRole())
        },
        groupForms("/set link role", signed: true) { scanner throws(CommandParseError) in
            .setLinkRole(try scanner.scanMemberRole())
        },
        groupForms("/delete link", signed: true) { _ throws(CommandParseError) in .deleteLink },
        groupForms("/show link", signed: true) { _ throws(CommandParseError) in .showLink },
        groupForms("/set admission review", signed: true) { scanner throws(CommandParseError) in
            let word = try scanner.scanWord()
            guard word == "all" || word == "off" else { throw .malformed }
            return .setAdmissionReview(word == "all")
        },
    ].flatMap { $0 }

    /// The text forms of commands that set a feature of a group. Only features that contacts do not have are included.
    /// For the other features, the forms for contacts are also used for groups.
    static let groupFeatures: [CommandForm<ChatCommand>] = ConsoleGroupFeature.allCases.filter {
        ConsoleFeature(rawValue: $0.rawValue) == nil
    }.map { feature in
        CommandForm("/set \(feature.rawValue)") { scanner throws(CommandParseError) in
            guard scanner.remainingText.hasPrefix(" #") else { throw .malformed }
            return try scanner.scanGroupFeature(feature)
        }
    }

    /// Makes the text forms of a command about a group, one for each spelling of its first words.
    /// - Parameter signed: whether the sign `#` before the name of the group is required.
    private static func groupForms(
        _ heads: String...,
        signed: Bool = false,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.GroupAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                guard !signed || scanner.remainingText.hasPrefix(" #") else { throw .malformed }
                let name = try scanner.scanGroupName()
                return .console(.group(name: name, action: try read(&scanner)))
            }
        }
    }
}

extension CommandScanner {
    /// Parses the name of a group and the setting of a feature: ` #team on admin`.
    mutating func scanGroupFeature(_ feature: ConsoleGroupFeature) throws(CommandParseError) -> ChatCommand {
        let name = try scanGroupName()
        let enable = try scanOneOf([GroupFeatureEnabled.on, .off])
        return .console(
            .group(
                name: name,
                action: .setFeature(
                    feature,
                    enable,
                    role: feature.canDependOnRole && !isAtEnd ? try scanMemberRole() : nil
                )
            )
        )
    }

    /// Parses the name of a group and the lifetime of its messages: ` #team on 1h`, ` #team 1h` or ` #team off`.
    mutating func scanGroupTimedMessages() throws(CommandParseError) -> ChatCommand {
        let name = try scanGroupName()
        return .console(.group(name: name, action: .setTimedMessages(seconds: try scanGroupTTLSeconds())))
    }

    /// Parses a space and the name of a group, with or without the sign `#`.
    mutating func scanGroupName() throws(CommandParseError) -> String {
        guard skipPrefix(" ") else { throw .malformed }
        _ = skipPrefix("#")
        return try scanDisplayName()
    }
}
