/// The text forms of terminal commands that begin with a slash, in all spellings.
enum ConsoleForms {
    /// All text forms of terminal commands that begin with a slash.
    static let all: [CommandForm<ChatCommand>] =
        profile + help + address + contacts + groups + groupFeatures + chats + settings

    private static func ownForms(
        _ heads: String...,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.OwnAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in .console(.ownUser(try read(&scanner))) }
        }
    }

    private static func ownForms(_ heads: String..., is action: ConsoleCommand.OwnAction) -> [CommandForm<ChatCommand>]
    {
        heads.map { CommandForm($0, is: .console(.ownUser(action))) }
    }

    private static func contactForms(
        _ heads: String...,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.ContactAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                let name = try scanner.scanContactName()
                return .console(.contact(name: name, action: try read(&scanner)))
            }
        }
    }

    private static func chatForms(
        _ heads: String...,
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> ConsoleCommand.ChatAction
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                let name = try scanner.scanSpacedChatName()
                return .console(.chat(name: name, action: try read(&scanner)))
            }
        }
    }

    private static let profile: [CommandForm<ChatCommand>] = [
        [
            CommandForm("/user", "/u") { scanner throws(CommandParseError) in
                if scanner.isAtEnd { return .users(.showActiveUser) }
                guard scanner.skipPrefix(" ") else { throw .malformed }
                let name = try scanner.scanDisplayName()
                return .console(.user(name: name, action: .activate(viewPwd: try scanner.scanPasswordIfAny())))
            },
            CommandForm("/delete user") { scanner throws(CommandParseError) in
                guard scanner.skipPrefix(" ") else { throw .malformed }
                let name = try scanner.scanDisplayName()
                return .console(.user(name: name, action: .delete(viewPwd: try scanner.scanPasswordIfAny())))
            },
            CommandForm("/create user") { scanner throws(CommandParseError) in
                guard scanner.skipPrefix(" ") else { throw .malformed }
                let profile = Profile(
                    displayName: try scanner.scanDisplayName(),
                    fullName: "",
                    shortDescr: scanner.scanShortDescription()
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
                let files = try scanner.scanFlag("files") ?? false
                let isService = try scanner.scanFlag("service") ?? false
                guard scanner.skipPrefix(" ") else { throw .malformed }
                let profile = Profile(
                    displayName: try scanner.scanDisplayName(),
                    fullName: "",
                    shortDescr: scanner.scanShortDescription(),
                    preferences: files ? nil : Preferences(files: SimplePreference(allow: .no)),
                    peerType: .bot
                )
                return .users(
                    .createActiveUser(
                        newUser: NewUser(
                            profile: profile,
                            pastTimestamp: false,
                            userChatRelay: false,
                            clientService: isService
                        )
                    )
                )
            },
        ],
        ownForms("/profile", "/p") { scanner throws(CommandParseError) in
            if scanner.isAtEnd { return .showProfile }
            guard scanner.skipPrefix(" ") else { throw .malformed }
            return .updateProfile(name: try scanner.scanDisplayName(), shortDescr: scanner.scanShortDescription())
        },
        ownForms("/show profile image", is: .showProfileImage),
        ownForms("/delete profile image", is: .setProfileImage(nil)),
        ownForms("/set profile image") { scanner throws(CommandParseError) in
            let image = try scanner.scanRemainder()
            guard image.hasPrefix("data:image/png;base64,") || image.hasPrefix("data:image/jpg;base64,") else {
                throw .malformed
            }
            return .setProfileImage(image)
        },
        ownForms("/set bot commands") { scanner throws(CommandParseError) in
            guard scanner.skipPrefix(" ") else { throw .malformed }
            return .setBotCommands(try scanner.scanBotCommands())
        },
        ownForms("/delete bot commands", is: .setBotCommands([])),
        ownForms("/hide user") { scanner throws(CommandParseError) in .hide(viewPwd: try scanner.scanPassword()) },
        ownForms("/unhide user") { scanner throws(CommandParseError) in .unhide(viewPwd: try scanner.scanPassword()) },
        ownForms("/mute user", is: .mute), ownForms("/unmute user", is: .unmute), ownForms("/read user", is: .markRead),
        ownForms("/set receipts contacts") { scanner throws(CommandParseError) in
            .setContactReceipts(try scanner.scanReceiptSettings())
        },
        ownForms("/set receipts groups") { scanner throws(CommandParseError) in
            .setGroupReceipts(try scanner.scanReceiptSettings())
        },
        ownForms("/set accept member contacts") { scanner throws(CommandParseError) in
            .setAutoAcceptMemberContacts(try scanner.scanOnOff())
        },
        ownForms("/welcome", "/w", is: .showWelcome),
        ownForms("/incognito") { scanner throws(CommandParseError) in
            if !scanner.isAtEnd { _ = try scanner.scanOnOff() }
            return .showHelp(.incognito)
        },
    ].flatMap { $0 }

    private static let help: [CommandForm<ChatCommand>] = [
        ownForms("/help", "/h", is: .showHelp(.main)),
        ownForms("/help files", "/help file", "/hf", is: .showHelp(.files)),
        ownForms("/help groups", "/help group", "/hg", is: .showHelp(.groups)),
        ownForms("/help contacts", "/help contact", "/hc", is: .showHelp(.contacts)),
        ownForms("/help address", "/ha", is: .showHelp(.myAddress)),
        ownForms("/help incognito", "/hi", is: .showHelp(.incognito)),
        ownForms("/help messages", "/hm", is: .showHelp(.messages)),
        ownForms("/help remote", "/hr", is: .showHelp(.remote)),
        ownForms("/help settings", "/hs", is: .showHelp(.settings)),
        ownForms("/help db", "/hd", is: .showHelp(.database)),
        ownForms("/markdown", "/m", is: .showHelp(.markdown)),
    ].flatMap { $0 }

    private static let address: [CommandForm<ChatCommand>] = [
        ownForms("/address", "/ad", is: .createAddress), ownForms("/delete_address", "/da", is: .deleteAddress),
        ownForms("/show_address", "/sa", is: .showAddress),
        ownForms("/profile_address", "/pa") { scanner throws(CommandParseError) in
            .setProfileAddress(try scanner.scanOnOff())
        },
        ownForms("/auto_accept") { scanner throws(CommandParseError) in
            .setAddressSettings(try scanner.scanAddressSettings())
        },
    ].flatMap { $0 }

    private static let contacts: [CommandForm<ChatCommand>] = [
        ownForms("/contacts", is: .listContacts),
        ownForms("/connect", "/c") { scanner throws(CommandParseError) in
            let incognito = scanner.skipIncognito()
            return scanner.isAtEnd
                ? .addContact(incognito: incognito) : .connect(incognito: incognito, link: try scanner.scanWord())
        },
        ownForms("/simplex") { scanner throws(CommandParseError) in .connectTeam(incognito: scanner.skipIncognito()) },
        [
            CommandForm("/info", "/i") { scanner throws(CommandParseError) in
                guard scanner.remainingText.hasPrefix(" #") else {
                    return .console(.contact(name: try scanner.scanContactName(), action: .showInfo))
                }
                let group = try scanner.scanGroupName()
                return .console(
                    .group(
                        name: group,
                        action: scanner.isAtEnd ? .showInfo : .showMemberInfo(try scanner.scanContactName())
                    )
                )
            },
            CommandForm("/delete", "/d") { scanner throws(CommandParseError) in
                if scanner.remainingText.hasPrefix(" #") {
                    return .console(.group(name: try scanner.scanGroupName(), action: .delete))
                }
                let name = try scanner.scanContactName()
                return .console(.contact(name: name, action: .delete(try scanner.scanChatDeleteMode())))
            },
        ],
        contactForms("/code") { _ throws(CommandParseError) in .showSecurityCode },
        contactForms("/verify") { scanner throws(CommandParseError) in
            guard let code = try scanner.scanRemainderIfAny() else { return .verifySecurityCode(code: nil) }
            guard code.allSatisfy({ $0 == " " || $0.isASCIIDigit }) else { throw .malformed }
            return .verifySecurityCode(code: code)
        },
        contactForms("/enable") { _ throws(CommandParseError) in .enable },
        contactForms("/switch") { _ throws(CommandParseError) in .switchQueue },
        contactForms("/abort switch") { _ throws(CommandParseError) in .abortQueueSwitch },
        contactForms("/sync") { scanner throws(CommandParseError) in
            .syncRatchet(force: scanner.skipPrefix(" force=on"))
        },
        contactForms("/queue info", "/qi") { _ throws(CommandParseError) in .showQueueInfo },
        contactForms("/call") { _ throws(CommandParseError) in .call },
        [
            CommandForm("/accept", "/ac") { scanner throws(CommandParseError) in
                let incognito = scanner.skipIncognito()
                return .console(.request(name: try scanner.scanContactName(), action: .accept(incognito: incognito)))
            },
            CommandForm("/reject", "/rc") { scanner throws(CommandParseError) in
                .console(.request(name: try scanner.scanContactName(), action: .reject))
            },
        ],
    ].flatMap { $0 }

    private static let chats: [CommandForm<ChatCommand>] = [
        ownForms("/chats", "/cs") { scanner throws(CommandParseError) in
            if scanner.skipPrefix(" all") { return .listChats(count: nil) }
            return .listChats(count: scanner.isNumberNext ? try scanner.scanNumber() : 20)
        },
        itemForms("/tail", "/t") { _ throws(CommandParseError) in nil },
        itemForms("/search", "/?") { scanner throws(CommandParseError) in try scanner.scanRemainder() },
        ownForms("/show") { scanner throws(CommandParseError) in
            if scanner.isNumberNext { return .showItem(itemId: try scanner.scanNumber()) }
            return .showLiveItems(scanner.isAtEnd ? true : try scanner.scanOnOff())
        },
        [
            CommandForm("/last_item_id") { scanner throws(CommandParseError) in
                let chat = try scanner.scanChatNameIfAny()
                let index: Int = scanner.isAtEnd ? 0 : try scanner.scanNumber()
                guard let chat else { return .console(.ownUser(.showLastItemId(index: index))) }
                return .console(.chat(name: chat, action: .showLastItemId(index: index)))
            }
        ],
        ownForms("/feed") { scanner throws(CommandParseError) in .broadcast(text: try scanner.scanMessage()) },
        [
            CommandForm("/*") { scanner throws(CommandParseError) in
                .console(
                    .chat(
                        name: ChatName(chatType: .local, chatName: ""),
                        action: .send(text: try scanner.scanMessage())
                    )
                )
            }
        ],
        chatForms("/file", "/f") { scanner throws(CommandParseError) in
            .sendFile(try scanner.scanCryptoFile(), isImage: false)
        },
        chatForms("/image", "/img") { scanner throws(CommandParseError) in
            .sendFile(try scanner.scanCryptoFile(), isImage: true)
        },
        ownForms("/fstatus", "/fs") { scanner throws(CommandParseError) in
            .showFileStatus(fileId: try scanner.scanNumber())
        },
        chatForms("/fforward", "/ff") { scanner throws(CommandParseError) in
            .resendFile(fileId: try scanner.scanNumber(), isImage: false)
        },
        chatForms("/image_forward", "/imgf") { scanner throws(CommandParseError) in
            .resendFile(fileId: try scanner.scanNumber(), isImage: true)
        },
        chatForms("/live") { scanner throws(CommandParseError) in
            .sendLive(text: scanner.isAtEnd ? "" : try scanner.scanMessage())
        },
        chatForms("/item info") { scanner throws(CommandParseError) in .showItemInfo(text: try scanner.scanMessage()) },
        chatForms("/mute") { _ throws(CommandParseError) in .setNotifications(.none) },
        chatForms("/unmute") { _ throws(CommandParseError) in .setNotifications(.all) },
        chatForms("/unmute mentions") { _ throws(CommandParseError) in .setNotifications(.mentions) },
        chatForms("/receipts") { scanner throws(CommandParseError) in
            let word = try scanner.scanWord()
            return .setReceipts(word == "default" ? nil : try CommandScanner.parseOnOff(word))
        },
        [
            CommandForm("/clear") { scanner throws(CommandParseError) in
                if let chat = try scanner.scanChatNameIfAny() { return .console(.chat(name: chat, action: .clear)) }
                return .console(
                    .chat(name: ChatName(chatType: .direct, chatName: try scanner.scanContactName()), action: .clear)
                )
            }
        ],
    ].flatMap { $0 }

    private static func itemForms(
        _ heads: String...,
        search: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> String?
    ) -> [CommandForm<ChatCommand>] {
        heads.map { head in
            CommandForm(head) { scanner throws(CommandParseError) in
                let chat = try scanner.scanChatNameIfAny()
                let count = try scanner.scanItemCount()
                let text = try search(&scanner)
                guard let chat else { return .console(.ownUser(.listItems(count: count, search: text))) }
                return .console(.chat(name: chat, action: .listItems(count: count, search: text)))
            }
        }
    }

    private static let settings: [CommandForm<ChatCommand>] = [
        ConsoleFeature.allCases.map { feature in
            CommandForm("/set \(feature.rawValue)") { scanner throws(CommandParseError) in
                if scanner.remainingText.hasPrefix(" #"), let ofGroup = ConsoleGroupFeature(rawValue: feature.rawValue)
                {
                    return try scanner.scanGroupFeature(ofGroup)
                }
                guard scanner.remainingText.hasPrefix(" @") else {
                    return .console(.ownUser(.setPreference(feature, try scanner.scanFeatureAllowed())))
                }
                let name = try scanner.scanContactName()
                return .console(
                    .contact(
                        name: name,
                        action: .setPreference(feature, scanner.isAtEnd ? nil : try scanner.scanFeatureAllowed())
                    )
                )
            }
        },
        [
            CommandForm("/set disappear") { scanner throws(CommandParseError) in
                if scanner.remainingText.hasPrefix(" #") { return try scanner.scanGroupTimedMessages() }
                guard scanner.remainingText.hasPrefix(" @") else {
                    return .console(
                        .ownUser(.setTimedMessages(try scanner.scanOneOf([FeatureAllowed.yes, .no]) == .yes))
                    )
                }
                let name = try scanner.scanContactName()
                return .console(
                    .contact(name: name, action: .setTimedMessages(try scanner.scanTimedMessagesPreference()))
                )
            },
            CommandForm("/ttl") { scanner throws(CommandParseError) in
                guard let chat = try scanner.scanChatNameIfAny() else {
                    return .console(
                        .ownUser(
                            scanner.isAtEnd
                                ? .showItemTTL : .setItemTTL(seconds: try CommandScanner.parseTTL(scanner.scanWord()))
                        )
                    )
                }
                if scanner.isAtEnd { return .console(.chat(name: chat, action: .showItemTTL)) }
                let word = try scanner.scanWord()
                return .console(
                    .chat(
                        name: chat,
                        action: .setItemTTL(seconds: word == "default" ? nil : try CommandScanner.parseTTL(word))
                    )
                )
            },
        ],
        ownForms("/smp") { scanner throws(CommandParseError) in try scanner.scanServers(.smp) },
        ownForms("/xftp") { scanner throws(CommandParseError) in try scanner.scanServers(.xftp) },
        ownForms("/operators") { scanner throws(CommandParseError) in .setOperators(try scanner.scanOperators()) },
        [
            CommandForm("/network", "/net") { scanner throws(CommandParseError) in
                scanner.isAtEnd
                    ? .settings(.getNetworkConfig) : .console(.ownUser(.setNetwork(try scanner.scanNetwork())))
            }
        ],
        ownForms("/relays") { scanner throws(CommandParseError) in try scanner.scanRelays() },
        ownForms("/relay test") { scanner throws(CommandParseError) in .testRelay(try scanner.scanWord()) },
        ownForms("/smp test", "/xftp test") { scanner throws(CommandParseError) in .testServer(try scanner.scanWord())
        },
    ].flatMap { $0 }
}
