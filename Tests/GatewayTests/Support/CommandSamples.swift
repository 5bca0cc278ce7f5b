/// Sample texts of all commands.
enum CommandSamples {
    /// Commands that name chats and objects by their ids. Commands that stop the core or change its databases are last.
    static let apiCommands: [String] = {
        let texts =
            Array(CategoryCommands.texts.values)
            + Array(CategoriesTests.commandsWithoutRoute.values.filter { $0 != "/connect" }) + otherCommands
        let last = texts.filter { text in
            ["/_stop", "/_app", "/_db", "/db", "/_delete user"].contains { text.hasPrefix($0) }
        }
        return texts.filter { !last.contains($0) }.sorted() + last.sorted()
    }()

    private static let otherCommands = [
        // Groups
        #"/_group 1 incognito=off {"displayName":"club","fullName":""}"#,
        #"/_public group 1 incognito=off 1 {"displayName":"club","fullName":""}"#,
        "/_groups 1", "/_info #1", "/_add #1 4 member", "/_join #1", "/_accept member #1 2 member",
        "/_remove #1 2 messages=off", "/_leave #1",
        "/_members #1", #"/_group_profile #1 {"displayName":"club","fullName":""}"#, "/_member role #1 2 admin",
        "/_block #1 2 blocked=on",
        "/_create link #1 member", "/_set link role #1 member", "/_delete link #1", "/_get link #1", "/_short link #1",
        "/_create member contact #1 2", "/_invite member contact @4", "/_accept member contact @4", "/_info #1 2",
        "/_delete member chat #1 2",
        #"/_member settings #1 2 {"showMessages":true}"#, "/_set alias #1 name", #"/_set custom #1 {"a":1}"#,
        "/_get relays #1", "/_add relays #1 1",
        "/_relay allow #1", #"/_public group access #1 {"domainWebPage":false,"allowEmbedding":false}"#,
        "/_get group link data #1",
        #"/_prepare group 1 https://a/g#b direct=on {"groupProfile":{"displayName":"club","fullName":""}}"#,
        "/_set group user #1 2",
        "/_connect group #1 incognito=off", "/_enable #1 2",
        // Files
        "/freceive 1 approved_relays=on", "/_set_file_to_receive 1 approved_relays=on", "/fcancel 1",
        "/_upload 1 a.txt",
        "/_download 1 simplex:/file#a a.txt", "/_download info simplex:/file#a",
        // Notifications
        "/_ntf get", "/_ntf register apns_test abcd PERIODIC", "/_ntf verify apns_test abcd a b",
        "/_ntf check apns_test abcd",
        "/_ntf delete apns_test abcd", "/_ntf conns a b", "/_ntf conn messages a:1:2026-11-21T03:04:47Z",
        // Settings
        "/set client service 1:'a bot' on", #"/_service_response 1 a {"a":1}"#,
        // Remote control
        "/set device name here", "/connect remote ctrl xrcp:/a", "/find remote ctrl", "/confirm remote ctrl 1",
        "/verify remote ctrl code",
        "/list remote ctrls", "/stop remote ctrl", "/delete remote ctrl 1", "/list remote hosts",
        "/start remote host new",
        "/switch remote host local", "/stop remote host new", "/delete remote host 1", "/store remote file 1 /tmp/a",
        #"/get remote file 1 {"userId":1,"fileId":1,"sent":true,"fileSource":{"filePath":"a.txt"}}"#,
        // Diagnostics
        "/get subs details", "/get queues",
        "/sql chat SELECT 1",
        "/sql agent SELECT 1", "/sql slow", "/quit",
    ]

    /// Commands that name chats and profiles by their names.
    static let consoleCommands = [
        "/profile", "/profile alice the best", "/show profile image", "/delete profile image",
        "/set profile image data:image/png;base64,AAAA",
        "/set bot commands 'Help me':'help'", "/set voice no", "/set disappear yes", "/hide user \"x\"",
        "/unhide user \"x\"", "/mute user",
        "/unmute user", "/set receipts contacts on clear_overrides=off", "/set receipts groups on clear_overrides=off",
        "/read user", "/contacts",
        "/connect", "/connect https://a/i#b", "/address", "/delete_address", "/show_address", "/profile_address on",
        "/auto_accept off", "/chats 20",
        "/tail 10", "/search 10 word", "/show 7", "/fstatus 7", "/show off", "/last_item_id", "/feed hello all",
        "/ttl week", "/ttl", "/smp", "/smp smp://a@b",
        "/operators 1:on:smp=storage:xftp=off",
        "/network socks=off socks-mode=always host-mode=public smp-web-port-servers=preset timeout=9 log=off",
        "/smp test smp://a@b", "/welcome", "/user bob", "/info @bob", "/delete @bob messages", "/code @bob",
        "/verify @bob 123 45", "/enable @bob",
        "/switch @bob", "/abort switch @bob", "/sync @bob force=on", "/queue info @bob", "/call @bob",
        "/set voice @bob always", "/set disappear @bob yes 30",
        "/accept @bob", "/reject @bob", "@bob hello", "/* a note", "/live @bob typing", "> @bob (hell) yes",
        "@bob <- * text", "\\ @bob text",
        "! @bob (old) new", "+👍 @bob text", "/item info @bob text", "/tail @bob 2", "/search @bob 1 two words",
        "/last_item_id @bob", "/clear @bob",
        "/group #club", "/groups", "/members #club", "/add #club @bob member", "/join #club", "/info #club",
        "/info #club @bob", "/leave #club",
        "/member role #club @bob admin", "/block for all #club @bob", "/unblock for all #club @bob",
        "/block #club @bob", "/unblock #club @bob",
        "/remove #club @bob", "/group_profile #club", "/group_profile #club name", "/set welcome #club hello",
        "/delete welcome #club",
        "/show welcome #club", "> #club @bob (hell) yes", "\\\\ #club @bob text", "@bob <- #club @bob text",
        "/delete #club",
        "/ttl @bob", "/ttl @bob month", "/mute @bob", "/receipts @bob off", "/delete user bob",
    ]
}
