import Clocks
import JSON
import NIOCore
import SQLCipher

/// Measures a group with many members and items, and compares it with a group of four members and a hundred items:
/// opening the group, paging, its information, and the list of members. Then measures the start and the memory of a
/// gateway with many groups of fifty. Most members are inserted into the tables as copies of a joined member, and have
/// no connections.
func measureGrownGroups(
    executable: String,
    folder: String,
    members: Int,
    items: Int,
    groups: Int,
    seconds: Int64,
    group: any EventLoopGroup
) async throws -> [Figure] {
    let (port, relayPort) = (try FreePort.takeNext(), try FreePort.takeNext())
    func startGateway(_ name: String) async throws -> BenchedGateway {
        try await BenchedGateway(
            folder: folder + "/\(name)",
            port: port,
            relayPort: relayPort,
            executable: executable,
            group: group
        )
    }
    var gateway = try await startGateway("grown-groups")
    for name in ["alice", "bob"] { try await gateway.createUser(name) }
    try await gateway.connectToUser(with: 2)
    for (index, name) in ["small", "large"].enumerated() {
        try await gateway.createGroup(name, with: 1)
        let cursor = try await gateway.readLatestCursor()
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/2/chats/group/\(index + 1)/messages",
            BenchedGateway.makeTextMessage("pattern")
        )
        try await gateway.followEvents(from: cursor) { $0["event"]?["type"] == "newChatItems" && $0["userId"] == 1 }
    }
    await gateway.stop()
    let chats = try await GrownStore.openChatDatabase(in: folder + "/grown-groups")
    for (groupId, members, items) in [(1, 4, 100), (2, members, items)] as [(Int64, Int, Int)] {
        try await addMembers(members - 2, to: groupId, chats)
        try await addItems(items, to: groupId, chats)
    }
    await chats.close()
    gateway = try await startGateway("grown-groups")
    let groupFigures = try await measureBigGroup(gateway, members: members, items: items, seconds: seconds)
    await gateway.stop()
    return try await groupFigures
        + measureStartTime(groups: groups) {
            try await startGateway("many-groups")
        } chats: {
            try await GrownStore.openChatDatabase(in: folder + "/many-groups")
        }
}

private func measureBigGroup(
    _ gateway: BenchedGateway,
    members: Int,
    items: Int,
    seconds: Int64
) async throws -> [Figure] {
    func measureMedian(_ path: String) async throws -> Double {
        let connection = try await HTTPConnection.openConnection(port: gateway.port, group: gateway.group)
        let latencies = try await connection.repeatGet(path, key: gateway.key, until: .now() + .seconds(seconds))
        await connection.close()
        return percentile(latencies, 0.5)
    }
    func chat(_ groupId: Int) -> String { "/v1/users/1/chats/group/\(groupId)" }
    func findMiddleCursor(_ groupId: Int, _ page: Int) async throws -> String {
        var cursor = ""
        for _ in 0..<page {
            let path = chat(groupId) + "?limit=20" + (cursor.isEmpty ? "" : "&cursor=\(cursor)")
            cursor = try await gateway.sendRequest("GET", path)["next"]?.stringValue ?? ""
        }
        return cursor
    }
    let sizeText = "of \(members) members and \(items) items"
    var figures: [Figure] = []
    func addFigure(_ name: String, _ large: Double, _ small: Double, _ target: Figure.Target = .atMost(1.5)) {
        figures.append(
            Figure(
                name: "\(name) \(sizeText), median",
                value: large,
                unit: "ms",
                baseline: ("4 and 100", small),
                target: target
            )
        )
    }
    try await addFigure(
        "open a group",
        measureMedian(chat(2) + "?initial=true&limit=50"),
        measureMedian(chat(1) + "?initial=true&limit=50")
    )
    try await gateway.reconnect()
    let (large, small) = (try await findMiddleCursor(2, 2), try await findMiddleCursor(1, 2))
    try await addFigure(
        "page in a group",
        measureMedian(chat(2) + "?cursor=\(large)&limit=40"),
        measureMedian(chat(1) + "?cursor=\(small)&limit=40")
    )
    try await addFigure("info of a group", measureMedian("/v1/users/1/groups/2"), measureMedian("/v1/users/1/groups/1"))
    try await addFigure(
        "members of a group",
        measureMedian("/v1/users/1/groups/2/members"),
        measureMedian("/v1/users/1/groups/1/members"),
        .none
    )
    try await gateway.reconnect()
    figures.append(try await measureMemberMemory(gateway, members: members))
    return figures
}

/// Measures how much memory the gateway needs for the members of the large group in a session.
private func measureMemberMemory(_ gateway: BenchedGateway, members: Int) async throws -> Figure {
    let session = try await gateway.sendRequest("POST", "/v1/users/1/sessions")["sessionId"]?.stringValue ?? ""
    let residentBytesBefore = gateway.child.residentBytes
    _ = try await gateway.sendRequest(
        "PUT",
        "/v1/users/1/sessions/\(session)/chat",
        #"{"chatType":"group","chatId":2}"#
    )
    _ = try await gateway.sendRequest("POST", "/v1/users/1/sessions/\(session)/members")
    return Figure(
        name: "memory of a member in a session, \(members) of them",
        value: Double(gateway.child.residentBytes - residentBytesBefore) / Double(members) / 1024,
        unit: "KiB"
    )
}

private func measureStartTime(
    groups: Int,
    start: () async throws -> BenchedGateway,
    chats: () async throws -> Database
) async throws -> [Figure] {
    var gateway = try await start()
    try await gateway.createUser("alice")
    try await gateway.reconnect()
    await gateway.stop()
    gateway = try await start()
    let (alone, aloneResident) = (gateway.secondsToReady, gateway.child.residentBytes)
    for index in 0..<groups {
        _ = try await gateway.sendRequest(
            "POST",
            "/v1/users/1/groups",
            #"{"incognito":false,"groupProfile":{"displayName":"group \#(index)","fullName":""}}"#
        )
    }
    await gateway.stop()
    let database = try await chats()
    for groupId in 1...groups { try await addMembers(49, to: Int64(groupId), database) }
    await database.close()
    gateway = try await start()
    let (ready, resident) = (gateway.secondsToReady, gateway.child.residentBytes)
    let listConnection = try await HTTPConnection.openConnection(port: gateway.port, group: gateway.group)
    let listMilliseconds = percentile(
        try await listConnection.repeatGet("/v1/users/1/chats", key: gateway.key, until: .now() + .seconds(1)),
        0.5
    )
    await listConnection.close()
    await gateway.stop()
    return [
        Figure(
            name: "start to ready, \(groups) groups of 50",
            value: ready * 1000,
            unit: "ms",
            baseline: ("no groups", alone * 1000),
            target: .atMost(1.5)
        ),
        Figure(
            name: "resident memory for each member at ready, \(groups) groups of 50",
            value: Double(resident - aloneResident) / Double(groups * 50),
            unit: "B"
        ),
        Figure(name: "list of chats, \(groups) groups of 50, median", value: listMilliseconds, unit: "ms"),
    ]
}

/// Inserts members into a group of the database, as copies of the group's last member.
private func addMembers(_ count: Int, to groupId: Int64, _ database: Database) async throws {
    try await database.write { db in
        try db.executeScript("DROP TABLE IF EXISTS temp.member_pattern;")
        try db.execute(
            "CREATE TEMP TABLE member_pattern AS SELECT * FROM group_members WHERE user_id = 1 AND group_id = ? ORDER BY group_member_id DESC LIMIT 1",
            groupId
        )
        let insert = GrownStore.makeInsertStatement(
            "group_members",
            try GrownStore.readColumns(of: "group_members", in: db),
            [
                "group_member_id": "(SELECT last_group_member_id FROM users WHERE user_id = 1)", "index_in_group": "?1",
                "member_id": "?2",
                "member_category": "'invitee'", "member_status": "'connected'", "member_role": "'member'",
                "local_display_name": "?3", "contact_id": "NULL",
                "contact_profile_id": "?4",
            ],
            from: "member_pattern",
            where: "1"
        )
        var sentenceMaker = GrownStore.SentenceMaker(seed: UInt64(groupId) &+ 5)
        for index in 0..<count {
            let name = "\(GrownStore.SentenceMaker.makeWord(index)) \(groupId) \(index)"
            try db.execute(
                """
                INSERT INTO contact_profiles (user_id, display_name, profile, created_at, updated_at)
                VALUES (1, :display_name, :profile, 0, 0)
                """,
                ["display_name": name, "profile": #"{"displayName":"\#(name)","fullName":""}"#]
            )
            let profile = db.lastInsertRowID
            try db.execute("UPDATE users SET last_group_member_id = last_group_member_id + 1 WHERE user_id = 1")
            try db.execute(insert, Int64(index + 2), sentenceMaker.randomBytes(12), name, profile)
            try db.execute(
                """
                INSERT INTO display_names (user_id, local_display_name, ldn_base, ldn_suffix)
                VALUES (1, :local_display_name, :ldn_base, 0)
                """,
                ["local_display_name": name, "ldn_base": name]
            )
        }
        try db.execute(
            """
            UPDATE groups SET next_index = next_index + :added_next_index,
            current_members = current_members + :added_current_members WHERE user_id = 1 AND group_id = :group_id
            """,
            ["added_next_index": Int64(count), "added_current_members": Int64(count), "group_id": groupId]
        )
    }
}

/// Inserts received messages into a group of the database, as copies of its one received message.
private func addItems(_ count: Int, to groupId: Int64, _ database: Database) async throws {
    try await database.write { db in
        try db.executeScript("DROP TABLE IF EXISTS temp.group_item_pattern;")
        try db.execute(
            "CREATE TEMP TABLE group_item_pattern AS SELECT * FROM chat_items WHERE user_id = 1 AND chat_type = 1 AND chat_id = ? AND item_text = 'pattern'",
            groupId
        )
        let members = try db.query(
            "SELECT group_member_id FROM group_members WHERE user_id = 1 AND group_id = ? AND member_category <> 'user'",
            groupId
        )
        .map { try $0.int64("group_member_id") }
        let insert = GrownStore.makeInsertStatement(
            "chat_items",
            try GrownStore.readColumns(of: "chat_items", in: db),
            [
                "chat_item_id": "NULL", "author_member_id": "?1", "item_ts": "?2", "order_ts": "?2", "created_at": "?2",
                "updated_at": "?2", "item_text": "?3",
                "item_content": "?4", "shared_msg_id": "?5", "item_status": "'rcvRead'",
            ],
            from: "group_item_pattern",
            where: "1"
        )
        var sentenceMaker = GrownStore.SentenceMaker(seed: UInt64(groupId) &+ 9)
        let end = WallClock.seconds() * 1_000_000_000
        for index in 0..<count {
            let text = sentenceMaker.makeSentence()
            try db.execute(
                insert,
                members[sentenceMaker.randomNumber(members.count)],
                end - Int64(count - index) * 60_000_000_000,
                text,
                #"{"type":"rcvMsgContent","msgContent":{"type":"text","text":"\#(text)"}}"#,
                sentenceMaker.randomBytes(12)
            )
        }
        try db.execute("UPDATE chat_items SET item_status = 'rcvRead' WHERE user_id = 1 AND chat_type = 1")
        try db.execute("DELETE FROM chat_item_days WHERE chat_type = 1 AND chat_id = ?", groupId)
        try db.execute(
            """
            INSERT INTO chat_item_days (user_id, chat_type, chat_id, day, items, unread) SELECT user_id, chat_type, chat_id, order_ts / 86400000000000, count(*), 0
            FROM chat_items WHERE chat_type = 1 AND chat_id = ? GROUP BY 1, 2, 3, 4
            """,
            groupId
        )
    }
}
