internal import Agent
internal import ChatAPI
internal import JSON
internal import SMP

/// Commands that show workers, locks and subscriptions, in the forms of the original. A worker of this program ends
/// when it has no work, so no worker is idle, and no worker is restarted.
extension RunningCommand {
    /// `/debug locks`: returns the locks that are held now. A change of the store is one transaction, so chats have no
    /// locks.
    func showLocks() -> ChatResponse {
        let joining = services.joiningConnectionIds.withLock { $0 }
        let steps = services.agent.workerStates.filter { $0.kind == .connection }
        return .debugLocks(
            chatLockName: services.lifecycleLock.figures.runningCount > 0 ? "lifecycle" : nil,
            chatEntityLocks: Dictionary(uniqueKeysWithValues: joining.map { ("connection \($0)", "join") }),
            agentLocks: .object(
                JSONObject([
                    ("connLocks", makeObject(steps.map { ($0.originalKey, .string("\($0.waitingCount) waiting")) })),
                    ("invLocks", .object(JSONObject())),
                ])
            )
        )
    }

    /// `/get workers`: returns the numbers of sessions and workers.
    func showWorkersSummary() -> ChatResponse {
        let states = services.agent.workerStates
        func makeWorkerCounts(_ kind: WorkerState.Kind) -> JSONValue {
            let activeCount = Int64(states.count { $0.kind == kind })
            return ["numActive": .integer(activeCount), "numIdle": 0, "totalRestarts": 0]
        }
        let sessions = readSessions()
        func makeNumber(_ count: Int) -> JSONValue { .integer(Int64(count)) }
        let summary: JSONValue = [
            "smpClientsCount": makeNumber(sessions.smp.count), "ntfClientsCount": makeNumber(sessions.ntf.count),
            "xftpClientsCount": makeNumber(sessions.xftp.count), "smpDeliveryWorkersCount": makeWorkerCounts(.delivery),
            "asyncCmdWorkersCount": makeWorkerCounts(.connection),
            "smpSubWorkersCount": makeNumber(states.count { $0.isSubscribing }),
            "ntfWorkersCount": makeWorkerCounts(.notification), "ntfSMPWorkersCount": makeWorkerCounts(.notifier),
            "xftpRcvWorkersCount": makeWorkerCounts(.fileReceiving),
            "xftpSndWorkersCount": makeWorkerCounts(.fileSending),
            "xftpDelWorkersCount": makeWorkerCounts(.fileDeletion),
        ]
        return .agentWorkersSummary(agentWorkersSummary: summary)
    }

    /// `/get workers details`: returns the sessions and workers with their servers.
    func showWorkersDetails() -> ChatResponse {
        let states = services.agent.workerStates
        func listWorkers(_ kind: WorkerState.Kind) -> JSONValue {
            makeObject(
                states.filter { $0.kind == kind }.map { state in
                    let isRunning = state.activity == .running
                    return (
                        state.originalKey,
                        [
                            "restarts": 0, "hasWork": .bool(state.waitingCount > 0 || isRunning),
                            "hasAction": .bool(isRunning),
                        ]
                    )
                }
            )
        }
        func makeTextList(_ servers: [String]) -> JSONValue { .array(servers.map { .string($0) }) }
        let sessions = readSessions()
        let details: JSONValue = [
            "smpClients": makeTextList(sessions.smp), "ntfClients": makeTextList(sessions.ntf),
            "xftpClients": makeTextList(sessions.xftp),
            "smpDeliveryWorkers": listWorkers(.delivery), "asyncCmdWorkers": listWorkers(.connection),
            "smpSubWorkers": makeTextList(states.filter(\.isSubscribing).map(\.originalKey).sorted()),
            "ntfWorkers": listWorkers(.notification), "ntfSMPWorkers": listWorkers(.notifier),
            "xftpRcvWorkers": listWorkers(.fileReceiving), "xftpSndWorkers": listWorkers(.fileSending),
            "xftpDelWorkers": listWorkers(.fileDeletion),
        ]
        return .agentWorkersDetails(agentWorkersDetails: details)
    }

    /// `/get subs`: returns the numbers of queues of each relay, by the state of their subscription. If a relay removes
    /// a queue, the connection of the queue ends, so there is no list of removed queues.
    func showSubscriptions() -> ChatResponse {
        let states = ServerSummaries.mergeByServer(
            services.agent.serverStates().1.filter { $0.server.scheme == .smp }
        )
        func countQueuesByServer(_ count: KeyPath<ServerState, Int>) -> [String: Int] {
            Dictionary(
                uniqueKeysWithValues: states.filter { $0[keyPath: count] > 0 }.map {
                    ($0.server.str, $0[keyPath: count])
                }
            )
        }
        return .agentSubs(
            activeSubs: countQueuesByServer(\.activeQueues),
            pendingSubs: countQueuesByServer(\.pendingQueues),
            removedSubs: [:]
        )
    }

    /// Lists the sessions with relays, notification servers and file servers, each with its user.
    private func readSessions() -> (smp: [String], ntf: [String], xftp: [String]) {
        let states = services.agent.serverStates().1
        func listSessions(_ scheme: ProtocolServer.Scheme) -> [String] {
            states.filter { $0.server.scheme == scheme && $0.isUsed }.map { "\($0.user) \($0.server.str)" }
        }
        let files = services.agent.fileServerStates().filter { $0.connectedSessions > 0 }
        return (listSessions(.smp), listSessions(.ntf), files.map { "\($0.user) \($0.server.str)" })
    }

    private func makeObject(_ members: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        for (name, value) in members.sorted(by: { $0.0 < $1.0 }) { object[name] = value }
        return .object(object)
    }
}

extension WorkerState {
    /// The key of the worker in the original's form: a text with the server, the connection and the file of the worker.
    /// A part that the worker does not have is left out.
    fileprivate var originalKey: String {
        [server?.withoutPassword.str, connection?.text, file?.text].compactMap(\.self).joined(separator: " ")
    }

    /// Whether the worker has a session to establish, or queues to subscribe to.
    fileprivate var isSubscribing: Bool { kind == .subscription && waitingCount > 0 }
}
