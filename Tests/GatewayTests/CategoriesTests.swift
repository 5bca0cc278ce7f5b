import ChatAPI
import ChatCore
import JSON
import NIOPosix
import TestSupport
import Testing

@testable import Gateway

/// Every command of the categories for direct chats has a text, a case, a route and an operation in the contract, and
/// is executed.
@Suite(.socketTimeLimit) struct CategoriesTests {
    static let categories: Set = [
        "Users", "Lifecycle", "Messages", "Contacts", "Files", "Tags", "Settings", "Database", "Servers",
        "Diagnostics", "Address", "Security",
        "RemoteControl", "Calls", "Notifications",
    ]

    /// Commands that only the terminal of the original has. Apps do not use these commands, so they need no route.
    static let commandsWithoutRoute = [
        "connect": "/connect", "setTempFolder": "/_temp_folder /tmp/rooms-t",
        "setFilesFolder": "/_files_folder /tmp/rooms-f",
        "setRemoteHostsFolder": "/remote_hosts_folder /tmp/rooms-r", "exportArchive": "/db export",
        "showConnectionsDiff": "/_connections diff show_ids=on", "resubscribeAllConnections": "/_resubscribe all",
        // These commands need no route, because `/v1/diagnostics/workers` and `/v1/diagnostics/locks` show more.
        "debugLocks": "/debug locks", "getAgentWorkers": "/get workers",
        "getAgentWorkersDetails": "/get workers details", "getAgentSubs": "/get subs",
        // The core refuses this command, because in the original only a bot that embeds the core can define such
        // commands.
        "customChatCommand": "//custom",
    ]

    static let terminalOnlyCommands = [
        "apiSendServiceResponse": "answers to requests of services are not established",
        "execChatStoreSQL": "for its developers",
        "execAgentStoreSQL": "for its developers",
        "getAgentSubsDetails": "addresses of queues, for its developers",
        "getAgentQueuesInfo": "queues between its threads, which this program does not have",
        "quitChat": "ends the terminal; a server ends by its signals",
        "string": "any text",
    ]

    /// Commands that apps do not use. These commands still have routes, and are in the contract.
    static let desktopCommands: Set = [
        "setClientService", "slowSQLQueries",
        "listRemoteHosts", "startRemoteHost", "switchRemoteHost", "stopRemoteHost", "deleteRemoteHost",
        "storeRemoteFile", "getRemoteFile",
    ]

    private struct CommandEntry {
        let name: String
        let category: String?
    }

    private func readCommands() throws -> [CommandEntry] {
        try #require(try Fixture.readCatalogue()["commands"]?.arrayValue).map {
            CommandEntry(name: $0["name"]?.stringValue ?? "", category: $0["room"]?.stringValue)
        }
    }

    @Test
    func `The text of each core command is parsed to this command, and the command is written as the same text`() throws
    {
        for entry in try readCommands() where entry.category.map(Self.categories.contains) == true {
            guard let text = CategoryCommands.texts[entry.name] else {
                Issue.record("\(entry.name) has no text")
                continue
            }
            let command = try ChatCommand(parsing: text)
            #expect(command.text == text)
            // The description of a command has the form `category(ChatAPI.UserCommand.case(…))`, so the name of the
            // case is after the last point.
            let words = "\(command)".split(separator: "(", maxSplits: 2)
            let named = words.count > 1 ? words[1].prefix { $0 != ")" }.split(separator: ".").last : nil
            let name = entry.name.hasPrefix("api") ? entry.name.dropFirst(3) : entry.name[...]
            #expect(named == name.prefix(1).lowercased() + name.dropFirst(), "\(entry.name): \(command)")
            let category = entry.category.map { $0.prefix(1).lowercased() + $0.dropFirst() }
            #expect(words.first.map(String.init) == category || entry.name == "setContactMergeEnabled")
        }
    }

    @Test
    func `Each command has a route and an operation in the contract`() throws {
        for entry in try readCommands() {
            guard let category = entry.category, Self.categories.contains(category) else {
                let isOfDesktops =
                    Self.desktopCommands.contains(entry.name)
                    && RouteTable.all.contains { $0.coreCommands.map(\.rawValue).contains(entry.name) }
                let isKnown =
                    entry.category != nil || Self.commandsWithoutRoute[entry.name] != nil
                    || Self.terminalOnlyCommands[entry.name] != nil || isOfDesktops
                #expect(isKnown, "\(entry.name)")
                continue
            }
            guard let route = RouteTable.all.first(where: { $0.coreCommands.map(\.rawValue).contains(entry.name) })
            else {
                Issue.record("\(entry.name) has no route")
                continue
            }
            // A merge patch runs commands of several categories, so its category may differ.
            #expect(route.category == category || route.method == .patch, "\(entry.name)")
            #expect(Contract.servedContract.findOperation(route) != nil, "\(entry.name)")
        }
        let names = Set(try readCommands().map(\.name))
        #expect(Self.commandsWithoutRoute.keys.allSatisfy(names.contains))
        #expect(Self.terminalOnlyCommands.keys.allSatisfy(names.contains))
    }

    @Test
    func `Every command of every category is implemented in the core`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let routed = try readCommands().filter { $0.category.map(Self.categories.contains) == true }.map(\.name)
            // Commands that stop the core or delete its data are executed last, so that the other commands still find
            // both.
            let last = [
                "apiSuspendChat", "apiActivateChat", "apiStopChat", "testStorageEncryption", "apiExportArchive",
                "apiDeleteUser", "apiStorageEncryption", "apiImportArchive", "apiDeleteStorage",
            ]
            for name in routed.filter({ !last.contains($0) }) + last {
                guard let text = CategoryCommands.texts[name] ?? Self.commandsWithoutRoute[name] else { continue }
                guard case .error(let error) = await gateway.core.send(try ChatCommand(parsing: text), with: .all)
                else { continue }
                #expect(error.notImplementedCommand == nil, "\(name)")
            }
        }
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            for (name, text) in Self.commandsWithoutRoute {
                guard case .error(let error) = await gateway.core.send(try ChatCommand(parsing: text), with: .all)
                else { continue }
                #expect(error.notImplementedCommand == nil, "\(name)")
            }
        }
    }
}
