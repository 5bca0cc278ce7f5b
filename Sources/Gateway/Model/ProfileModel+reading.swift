internal import ChatAPI
internal import ChatCore
internal import ChatModel

// These functions read the whole state of a profile, and read outdated parts of the state again.
extension ProfileModel {
    /// Reads the whole state from the core.
    func loadState() async throws(ProblemDetails) {
        var lifecycle = AppLifecycle()
        lifecycle.chatInitialized = true
        lifecycle.chatDbEncrypted = core.areDatabasesEncrypted
        model.setLifecycle(lifecycle)
        try await readWholeState()
        await refreshOutdatedParts()
        publishChanges()
    }

    private func readWholeState() async throws(ProblemDetails) {
        applyUpdates(
            ModelUpdates(userId: nil, [.networkInfo(core.controller?.networkInfo ?? UserNetworkInfo.assumedOnline)])
        )
        try await runInOrder(
            .messages(.getChats(userId: userId, pendingConnections: true, pagination: nil, query: nil))
        )
        let others: [ChatCommand] = [
            .users(.listUsers), .lifecycle(.checkChatRunning), .tags(.getChatTags(userId: userId)),
            .settings(.getChatItemTTL(userId: userId)),
            .address(.showMyAddress(userId: userId)), .calls(.getCallInvitations), .notifications(.getNtfToken),
            .servers(.getServerOperators),
            .diagnostics(.getNetworkStatuses),
        ]
        applyInbox()
        model.subscriptions.beginReading()
        for command in others {
            // A part that the core cannot return is left out.
            do throws(ProblemDetails) { try await runInOrder(command) } catch { continue }
        }
        readAppState()
        await readRemoteCtrl()
    }

    /// Reads whether the core is active, suspended or stopped. No command returns this state in the order of the
    /// changes, so the state is read until two consecutive results are equal.
    private func readAppState() {
        var state: AppState?
        repeat {
            state = appState
            applyInbox()
            applyUpdates(ModelUpdates(userId: nil, [.appState(state)]))
        } while appState != state
    }

    private var appState: AppState? {
        core.controller.map { $0.isSuspended ? .suspended : $0.isRunning ? .active : .stopped }
    }

    /// Reads the session with a desktop. No command returns this session in the order of the changes, so the session is
    /// read until two consecutive results are equal.
    private func readRemoteCtrl() async {
        var session: RemoteCtrlSession?
        repeat {
            session = await core.controller?.remoteCtrlStatus.session
            applyInbox()
            applyUpdates(ModelUpdates(userId: nil, [.remoteCtrl(session)]))
        } while await core.controller?.remoteCtrlStatus.session != session
    }

    /// Runs a command that reads. Applies the response to the model, after all changes that came before the response.
    func runInOrder(_ command: ChatCommand, for session: SessionRead? = nil) async throws(ProblemDetails) {
        let origin = settings.nextOrigin()
        if let session { runningReads[origin] = session }
        let result = await core.runOrderedRead(command, as: userId, with: .all, origin: origin)
        applyInbox()
        let left = runningReads.removeValue(forKey: origin)
        switch result {
        case .error(let error): throw ProblemDetails(error)
        case .result(let response):
            // The inbox overflowed and lost the change with this response. The whole state is read again later. Until
            // then, the session shows this response.
            if let left {
                sessions[left.sessionID]?.addResult(response, left)
                sessions[left.sessionID]?.showSubscriptions(model.subscriptions)
            }
        }
    }

    /// Reads outdated parts of the state again, until no part is outdated or 20 attempts were made.
    func refreshOutdatedParts() async {
        for _ in 0..<20 {
            applyInbox()
            guard needsReading || reloadTask != nil else { return }
            await rereadUntilCurrent()
        }
    }

    var needsReading: Bool { hasLostChanges || !pendingReloads.isEmpty || !sessionsWithMergedChat.isEmpty }

    func rereadUntilCurrent() async {
        let task = reloadTask ?? Task { await self.rereadParts() }
        reloadTask = task
        await task.value
    }

    func rereadParts() async {
        while needsReading {
            if hasLostChanges {
                hasLostChanges = false
                pendingReloads = []
                // A part that cannot be read keeps its last known state.
                do throws(ProblemDetails) { try await readWholeState() } catch {}
                await rereadOpenChats()
                continue
            }
            if let opening = sessionsWithMergedChat.popFirst() {
                await readMergedChat(in: opening)
                continue
            }
            guard let next = pendingReloads.popFirst() else { break }
            for command in next.readCommands(userId: userId) {
                // A part that cannot be read keeps its last known state.
                do throws(ProblemDetails) { try await runInOrder(command) } catch { continue }
            }
        }
        reloadTask = nil
    }
}

extension RemoteCtrlStatus {
    /// The session with a desktop, in the form of the model; nil without a session.
    fileprivate var session: RemoteCtrlSession? {
        guard let sessionState else { return nil }
        let known = remoteCtrlId.map { id in
            RemoteCtrlInfo(remoteCtrlId: id, ctrlDeviceName: ctrlDeviceName ?? "", sessionState: sessionState)
        }
        return RemoteCtrlSession(remoteCtrl: known, sessionState: sessionState)
    }
}

extension Reload {
    func readCommands(userId: Int64) -> [ChatCommand] {
        switch self {
        case .users: [.users(.listUsers)]
        case .chats: [.messages(.getChats(userId: userId, pendingConnections: true, pagination: nil, query: nil))]
        case .tags: [.tags(.getChatTags(userId: userId))]
        case .address: [.address(.showMyAddress(userId: userId))]
        case .chat(let chat):
            [
                .messages(.getChat(chat: chat, contentTag: nil, pagination: .last(count: 1), search: nil)),
                .messages(.getChat(chat: chat, contentTag: nil, pagination: .initial(count: 1), search: nil)),
            ]
        }
    }
}
