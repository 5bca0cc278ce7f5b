/// Commands about the version, connections, servers, workers and queues (Chat API, section 2.15).
package enum DiagnosticsCommand: Hashable, Sendable {
    case showVersion
    case getAgentSubsTotal(userId: Int64)
    case getAgentServersSummary(userId: Int64)
    case resetAgentServersStats
    case contactQueueInfo(contactId: Int64)
    case groupMemberQueueInfo(groupId: Int64, groupMemberId: Int64)
    case getNetworkStatuses
    case showConnectionsDiff(showIds: Bool)
    case resubscribeAllConnections
    case getAgentSubs
    case getAgentSubsDetails
    case getAgentWorkers
    case getAgentWorkersDetails
    case getAgentQueuesInfo
    case debugLocks
    case execChatStoreSQL(query: String)
    case execAgentStoreSQL(query: String)
    case slowSQLQueries
    case customChatCommand(text: String)
}

extension DiagnosticsCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .showVersion: "/version"
        case .getAgentSubsTotal(let userId): "/get subs total \(userId)"
        case .getAgentServersSummary(let userId): "/get servers summary \(userId)"
        case .resetAgentServersStats: "/reset servers stats"
        case .contactQueueInfo(let contactId): "/_queue info @\(contactId)"
        case .groupMemberQueueInfo(let groupId, let groupMemberId): "/_queue info #\(groupId) \(groupMemberId)"
        case .getNetworkStatuses: "/_network_statuses"
        case .showConnectionsDiff(let showIds): "/_connections diff show_ids=\(showIds)"
        case .resubscribeAllConnections: "/_resubscribe all"
        case .getAgentSubs: "/get subs"
        case .getAgentSubsDetails: "/get subs details"
        case .getAgentWorkers: "/get workers"
        case .getAgentWorkersDetails: "/get workers details"
        case .getAgentQueuesInfo: "/get queues"
        case .debugLocks: "/debug locks"
        case .execChatStoreSQL(let query): "/sql chat \(query)"
        case .execAgentStoreSQL(let query): "/sql agent \(query)"
        case .slowSQLQueries: "/sql slow"
        case .customChatCommand(let text): "//\(text)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/version", "/v", is: .showVersion),
        CommandForm("/get subs total") { scanner throws(CommandParseError) in
            .getAgentSubsTotal(userId: try scanner.scanNumber())
        },
        CommandForm("/get servers summary") { scanner throws(CommandParseError) in
            .getAgentServersSummary(userId: try scanner.scanNumber())
        },
        CommandForm("/reset servers stats", is: .resetAgentServersStats),
        CommandForm("/_queue info") { scanner throws(CommandParseError) in
            if scanner.remainingText.hasPrefix(" @") {
                return .contactQueueInfo(contactId: try scanner.scanChatID(.direct))
            }
            return .groupMemberQueueInfo(
                groupId: try scanner.scanChatID(.group),
                groupMemberId: try scanner.scanNumber()
            )
        },
        CommandForm("/_network_statuses", is: .getNetworkStatuses),
        CommandForm("/_connections diff") { scanner throws(CommandParseError) in
            .showConnectionsDiff(showIds: try scanner.scanFlag("show_ids") ?? false)
        },
        CommandForm("/_resubscribe all", is: .resubscribeAllConnections),
        CommandForm("/get subs", is: .getAgentSubs),
        CommandForm("/get subs details", is: .getAgentSubsDetails),
        CommandForm("/get workers", is: .getAgentWorkers),
        CommandForm("/get workers details", is: .getAgentWorkersDetails),
        CommandForm("/get queues", is: .getAgentQueuesInfo),
        CommandForm("/debug locks", is: .debugLocks),
        CommandForm("/sql chat") { scanner throws(CommandParseError) in
            .execChatStoreSQL(query: try scanner.scanRemainder())
        },
        CommandForm("/sql agent") { scanner throws(CommandParseError) in
            .execAgentStoreSQL(query: try scanner.scanRemainder())
        },
        CommandForm("/sql slow", is: .slowSQLQueries),
    ]
}

extension DiagnosticsCommand {
    package var name: CommandName {
        switch self {
        case .showVersion: .showVersion
        case .getAgentSubsTotal: .getAgentSubsTotal
        case .getAgentServersSummary: .getAgentServersSummary
        case .resetAgentServersStats: .resetAgentServersStats
        case .contactQueueInfo: .contactQueueInfo
        case .groupMemberQueueInfo: .groupMemberQueueInfo
        case .getNetworkStatuses: .getNetworkStatuses
        case .showConnectionsDiff: .showConnectionsDiff
        case .resubscribeAllConnections: .resubscribeAllConnections
        case .getAgentSubs: .getAgentSubs
        case .getAgentSubsDetails: .getAgentSubsDetails
        case .getAgentWorkers: .getAgentWorkers
        case .getAgentWorkersDetails: .getAgentWorkersDetails
        case .getAgentQueuesInfo: .getAgentQueuesInfo
        case .debugLocks: .debugLocks
        case .execChatStoreSQL: .execChatStoreSQL
        case .execAgentStoreSQL: .execAgentStoreSQL
        case .slowSQLQueries: .slowSQLQueries
        case .customChatCommand: .customChatCommand
        }
    }
}
