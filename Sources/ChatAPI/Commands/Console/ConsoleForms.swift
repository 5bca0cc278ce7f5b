/// The commands that begin with a slash, in all spellings.
enum ConsoleForms {
    /// All forms. They are compared before the forms with ids, because some of these begin with the same word.
    static let all: [CommandForm<ChatCommand>] =
        profile + help + address + contacts + groups + groupFeatures + chats + settings

    private static func own(
        _ heads: String...,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.OwnAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in .console(.own(try read(&scanner))) }
        }
    }

    private static func own(_ heads: String..., is action: ConsoleCommand.OwnAction) -> [CommandForm<ChatCommand>] {
        heads.map { CommandForm($0, is: .console(.own(action))) }
    }

    private static func contact(
        _ heads: String...,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.ContactAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                let name = try scanner.contactName()
                return .console(.contact(name: name, action: try read(&scanner)))
            }
        }
    }

    private static func chat(
        _ heads: String...,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.ChatAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                let name = try scanner.spacedChatName()
                return .console(.chat(name: name, action: try read(&scanner)))
            }
        }
    }

    private static let profile: [CommandForm<ChatCommand>] = [
        [
            CommandForm("/user", "/u") { scanner throws(CommandParseError) in
                if scanner.isAtEnd { return .users(.showActiveUser) }
                guard scanner.take(" ") else { throw .malformed }
                let name = try scanner.displayName()
                return .console(.user(name: name, action: .activate(viewPwd: try scanner.passwordIfAny())))
            },
            CommandForm("/delete user") { scanner throws(CommandParseError) in
                guard scanner.take(" ") else { throw .malformed }
                let name = try scanner.displayName()
                return .console(.user(name: name, action: .delete(viewPwd: try scanner.passwordIfAny())))
            },
            CommandForm("/create user") { scanner throws(CommandParseError) in
                guard scanner.take(" ") else { throw .malformed }
                let profile = Profile(
                    displayName: try scanner.displayName(),
                    fullName: "",
                    shortDescr: scanner.shortDescription()
                )
                return .users(
                    .createActiveUser(
                        newUser: NewUser(
                            profile: profile,
                            pastTimestamp: false,
                            userChatRelay: false,
                            clientService: false
                        )
                    )
                )
            },
            CommandForm("/create bot") { scanner throws(CommandParseError) in
                let files = try scanner.flag("files") ?? false
                guard scanner.take(" ") else { throw .malformed }
                let profile = Profile(
                    displayName: try scanner.displayName(),
                    fullName: "",
                    shortDescr: scanner.shortDescription(),
                    preferences: files ? nil : Preferences(files: SimplePreference(allow: .no)),
                    peerType: .bot
                )
                return .users(
                    .createActiveUser(
                        newUser: NewUser(
                            profile: profile,
                            pastTimestamp: false,
                            userChatRelay: false,
                            clientService: false
                        )
                    )
                )
            },
        ],
        own("/profile", "/p") { scanner throws(CommandParseError) in
            if scanner.isAtEnd { return .showProfile }
            guard scanner.take(" ") else { throw .malformed }
            return .updateProfile(name: try scanner.displayName(), shortDescr: scanner.shortDescription())
        },
        own("/show profile image", is: .showProfileImage),
        own("/delete profile image", is: .setProfileImage(nil)),
        own("/set profile image") { scanner throws(CommandParseError) in
            let image = try scanner.remainder()
            guard image.hasPrefix("data:image/png;base64,") || image.hasPrefix("data:image/jpg;base64,") else {
                throw .malformed
            }
            return .setProfileImage(image)
        },
        own("/set bot commands") { scanner throws(CommandParseError) in
            guard scanner.take(" ") else { throw .malformed }
            return .setBotCommands(try scanner.botCommands())
        },
        own("/delete bot commands", is: .setBotCommands([])),
        own("/hide user") { scanner throws(CommandParseError) in .hide(viewPwd: try scanner.password()) },
        own("/unhide user") { scanner throws(CommandParseError) in .unhide(viewPwd: try scanner.password()) },
        own("/mute user", is: .mute), own("/unmute user", is: .unmute), own("/read user", is: .markRead),
        own("/set receipts contacts") { scanner throws(CommandParseError) in
            .setContactReceipts(try scanner.receiptSettings())
        },
        own("/set receipts groups") { scanner throws(CommandParseError) in
            .setGroupReceipts(try scanner.receiptSettings())
        },
        own("/set accept member contacts") { scanner throws(CommandParseError) in
            .setAutoAcceptMemberContacts(try scanner.onOff())
        },
        own("/welcome", "/w", is: .welcome),
        own("/incognito") { scanner throws(CommandParseError) in
            if !scanner.isAtEnd { _ = try scanner.onOff() }
            return .help(.incognito)
        },
    ].flatMap { $0 }

    private static let help: [CommandForm<ChatCommand>] = [
        own("/help", "/h", is: .help(.main)),
        own("/help files", "/help file", "/hf", is: .help(.files)),
        own("/help groups", "/help group", "/hg", is: .help(.groups)),
        own("/help contacts", "/help contact", "/hc", is: .help(.contacts)),
        own("/help address", "/ha", is: .help(.myAddress)),
        own("/help incognito", "/hi", is: .help(.incognito)),
        own("/help messages", "/hm", is: .help(.messages)),
        own("/help remote", "/hr", is: .help(.remote)),
        own("/help settings", "/hs", is: .help(.settings)),
        own("/help db", "/hd", is: .help(.database)),
        own("/markdown", "/m", is: .help(.markdown)),
    ].flatMap { $0 }

    private static let address: [CommandForm<ChatCommand>] = [
        own("/address", "/ad", is: .createAddress), own("/delete_address", "/da", is: .deleteAddress),
        own("/show_address", "/sa", is: .showAddress),
        own("/profile_address", "/pa") { scanner throws(CommandParseError) in .setProfileAddress(try scanner.onOff()) },
        own("/auto_accept") { scanner throws(CommandParseError) in .setAddressSettings(try scanner.addressSettings()) },
    ].flatMap { $0 }

    private static let contacts: [CommandForm<ChatCommand>] = [
        own("/contacts", is: .listContacts),
        own("/connect", "/c") { scanner throws(CommandParseError) in
            let incognito = scanner.incognito()
            return scanner.isAtEnd
                ? .addContact(incognito: incognito) : .connect(incognito: incognito, link: try scanner.word())
        },
        own("/simplex") { scanner throws(CommandParseError) in .connectTeam(incognito: scanner.incognito()) },
        [
            CommandForm("/info", "/i") { scanner throws(CommandParseError) in
                guard scanner.rest.hasPrefix(" #") else {
                    return .console(.contact(name: try scanner.contactName(), action: .info))
                }
                let group = try scanner.groupName()
                return .console(
                    .group(name: group, action: scanner.isAtEnd ? .info : .memberInfo(try scanner.contactName()))
                )
            },
            CommandForm("/delete", "/d") { scanner throws(CommandParseError) in
                if scanner.rest.hasPrefix(" #") {
                    return .console(.group(name: try scanner.groupName(), action: .delete))
                }
                let name = try scanner.contactName()
                return .console(.contact(name: name, action: .delete(try scanner.chatDeleteMode())))
            },
        ],
        contact("/code") { _ throws(CommandParseError) in .code },
        contact("/verify") { scanner throws(CommandParseError) in
            guard let code = try scanner.remainderIfAny() else { return .verify(code: nil) }
            guard code.allSatisfy({ $0 == " " || $0.isASCIIDigit }) else { throw .malformed }
            return .verify(code: code)
        },
        contact("/enable") { _ throws(CommandParseError) in .enable },
        contact("/switch") { _ throws(CommandParseError) in .switch },
        contact("/abort switch") { _ throws(CommandParseError) in .abortSwitch },
        contact("/sync") { scanner throws(CommandParseError) in .sync(force: scanner.take(" force=on")) },
        contact("/queue info", "/qi") { _ throws(CommandParseError) in .queueInfo },
        contact("/call") { _ throws(CommandParseError) in .call },
        [
            CommandForm("/accept", "/ac") { scanner throws(CommandParseError) in
                let incognito = scanner.incognito()
                return .console(.request(name: try scanner.contactName(), action: .accept(incognito: incognito)))
            },
            CommandForm("/reject", "/rc") { scanner throws(CommandParseError) in
                .console(.request(name: try scanner.contactName(), action: .reject))
            },
        ],
    ].flatMap { $0 }

    private static let chats: [CommandForm<ChatCommand>] = [
        own("/chats", "/cs") { scanner throws(CommandParseError) in
            if scanner.take(" all") { return .chats(count: nil) }
            return .chats(count: scanner.isAtNumber ? try scanner.number() : 20)
        },
        items("/tail", "/t") { _ throws(CommandParseError) in nil },
        items("/search", "/?") { scanner throws(CommandParseError) in try scanner.remainder() },
        own("/show") { scanner throws(CommandParseError) in
            if scanner.isAtNumber { return .item(itemId: try scanner.number()) }
            return .showLiveItems(scanner.isAtEnd ? true : try scanner.onOff())
        },
        [
            CommandForm("/last_item_id") { scanner throws(CommandParseError) in
                let chat = try scanner.chatNameIfAny()
                let index: Int = scanner.isAtEnd ? 0 : try scanner.number()
                guard let chat else { return .console(.own(.lastItemId(index: index))) }
                return .console(.chat(name: chat, action: .lastItemId(index: index)))
            }
        ],
        own("/feed") { scanner throws(CommandParseError) in .broadcast(text: try scanner.message()) },
        [
            CommandForm("/*") { scanner throws(CommandParseError) in
                .console(
                    .chat(name: ChatName(chatType: .local, chatName: ""), action: .send(text: try scanner.message()))
                )
            }
        ],
        chat("/file", "/f") { scanner throws(CommandParseError) in .sendFile(try scanner.cryptoFile(), isImage: false)
        },
        chat("/image", "/img") { scanner throws(CommandParseError) in .sendFile(try scanner.cryptoFile(), isImage: true)
        },
        own("/fstatus", "/fs") { scanner throws(CommandParseError) in .fileStatus(fileId: try scanner.number()) },
        chat("/fforward", "/ff") { scanner throws(CommandParseError) in
            .resendFile(fileId: try scanner.number(), isImage: false)
        },
        chat("/image_forward", "/imgf") { scanner throws(CommandParseError) in
            .resendFile(fileId: try scanner.number(), isImage: true)
        },
        chat("/live") { scanner throws(CommandParseError) in
            .sendLive(text: scanner.isAtEnd ? "" : try scanner.message())
        },
        chat("/item info") { scanner throws(CommandParseError) in .itemInfo(text: try scanner.message()) },
        chat("/mute") { _ throws(CommandParseError) in .setNotifications(.none) },
        chat("/unmute") { _ throws(CommandParseError) in .setNotifications(.all) },
        chat("/unmute mentions") { _ throws(CommandParseError) in .setNotifications(.mentions) },
        chat("/receipts") { scanner throws(CommandParseError) in
            let word = try scanner.word()
            return .setReceipts(word == "default" ? nil : try CommandScanner.onOff(word))
        },
        [
            CommandForm("/clear") { scanner throws(CommandParseError) in
                if let chat = try scanner.chatNameIfAny() { return .console(.chat(name: chat, action: .clear)) }
                return .console(
                    .chat(name: ChatName(chatType: .direct, chatName: try scanner.contactName()), action: .clear)
                )
            }
        ],
    ].flatMap { $0 }

    private static func items(
        _ heads: String...,
        search: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> String?
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                let chat = try scanner.chatNameIfAny()
                let count = try scanner.itemCount()
                let text = try search(&scanner)
                guard let chat else { return .console(.own(.items(count: count, search: text))) }
                return .console(.chat(name: chat, action: .items(count: count, search: text)))
            }
        }
    }

    private static let settings: [CommandForm<ChatCommand>] = [
        ConsoleFeature.allCases.map { feature in
            CommandForm("/set \(feature.rawValue)") { scanner throws(CommandParseError) in
                if scanner.rest.hasPrefix(" #"), let ofGroup = ConsoleGroupFeature(rawValue: feature.rawValue) {
                    return try scanner.groupFeature(ofGroup)
                }
                guard scanner.rest.hasPrefix(" @") else {
                    return .console(.own(.setPreference(feature, try scanner.allowed())))
                }
                let name = try scanner.contactName()
                return .console(
                    .contact(name: name, action: .setPreference(feature, scanner.isAtEnd ? nil : try scanner.allowed()))
                )
            }
        },
        [
            CommandForm("/set disappear") { scanner throws(CommandParseError) in
                if scanner.rest.hasPrefix(" #") { return try scanner.groupTimedMessages() }
                guard scanner.rest.hasPrefix(" @") else {
                    return .console(.own(.setTimedMessages(try scanner.oneOf([FeatureAllowed.yes, .no]) == .yes)))
                }
                let name = try scanner.contactName()
                return .console(.contact(name: name, action: .setTimedMessages(try scanner.timedMessages())))
            },
            CommandForm("/ttl") { scanner throws(CommandParseError) in
                guard let chat = try scanner.chatNameIfAny() else {
                    return .console(
                        .own(scanner.isAtEnd ? .itemTTL : .setItemTTL(seconds: try CommandScanner.ttl(scanner.word())))
                    )
                }
                if scanner.isAtEnd { return .console(.chat(name: chat, action: .itemTTL)) }
                let word = try scanner.word()
                return .console(
                    .chat(
                        name: chat,
                        action: .setItemTTL(seconds: word == "default" ? nil : try CommandScanner.ttl(word))
                    )
                )
            },
        ],
        own("/smp") { scanner throws(CommandParseError) in try scanner.servers(.smp) },
        own("/xftp") { scanner throws(CommandParseError) in try scanner.servers(.xftp) },
        own("/operators") { scanner throws(CommandParseError) in .setOperators(try scanner.operators()) },
        [
            CommandForm("/network", "/net") { scanner throws(CommandParseError) in
                scanner.isAtEnd ? .settings(.getNetworkConfig) : .console(.own(.setNetwork(try scanner.network())))
            }
        ],
        own("/relays") { scanner throws(CommandParseError) in try scanner.relays() },
        own("/relay test") { scanner throws(CommandParseError) in .testRelay(try scanner.word()) },
        own("/smp test", "/xftp test") { scanner throws(CommandParseError) in .testServer(try scanner.word()) },
    ].flatMap { $0 }
}
