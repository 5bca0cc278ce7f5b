import ChatAPI
import ChatModel
import JSON
import TestSupport
import Testing

/// Effects of events about calls, push notifications, remote control, channels and the core.
@Suite("Updates about calls, notifications, desktops, relays and the core")
struct FurtherEventsTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    private func apply(_ response: ChatResponse, _ command: ChatCommand, to model: inout ChatModel) {
        model.apply(ModelUpdates(response, to: command))
    }

    /// Replays the events of a client of simplex-chat, and calls `body` with the model after each.
    private func replayEvents(_ name: String, _ client: String, _ body: (String, ChatModel) -> Void) throws {
        var model = ChatModel(userId: 1)
        var commands: [String: String] = [:]
        for line in try Fixture.readTranscript(name) where line["client"]?.stringValue == client {
            let key = line["corrId"]?.stringValue ?? ""
            guard line["dir"] != "cmd" else {
                commands[key] = line["cmd"]?.stringValue
                continue
            }
            guard let json = line["json"], let type = json["type"]?.stringValue, type != "chatCmdError" else {
                continue
            }
            if line["dir"] == "event", let event = try? JSONDecoder().decode(ChatEvent.self, from: json) {
                model.apply(ModelUpdates(event))
                body(type, model)
            } else if let text = commands[key], let command = try? ChatCommand(parsing: text),
                let response = try? JSONDecoder().decode(ChatResponse.self, from: json)
            {
                model.apply(ModelUpdates(response, to: command))
                body(text.split(separator: " ").prefix(2).joined(separator: " "), model)
            }
        }
    }

    // MARK: Calls

    @Test
    func `A call invitation is listed until it is accepted, refused or ended`() throws {
        var told: [String] = []
        var last: RcvCallInvitation?
        try replayEvents("calls", "bob") { what, model in
            if ["callInvitation", "callEnded", "/_call offer", "/_call reject", "/_call end"].contains(what) {
                told.append("\(what) \(model.callInvitations.keys.sorted())")
            }
            last = model.callInvitations["@4"]
        }
        #expect(
            told == [
                #"callInvitation ["@4"]"#, "/_call offer []", "callEnded []", #"callInvitation ["@4"]"#,
                "/_call reject []", "/_call end []",
                #"callInvitation ["@4"]"#, #"callInvitation ["@4"]"#, "/_call reject []", #"callInvitation ["@4"]"#,
            ]
        )
        #expect(last?.callType.media.rawValue == "video")
    }

    @Test(arguments: [
        (
            "alice",
            [
                "", "invitationSent pending", "offerReceived pending", "offerReceived accepted",
                "offerReceived negotiated", "negotiated negotiated",
                "negotiated progress", "", "invitationSent pending", "", "invitationSent pending", "",
                "invitationSent pending", "", "invitationSent pending",
            ]
        ),
        (
            "bob",
            [
                "", "offerSent accepted", "negotiated accepted", "negotiated negotiated", "negotiated progress", "",
                "invitationSent pending", "",
            ]
        ),
    ])
    func `The model shows each state of a call from the invitation to the end`(client: String, states: [String]) throws
    {
        var seen: [String] = []
        var keys: Set<String?> = []
        try replayEvents("calls", client) { _, model in
            let state = model.activeCall.map { "\($0.callState.rawValue) \($0.callStatus.rawValue)" } ?? ""
            if seen.last != state { seen.append(state) }
            if model.activeCall?.callState == .negotiated { keys.insert(model.activeCall?.sharedKey) }
            #expect(model.activeCalls.count == (model.activeCall == nil ? 0 : 1))
        }
        #expect(seen == states)
        #expect(keys == ["-LAOvPo0f47bzdRRKLYWubc6zQloL_2iNIPxEq-E2ko="])
    }

    @Test
    func `A call invitation is removed with its contact, and invitations to other profiles are ignored`() throws {
        var model = samples.makeModel(contacts: 2)
        let contact = samples.directContact(1)
        func invitation(_ user: User) -> RcvCallInvitation {
            RcvCallInvitation(
                user: user,
                contact: contact,
                callType: CallType(media: .audio, capabilities: CallCapabilities(encryption: true)),
                callUUID: "1",
                callTs: samples.time(1)
            )
        }
        var other = samples.user
        other.userId = 77
        model.apply(ModelUpdates(.callInvitation(callInvitation: invitation(other))))
        #expect(model.callInvitations.isEmpty)
        apply(
            .callInvitations(callInvitations: [invitation(other), invitation(samples.user)]),
            .calls(.getCallInvitations),
            to: &model
        )
        #expect(model.callInvitations.keys.sorted() == ["@1"])
        apply(
            .contactDeleted(user: samples.user, contact: contact),
            .contacts(.deleteChat(chat: ChatRef(chatType: .direct, chatId: 1), mode: .full(notify: false))),
            to: &model
        )
        #expect(model.callInvitations.isEmpty)
    }

    // MARK: Notifications

    @Test
    func `The model shows each status of a push token from registration to deletion`() {
        var model = samples.makeModel(contacts: 1)
        let token = DeviceToken(pushProvider: .apns_test, token: "abab")
        apply(
            .ntfTokenStatus(status: .registered),
            .notifications(.registerToken(token: token, notificationMode: .instant)),
            to: &model
        )
        #expect(model.notifications.deviceToken == token && model.notifications.savedToken == token)
        #expect(model.notifications.tokenRegistered && model.notifications.tokenStatus == .registered)
        #expect(model.notifications.notificationMode == .instant)
        apply(.cmdOk(user_: nil), .notifications(.verifyToken(token: token, nonce: "", code: "")), to: &model)
        #expect(model.notifications.tokenStatus == .active)
        apply(
            .ntfToken(token: token, status: .expired, ntfMode: .periodic, ntfServer: "ntf://x@y"),
            .notifications(.getNtfToken),
            to: &model
        )
        #expect(!model.notifications.tokenRegistered && model.notifications.notificationMode == .periodic)
        #expect(model.notifications.notificationServer == "ntf://x@y")
        apply(.ntfTokenStatus(status: .confirmed), .notifications(.checkToken(token: token)), to: &model)
        #expect(model.notifications.tokenRegistered && model.notifications.savedToken == token)
        apply(.cmdOk(user_: nil), .notifications(.deleteToken(token: token)), to: &model)
        #expect(model.notifications == NotificationState())
    }

    // MARK: Remote control

    @Test
    func `The model shows each state of a session with a remote desktop`() throws {
        var told: [String] = []
        try replayEvents("remote-control", "alice") { _, model in
            let state =
                model.remoteCtrlSession.map { session in
                    let name =
                        switch session.sessionState {
                        case .connecting: "connecting"
                        case .pendingConfirmation(let code): "code \(code.prefix(5))"
                        case .connected(let code):
                            "connected \(code.prefix(5)) \(session.remoteCtrl?.ctrlDeviceName ?? "")"
                        default: "another"
                        }
                    return "\(name), \(session.ctrlAppInfo?.deviceName ?? ""), \(session.appVersion ?? "")"
                } ?? "none"
            if told.last != state { told.append(state) }
        }
        #expect(
            told == [
                "none", "connecting, bob desktop, 7.0.0.6", "code 53815, bob desktop, 7.0.0.6",
                "connected 53815 bob desktop, bob desktop, 7.0.0.6", "none",
            ]
        )
    }

    @Test
    func `The model shows the search for a known remote desktop, and the desktop that was found`() {
        var model = samples.makeModel(contacts: 1)
        apply(.cmdOk(user_: nil), .remoteControl(.findKnownRemoteCtrl), to: &model)
        #expect(model.remoteCtrlSession?.sessionState == .searching && model.remoteCtrlSession?.remoteCtrl == nil)
        let desktop = RemoteCtrlInfo(remoteCtrlId: 3, ctrlDeviceName: "desktop")
        model.apply(
            ModelUpdates(.remoteCtrlFound(remoteCtrl: desktop, ctrlAppInfo_: nil, appVersion: "6.5", compatible: false))
        )
        #expect(model.remoteCtrlSession?.remoteCtrl == desktop && model.remoteCtrlSession?.compatible == false)
        model.apply(ModelUpdates(.remoteCtrlStopped(rcsState: .searching, rcStopReason: .disconnected)))
        #expect(model.remoteCtrlSession == nil)
    }

    // MARK: Channels

    private func makeRelay(_ id: Int64, _ status: RelayStatus) -> GroupRelay {
        GroupRelay(
            groupRelayId: id,
            groupMemberId: id,
            userChatRelay: UserChatRelay(
                chatRelayId: id,
                address: "",
                relayProfile: RelayProfile(displayName: "relay \(id)", fullName: ""),
                domains: [],
                preset: false,
                enabled: true,
                deleted: false
            ),
            relayStatus: status,
            relayCap: RelayCapabilities()
        )
    }

    @Test
    func `The model shows and updates only the relays of the open channel`() throws {
        let group = samples.groupInfo(1), elsewhere = samples.groupInfo(2)
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .group, chatId: 1))
        let command = ChatCommand.groups(.getGroupRelays(groupId: 1))
        session.apply(
            ModelUpdates(
                .groupRelays(user: samples.user, groupInfo: elsewhere, groupRelays: [makeRelay(9, .new)]),
                to: command
            )
        )
        #expect(session.channelRelays == ChannelRelaysModel())
        session.apply(
            ModelUpdates(
                .groupRelays(
                    user: samples.user,
                    groupInfo: group,
                    groupRelays: [makeRelay(1, .new), makeRelay(2, .invited)]
                ),
                to: command
            )
        )
        #expect(session.channelRelays.groupId == 1)
        let member = try samples.readMember()
        session.apply(
            ModelUpdates(
                .groupRelayUpdated(
                    user: samples.user,
                    groupInfo: group,
                    member: member,
                    groupRelay: makeRelay(2, .active)
                )
            )
        )
        session.apply(
            ModelUpdates(
                .groupRelayUpdated(user: samples.user, groupInfo: group, member: member, groupRelay: makeRelay(3, .new))
            )
        )
        session.apply(
            ModelUpdates(
                .groupRelayUpdated(
                    user: samples.user,
                    groupInfo: elsewhere,
                    member: member,
                    groupRelay: makeRelay(1, .inactive)
                )
            )
        )
        #expect(session.channelRelays.groupRelays.map(\.relayStatus) == [.new, .active, .new])
        let link = GroupLink(
            userContactLinkId: 1,
            connLinkContact: CreatedConnLink(connFullLink: "link"),
            shortLinkDataSet: true,
            shortLinkLargeDataSet: true,
            groupLinkId: "id",
            acceptMemberRole: .observer
        )
        session.apply(
            ModelUpdates(
                .groupLinkDataUpdated(
                    user: samples.user,
                    groupInfo: group,
                    groupLink: link,
                    groupRelays: [makeRelay(3, .active)],
                    relaysChanged: true
                )
            )
        )
        #expect(session.channelRelays.groupLink == link && session.channelRelays.groupRelays.map(\.groupRelayId) == [3])
        session.apply(
            ModelUpdates(
                .groupLinkDataUpdated(
                    user: samples.user,
                    groupInfo: group,
                    groupLink: link,
                    groupRelays: [],
                    relaysChanged: false
                )
            )
        )
        #expect(session.channelRelays.groupRelays.map(\.groupRelayId) == [3])
        session.apply(
            ModelUpdates(
                .groupRelays(user: samples.user, groupInfo: group, groupRelays: [makeRelay(3, .active)]),
                to: command
            )
        )
        #expect(session.channelRelays.groupLink == link)
        session.closeChat()
        #expect(session.channelRelays == ChannelRelaysModel())
    }

    @Test
    func `Updated link data of a channel are shown in the chat list`() throws {
        var group = samples.groupInfo(1)
        var model = samples.makeModel(contacts: 1)
        model.apply(
            .init(
                userId: samples.user.userId,
                [.chats([AChat(chatInfo: samples.groupChatInfo(1), chatItems: [], chatStats: .none)])]
            )
        )
        group.groupSummary.publicMemberCount = 7
        model.apply(
            ModelUpdates(
                .groupInfo(user: samples.user, groupInfo: group),
                to: .groups(.getUpdatedGroupLinkData(groupId: 1))
            )
        )
        guard case .group(let shown, _)? = model.getChat("#1")?.chatInfo else { throw MissingGroup() }
        #expect(shown.groupSummary.publicMemberCount == 7)
    }

    private struct MissingGroup: Error {}

    // MARK: The core

    @Test
    func `The model shows the latest conditions of use, network state and running state of the core`() throws {
        var model = samples.makeModel(contacts: 1)
        #expect(model.conditions == nil && model.networkInfo == UserNetworkInfo(networkType: .other, online: true))
        let line = try #require(
            try Fixture.readTranscript("servers").first { $0["json"]?["type"] == "serverOperatorConditions" }?["json"]
        )
        let response = try JSONDecoder().decode(ChatResponse.self, from: line)
        apply(response, .servers(.getServerOperators), to: &model)
        #expect(model.conditions != nil)
        let info = UserNetworkInfo(networkType: .cellular, online: true)
        apply(.cmdOk(user_: nil), .settings(.setNetworkInfo(networkInfo: info)), to: &model)
        #expect(model.networkInfo == info)
        apply(.chatStarted, .lifecycle(.startChat(mainApp: true, enableSndFiles: true)), to: &model)
        #expect(model.lifecycle.appState == .active)
        model.apply(ModelUpdates(.chatSuspended))
        #expect(model.lifecycle.chatRunning == true && model.lifecycle.appState == .suspended)
        apply(.chatRunning, .lifecycle(.checkChatRunning), to: &model)
        #expect(model.lifecycle.appState == .suspended)
        apply(.cmdOk(user_: nil), .lifecycle(.activateChat(restoreChat: true)), to: &model)
        #expect(model.lifecycle.appState == .active)
        apply(.chatStopped, .lifecycle(.stopChat), to: &model)
        #expect(model.lifecycle.chatRunning == false && model.lifecycle.appState == .stopped)
        apply(.cmdOk(user_: nil), .lifecycle(.activateChat(restoreChat: true)), to: &model)
        #expect(model.lifecycle.appState == .stopped)
        apply(
            .chatItemTTL(user: samples.user, chatItemTTL: 60),
            .settings(.getChatItemTTL(userId: samples.user.userId)),
            to: &model
        )
        #expect(model.chatItemTTL == 60)
        apply(
            .cmdOk(user_: samples.user),
            .settings(.setChatItemTTL(userId: samples.user.userId, seconds: 0)),
            to: &model
        )
        #expect(model.chatItemTTL == nil)
    }
}
