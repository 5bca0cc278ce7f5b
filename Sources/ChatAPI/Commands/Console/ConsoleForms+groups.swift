extension ConsoleForms {
    /// The forms that begin with the name of a group. `/info` and `/delete` are among the forms of contacts.
    static let groups: [CommandForm<ChatCommand>] = [
        [
            CommandForm("/group", "/g") { scanner throws(CommandParseError) in
                let incognito = scanner.incognito()
                let name = try scanner.groupName()
                return .console(
                    .own(.newGroup(incognito: incognito, name: name, shortDescr: scanner.shortDescription()))
                )
            },
            CommandForm("/groups", "/gs") { scanner throws(CommandParseError) in
                let contact = scanner.rest.hasPrefix(" @") ? try scanner.contactName() : nil
                return .console(.own(.listGroups(contact: contact, search: try scanner.remainderIfAny())))
            },
        ],
        group("/members", "/ms") { _ throws(CommandParseError) in .members },
        group("/add", "/a") { scanner throws(CommandParseError) in
            .add(contact: try scanner.contactName(), role: scanner.isAtEnd ? .member : try scanner.memberRole())
        },
        group("/join", "/j") { scanner throws(CommandParseError) in .join(muted: scanner.take(" mute")) },
        group("/leave", "/l") { _ throws(CommandParseError) in .leave },
        group("/member role", "/mr") { scanner throws(CommandParseError) in
            .setRole(of: try scanner.contactName(), try scanner.memberRole())
        },
        group("/member support chats", signed: true) { _ throws(CommandParseError) in .supportChats },
        group("/report", signed: true) { scanner throws(CommandParseError) in
            let member = scanner.rest.hasPrefix(" @") ? try scanner.contactName() : nil
            guard scanner.take(" ") else { throw .malformed }
            let reason = ReportReason(rawValue: String(scanner.rest.prefix { $0 != " " }))
            guard ReportReason.known.contains(reason), scanner.take(reason.rawValue) else { throw .malformed }
            return .report(member: member, reason: reason, text: try scanner.remainder())
        },
        group("/accept member", signed: true) { scanner throws(CommandParseError) in
            .accept(try scanner.contactName(), as: scanner.isAtEnd ? .member : try scanner.memberRole())
        },
        group("/block for all", signed: true) { scanner throws(CommandParseError) in
            .blockForAll(try scanner.contactName(), true)
        },
        group("/unblock for all", signed: true) { scanner throws(CommandParseError) in
            .blockForAll(try scanner.contactName(), false)
        },
        group("/block", signed: true) { scanner throws(CommandParseError) in
            .setShowMessages(of: try scanner.contactName(), false)
        },
        group("/unblock", signed: true) { scanner throws(CommandParseError) in
            .setShowMessages(of: try scanner.contactName(), true)
        },
        group("/remove", "/rm") { scanner throws(CommandParseError) in
            var names = [try scanner.contactName()]
            while scanner.take(",") {
                _ = scanner.take("@")
                names.append(try scanner.displayName())
            }
            return .remove(names, withMessages: try scanner.flag("messages") ?? false)
        },
        group("/group_profile", "/gp") { scanner throws(CommandParseError) in
            if scanner.isAtEnd { return .showProfile }
            guard scanner.take(" ") else { throw .malformed }
            return .setNames(name: try scanner.displayName(), shortDescr: scanner.shortDescription())
        },
        group("/group_descr") { scanner throws(CommandParseError) in
            .setDescription(scanner.isAtEnd ? nil : try scanner.message())
        },
        group("/set welcome") { scanner throws(CommandParseError) in .setDescription(try scanner.message()) },
        group("/delete welcome") { _ throws(CommandParseError) in .setDescription(nil) },
        group("/show welcome") { _ throws(CommandParseError) in .showDescription },
        group("/create link", signed: true) { scanner throws(CommandParseError) in
            .createLink(scanner.isAtEnd ? .member : try scanner.memberRole())
        },
        group("/set link role", signed: true) { scanner throws(CommandParseError) in
            .setLinkRole(try scanner.memberRole())
        },
        group("/delete link", signed: true) { _ throws(CommandParseError) in .deleteLink },
        group("/show link", signed: true) { _ throws(CommandParseError) in .showLink },
        group("/set admission review", signed: true) { scanner throws(CommandParseError) in
            let word = try scanner.word()
            guard word == "all" || word == "off" else { throw .malformed }
            return .setReview(word == "all")
        },
    ].flatMap { $0 }

    /// The forms of features that only groups have. The forms of contacts include the other features.
    static let groupFeatures: [CommandForm<ChatCommand>] = ConsoleGroupFeature.allCases.filter {
        ConsoleFeature(rawValue: $0.rawValue) == nil
    }.map { feature in
        CommandForm("/set \(feature.rawValue)") { scanner throws(CommandParseError) in
            guard scanner.rest.hasPrefix(" #") else { throw .malformed }
            return try scanner.groupFeature(feature)
        }
    }

    /// Makes the form of a command about a group.
    /// - Parameter signed: whether the sign `#` before the name of the group is required.
    private static func group(
        _ heads: String...,
        signed: Bool = false,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.GroupAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                guard !signed || scanner.rest.hasPrefix(" #") else { throw .malformed }
                let name = try scanner.groupName()
                return .console(.group(name: name, action: try read(&scanner)))
            }
        }
    }
}

extension CommandScanner {
    /// Parses ` #team on admin`.
    mutating func groupFeature(_ feature: ConsoleGroupFeature) throws(CommandParseError) -> ChatCommand {
        let name = try groupName()
        let enable = try oneOf([GroupFeatureEnabled.on, .off])
        return .console(
            .group(
                name: name,
                action: .setFeature(feature, enable, role: feature.isByRole && !isAtEnd ? try memberRole() : nil)
            )
        )
    }

    /// Parses ` #team on 1h`, ` #team 1h` or ` #team off`.
    mutating func groupTimedMessages() throws(CommandParseError) -> ChatCommand {
        let name = try groupName()
        return .console(.group(name: name, action: .setTimedMessages(seconds: try groupTTL())))
    }

    /// Parses a space and the name of a group, with or without the sign `#`.
    mutating func groupName() throws(CommandParseError) -> String {
        guard take(" ") else { throw .malformed }
        _ = take("#")
        return try displayName()
    }
}
