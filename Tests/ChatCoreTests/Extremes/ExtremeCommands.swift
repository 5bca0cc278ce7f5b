import ChatAPI

@testable import ChatCore
@testable import ChatStore

/// Commands that are sent to a store.
enum ExtremeCommands {
    /// The commands that only read and do not wait for the network.
    static func readingCommands(_ items: [String: Int64]) -> [String] {
        ["@1", "#1", "*1"].flatMap { chat in
            let item = items[chat] ?? 0
            return [
                "/_get chat \(chat) count=50", "/_get chat \(chat) before=\(item) count=5",
                "/_get chat \(chat) around=\(item) count=5", "/_get chat \(chat) initial=10",
                "/_get chat \(chat) count=5 search=two", "/_get chat \(chat) count=5 search=note",
                "/_get content types \(chat)", "/_get item info \(chat) \(item)",
            ]
        } + [
            "/u", "/users", "/_check running", "/_get chats 1 pcc=on",
            #"/_get chats 1 pcc=off count=1 {"type":"search","search":"b"}"#, "/_get items count=20",
            "/_get items count=5 search=note", "/_get items initial=5",
            #"/_reaction members 1 #1 \#(items["#1"] ?? 0) {"type":"emoji","emoji":"👍"}"#, "/_contacts 1", "/_info @1",
            "/_get code @1", "/_groups 1", "/_info #1", "/_members #1", "/_info #1 1", "/_info #1 2", "/_get code #1 2",
            "/_get link #1", "/_get relays #1", "/_get tags 1", "/_call get", "/_ntf get", "/_get app settings",
            "/_ttl 1", "/network", "/_operators", "/_servers 1", "/_conditions", "/version", "/get subs total 1",
            "/_show_address 1",
            // Commands that need the scope `admin`.
            "/get servers summary 1", "/_network_statuses", "/_connections diff show_ids=on", "/get subs",
            "/get subs details", "/get workers", "/get workers details", "/get queues", "/debug locks",
            "/list remote hosts", "/list remote ctrls",
        ]
    }

    /// The names of reading commands that are left out because they wait for a relay.
    static let waitingCommands: Set<CommandName> = [.contactQueueInfo, .groupMemberQueueInfo]

    /// Some commands that write, so that the workers have work.
    static let writingCommands = [
        "/_read chat @1", "/_read chat #1", "/_send @1 text once more", #"/_send #1 text once more"#,
        #"/_create *1 json [{"msgContent":{"type":"text","text":"once more"},"mentions":{}}]"#, "/_tags @1 2",
        #"/_group 1 incognito=off {"displayName":"others","fullName":""}"#, "/_unread chat @1 on", "/_ttl 1 3600",
    ]

    /// Runs work that the workers and the gateway start themselves.
    static func runBackgroundWork(_ controller: ChatController) async {
        try? await controller.journal.trimEntries(now: .now)
        try? await controller.journal.packEntries()
        _ = try? await controller.journal.readEntries(after: 0, limit: 1_000)
        _ = try? await controller.findWorker(SearchIndexWorker.self).buildNextSpan()
        _ = try? await controller.findWorker(SearchIndexWorker.self).rewriteStaleSpans()
        try? await controller.refreshChannelFigures()
        _ = try? await controller.readStoreFigures()
        for subscription in (try? await controller.subscriptions.readAll()) ?? [] {
            _ = try? await controller.subscriptions.readEntries(of: subscription.id)
            _ = try? await controller.subscriptions.readAttempts(of: subscription.id)
        }
    }
}
