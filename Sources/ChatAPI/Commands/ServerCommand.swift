/// Commands for message and file servers, their operators and conditions of use (Chat API, section 2.12).
package enum ServerCommand: Hashable, Sendable {
    case getServerOperators
    case setServerOperators(operators: [ServerOperator])
    case getUserServers(userId: Int64)
    case setUserServers(userId: Int64, userServers: [UserOperatorServers])
    case validateServers(userId: Int64, userServers: [UserOperatorServers])
    case getUsageConditions
    case acceptConditions(conditionsId: Int64, operatorIds: [Int64])
    case setConditionsNotified(conditionsId: Int64)
    case testProtoServer(userId: Int64, server: String)
    case testChatRelay(userId: Int64, address: String)
}

extension ServerCommand: CommandCategory {
    var commandText: CommandText {
        switch self {
        case .getServerOperators: "/_operators"
        case .setServerOperators(let operators): "/_operators \(json: operators)"
        case .getUserServers(let userId): "/_servers \(userId)"
        case .setUserServers(let userId, let userServers): "/_servers \(userId) \(json: userServers)"
        case .validateServers(let userId, let userServers): "/_validate_servers \(userId) \(json: userServers)"
        case .getUsageConditions: "/_conditions"
        case .acceptConditions(let conditionsId, let operatorIds): "/_accept_conditions \(conditionsId) \(operatorIds)"
        case .setConditionsNotified(let conditionsId): "/_conditions_notified \(conditionsId)"
        case .testProtoServer(let userId, let server): "/_server test \(userId) \(server)"
        case .testChatRelay(let userId, let address): "/_relay test \(userId) \(address)"
        }
    }

    static let forms: [CommandForm<Self>] = [
        CommandForm("/_operators") { scanner throws(CommandParseError) in
            scanner.isAtEnd ? .getServerOperators : .setServerOperators(operators: try scanner.scanJSON())
        },
        CommandForm("/_servers") { scanner throws(CommandParseError) in
            let userId: Int64 = try scanner.scanNumber()
            return scanner.isAtEnd
                ? .getUserServers(userId: userId) : .setUserServers(userId: userId, userServers: try scanner.scanJSON())
        },
        CommandForm("/_validate_servers") { scanner throws(CommandParseError) in
            .validateServers(userId: try scanner.scanNumber(), userServers: try scanner.scanJSON())
        },
        CommandForm("/_conditions", is: .getUsageConditions),
        CommandForm("/_accept_conditions") { scanner throws(CommandParseError) in
            .acceptConditions(conditionsId: try scanner.scanNumber(), operatorIds: try scanner.scanNumbers())
        },
        CommandForm("/_conditions_notified") { scanner throws(CommandParseError) in
            .setConditionsNotified(conditionsId: try scanner.scanNumber())
        },
        CommandForm("/_server test") { scanner throws(CommandParseError) in
            .testProtoServer(userId: try scanner.scanNumber(), server: try scanner.scanWord())
        },
        CommandForm("/_relay test") { scanner throws(CommandParseError) in
            .testChatRelay(userId: try scanner.scanNumber(), address: try scanner.scanWord())
        },
    ]
}

extension ServerCommand {
    package var name: CommandName {
        switch self {
        case .getServerOperators: .getServerOperators
        case .setServerOperators: .setServerOperators
        case .getUserServers: .getUserServers
        case .setUserServers: .setUserServers
        case .validateServers: .validateServers
        case .getUsageConditions: .getUsageConditions
        case .acceptConditions: .acceptConditions
        case .setConditionsNotified: .setConditionsNotified
        case .testProtoServer: .testProtoServer
        case .testChatRelay: .testChatRelay
        }
    }
}
