import ChatCore
import ChatStore
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite("Notices of other programs") struct NoticeTextTests {
    /// A body as Alertmanager sends it, with the members that its documentation lists (webhook_config).
    static let alertmanagerBody: JSONValue = [
        "version": "4", "groupKey": "{}:{alertname=\"DiskFull\"}", "truncatedAlerts": 0, "status": "firing",
        "receiver": "simplex", "groupLabels": ["alertname": "DiskFull"],
        "commonLabels": ["alertname": "DiskFull", "severity": "critical"],
        "commonAnnotations": ["runbook_url": "https://runbook.example.com/disk"],
        "externalURL": "http://alerts.example.com:9093",
        "alerts": [
            [
                "status": "resolved", "labels": ["alertname": "DiskFull", "instance": "db2", "severity": "critical"],
                "annotations": ["summary": "The disk of db2 is full"], "startsAt": "2026-11-23T09:00:00.5Z",
                "endsAt": "2026-11-23T09:30:00Z", "generatorURL": "", "fingerprint": "0000000000000002",
            ],
            [
                "status": "firing", "labels": ["alertname": "DiskFull", "instance": "db1", "severity": "critical"],
                "annotations": [
                    "summary": "The disk of db1 is full", "description": "1 % is free.",
                    "runbook_url": "https://runbook.example.com/disk",
                ], "startsAt": "2026-11-23T09:00:00.123456789Z", "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "http://prometheus.example.com:9090/graph", "fingerprint": "0000000000000001",
            ],
        ],
    ]

    /// A body as a contact point of Grafana sends it, with the members that its documentation lists (webhook notifier).
    static let grafanaBody: JSONValue = [
        "receiver": "My Webhook", "status": "firing", "orgId": 1,
        "alerts": [
            [
                "status": "firing", "labels": ["alertname": "High memory usage", "team": "blue", "zone": "us-1"],
                "annotations": ["summary": "Memory of us-1 is nearly full"],
                "startsAt": "2026-10-12T09:51:03.157076+02:00", "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "https://grafana.example.com/alerting/1/edit", "fingerprint": "c6eadffa33fcdf37",
                "silenceURL": "https://grafana.example.com/alerting/silence/new", "dashboardURL": "", "panelURL": "",
                "values": ["B": 44.2, "C": 1],
            ]
        ], "groupLabels": [:], "commonLabels": ["team": "blue"], "commonAnnotations": [:],
        "externalURL": "https://grafana.example.com/", "version": "1", "groupKey": "{}:{}", "truncatedAlerts": 0,
        "title": "[FIRING:1]  (High memory usage blue us-1)", "state": "alerting",
        "message": "**Firing**\n\nLabels:\n - alertname = High memory usage\n",
    ]

    private func parseNotice(_ form: NoticeForm, _ body: JSONValue) throws -> Notice {
        try form.parseNotice(ForeignObject(try #require(body.objectValue)))
    }

    private func changeBody(_ body: JSONValue, _ change: (inout JSONObject) -> Void) throws -> JSONValue {
        var members = try #require(body.objectValue)
        change(&members)
        return .object(members)
    }

    @Test
    func `The text of grouped alerts has the firing alerts first, and common labels only once`() throws {
        #expect(
            try parseNotice(.alertmanager, Self.alertmanagerBody).text == """
                🔴 1 firing, 1 resolved: DiskFull
                severity: critical
                🔴 The disk of db1 is full
                1 % is free.
                instance: db1
                since 2026-11-23 09:00:00 UTC
                https://runbook.example.com/disk
                http://prometheus.example.com:9090/graph
                🟢 The disk of db2 is full
                instance: db2
                until 2026-11-23 09:30:00 UTC
                """
        )
    }

    @Test
    func `The text of a Grafana notice contains its title and the alerts, or a custom message instead of the alerts`()
        throws
    {
        #expect(
            try parseNotice(.grafana, Self.grafanaBody).text == """
                🔴 [FIRING:1]  (High memory usage blue us-1)
                Memory of us-1 is nearly full
                team: blue, zone: us-1
                since 2026-10-12 09:51:03 +02:00
                https://grafana.example.com/alerting/1/edit
                """
        )
        let own = try changeBody(Self.grafanaBody) { $0["message"] = "Call the team." }
        #expect(
            try parseNotice(.grafana, own).text == "🔴 [FIRING:1]  (High memory usage blue us-1)\nCall the team."
        )
    }

    @Test
    func `The text of a notice shows ten alerts and the number of further alerts, and is never above the size limit`()
        throws
    {
        func alert(_ number: Int, _ text: String) -> JSONValue {
            [
                "status": number < 30 ? "firing" : "resolved",
                "labels": ["alertname": "A", "number": .string("\(number)")],
                "annotations": ["summary": .string(text)],
            ]
        }
        let few = try changeBody(Self.alertmanagerBody) {
            $0["alerts"] = .array((0..<40).map { alert($0, "a") })
            $0["truncatedAlerts"] = 7
        }
        let text = try parseNotice(.alertmanager, few).text
        #expect(text.hasPrefix("🔴 30 firing, 10 resolved: DiskFull\n"))
        #expect(text.hasSuffix("And 20 firing, 10 resolved.\n7 further alerts are not in the notice."))
        let long = String(repeating: "👩‍👩‍👧‍👦\u{1}\u{7}ü\n", count: 3_000)
        let alerts = try changeBody(Self.alertmanagerBody) { $0["alerts"] = .array((0..<40).map { alert($0, long) }) }
        for (form, body) in [
            (NoticeForm.alertmanager, alerts),
            (.grafana, try changeBody(Self.grafanaBody) { $0["message"] = .string(long) }),
            (.ntfy, ["title": .string(long), "message": .string(long), "click": "https://example.com/"]),
            (.gotify, ["title": .string(long), "message": .string(long), "priority": 9]),
        ] {
            let notice = try parseNotice(form, body)
            #expect(notice.text.utf8.count <= Notice.maxBytes, "\(form)")
            #expect(!notice.text.contains("\u{1}") && notice.text.contains("…"), "\(form)")
        }
    }

    @Test
    func `The text of an ntfy message contains its title, priority, links and tags`() throws {
        // The body has the members that the documentation of ntfy describes ("publish as JSON").
        let body: JSONValue = [
            "topic": "backups", "title": "Low disk space", "message": "Disk space is low at 5.1 GB", "priority": 4,
            "tags": ["warning", "cd", "db1"], "click": "https://example.com/disk",
            "attach": "https://example.com/a.png",
            "filename": "a.png",
            "actions": [
                ["action": "view", "label": "Admin panel", "url": "https://example.com/admin"],
                ["action": "http", "label": "Close", "url": "https://example.com/close"],
            ],
        ]
        #expect(
            try parseNotice(.ntfy, body).text == """
                ❗ ⚠️ 💿 Low disk space
                Disk space is low at 5.1 GB
                https://example.com/disk
                https://example.com/a.png
                Admin panel: https://example.com/admin
                Tags: db1
                """
        )
        #expect(try parseNotice(.ntfy, ["topic": "a"]).text == "triggered")
        #expect(try parseNotice(.ntfy, ["message": "a", "priority": 5]).text == "‼️ a")
        #expect(try parseNotice(.ntfy, ["message": "a"]).identity == nil)
    }

    @Test
    func `The text of a Gotify message contains its title, link and priority`() throws {
        // The body has the members that the documentation of Gotify describes (push messages, message extras).
        let body: JSONValue = [
            "title": "Backup", "message": "The backup failed.", "priority": 8,
            "extras": [
                "client::display": ["contentType": "text/markdown"],
                "client::notification": ["click": ["url": "https://example.com/"]],
            ],
        ]
        #expect(try parseNotice(.gotify, body).text == "‼️ Backup\nThe backup failed.\nhttps://example.com/")
        #expect(try parseNotice(.gotify, ["message": "a", "priority": 5]).text == "a")
    }

    @Test(arguments: [
        ("=?UTF-8?B?w5w=?=", "Ü"), ("a =?utf-8?q?=C3=9C_b=25?= c", "a Ü b% c"),
        ("=?UTF-8?B?YQ==?= =?UTF-8?B?Yg==?=", "ab"),
        ("plain =?x", "plain =?x"), ("=?ISO-8859-1?Q?=DC?=", "=?ISO-8859-1?Q?=DC?="),
        ("=?UTF-8?B?/w==?=", "=?UTF-8?B?/w==?="),
    ])
    func `UTF-8 words that are encoded as in RFC 2047 are decoded in a header field, and other text is unchanged`(
        _ field: String,
        _ text: String
    ) {
        #expect(EncodedWords.decode(field) == text)
    }

    @Test
    func `An invalid value in a notice gets 422 with a pointer to the value, and unknown members are ignored`() throws {
        let wrong: [(NoticeForm, JSONValue, String)] = [
            (.alertmanager, [:], "/alerts"), (.alertmanager, ["alerts": []], "/alerts"),
            (.alertmanager, ["alerts": [5]], "/alerts"), (.alertmanager, ["alerts": [[:]]], "/alerts/0/status"),
            (.alertmanager, ["alerts": [["status": "odd"]]], "/alerts/0/status"),
            (.grafana, ["alerts": [["status": "firing", "labels": ["a": 5]]]], "/alerts/0/labels"),
            (.alertmanager, ["version": "5", "alerts": [["status": "firing"]]], "/version"),
            (.grafana, ["alerts": [["status": "firing"]], "title": 5], "/title"), (.ntfy, ["priority": 6], "/priority"),
            (.ntfy, ["tags": "a"], "/tags"), (.ntfy, ["tags": [1]], "/tags"), (.ntfy, ["delay": "10m"], "/delay"),
            (.gotify, [:], "/message"), (.gotify, ["message": " \n"], "/message"),
            (.gotify, ["message": "a", "extras": ["client::notification": []]], "/extras/client::notification"),
        ]
        for (form, body, pointer) in wrong {
            do {
                _ = try parseNotice(form, body)
                Issue.record("\(form) accepts \(body.text)")
            } catch let problem as ProblemDetails {
                #expect(problem.status == 422, "\(body.text)")
                #expect(problem.json["errors"]?[0]?["pointer"] == .string(pointer), "\(problem.json.text)")
            }
        }
        let more = try changeBody(Self.alertmanagerBody) { $0["member of a later version"] = [["a": 5]] }
        #expect(try parseNotice(.alertmanager, more) == parseNotice(.alertmanager, Self.alertmanagerBody))
    }

    @Test
    func `A notice with reordered alerts counts as a repetition, and a notice with different alerts as a new one`()
        throws
    {
        let first = try parseNotice(.alertmanager, Self.alertmanagerBody).identity
        let elsewhere = try changeBody(Self.alertmanagerBody) {
            $0["externalURL"] = "http://other.example.com:9093"
            $0["alerts"] = .array(Array(($0["alerts"]?.arrayValue ?? []).reversed()))
        }
        #expect(try first != nil && parseNotice(.alertmanager, elsewhere).identity == first)
        let again = try changeBody(Self.alertmanagerBody) { $0["alerts"] = .array([$0["alerts"]?[1] ?? .null]) }
        #expect(try parseNotice(.alertmanager, again).identity != first)
    }

    @Test
    func `A notice that the same key repeats is recognized as a repetition for five to ten minutes`() {
        func identities(_ keyID: String, _ now: Int64) -> [RequestIdentity] {
            NoticeWindow.makeIdentities("a", of: keyID, at: now)
        }
        let first = identities("k", 600)
        #expect(identities("k", 899).contains(first[0]) && identities("k", 1_199).contains(first[0]))
        #expect(!identities("k", 1_200).contains(first[0]) && !identities("l", 600).contains(first[0]))
    }
}

@Suite("Notices of other programs over HTTP", .socketTimeLimit) struct NoticesTests {
    private func readTexts(_ client: HTTPClient, _ contact: Int64) async throws -> [String] {
        let chat = try await client.call("GET", "/v1/users/1/chats/direct/\(contact)").json
        return (chat["chat"]?["chatItems"]?.arrayValue ?? []).compactMap {
            $0["content"]?["msgContent"]?["text"]?.stringValue
        }
    }

    private func countTexts(_ client: HTTPClient, _ contact: Int64, _ text: String) async throws -> Int {
        try await readTexts(client, contact).count { $0.hasPrefix(text) }
    }

    @Test
    func `A key of one chat can send notices in every form, with every supported kind of credentials`() async throws {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(admin)
            let chat = JSONValue.string("direct/\(contact)")
            let made = try await admin.post(
                "/v1/keys",
                ["name": "alerts", "userId": 1, "chats": [chat], "scopes": ["write"]]
            )
            let key = try #require(try made.json["key"]?.stringValue)
            let client = try await HTTPClient.connect(port: gateway.port, key: key)
            let sent = try await client.post("/v1/receive/alertmanager", NoticeTextTests.alertmanagerBody)
            #expect(sent.status == 200, "\(sent.text)")
            #expect(try sent.json["chat"]?["chatId"] == .integer(contact) && sent.json["itemId"] != nil)
            let grafana = try await client.post(
                "/v1/receive/grafana?chat=direct/\(contact)&userId=1",
                NoticeTextTests.grafanaBody
            )
            #expect(grafana.status == 200, "\(grafana.text)")
            let anonymous = try await HTTPClient.connect(port: gateway.port)
            let basic = "Basic " + Base64.encode(Array("any:\(key)".utf8))
            for (form, header) in [
                ("ntfy", ("Authorization", basic)), ("gotify", ("X-Gotify-Key", key)),
                ("gotify", ("Authorization", "Bearer \(key)")),
            ] {
                let body: JSONValue = ["topic": "a", "title": .string("from \(form)"), "message": "hello"]
                let answer = try await anonymous.post("/v1/receive/\(form)", body, headers: [header])
                #expect(answer.status == 200, "\(form) \(answer.text)")
            }
            #expect(try await countTexts(admin, contact, "from gotify\nhello") == 2)
            #expect(try await countTexts(admin, contact, "from ntfy\nhello") == 1)
            let body: JSONValue = ["message": "hello"]
            let other = [("X-Gotify-Key", key)]
            #expect(try await anonymous.post("/v1/receive/ntfy", body, headers: other).status == 401)
            #expect(try await anonymous.post("/v1/receive/gotify?token=\(key)", body).status == 401)
            #expect(try await client.post("/v1/receive/gotify?token=\(key)", body).status == 400)
            // Programs whose setting is the URL of a Gotify server append `/message` to this URL.
            let path = "/v1/receive/gotify/message"
            #expect(try await anonymous.post(path, ["message": "to a path"], headers: other).status == 200)
            #expect(try await countTexts(admin, contact, "to a path") == 1)
            let refused = try await anonymous.post("\(path)?token=\(key)", body)
            #expect(refused.status == 401 && refused.text.contains("header field"), "\(refused.text)")
            let wrong = [("X-Gotify-Key", key + "A")]
            #expect(try await anonymous.post("/v1/receive/gotify", body, headers: wrong).status == 401)
            for target in ["chat=direct/77", "chat=group/\(contact)", "chat=direct/\(contact)&userId=2"] {
                #expect(try await client.post("/v1/receive/gotify?\(target)", body).status == 403, "\(target)")
            }
        }
    }

    @Test
    func `A plain text for ntfy is sent to the key's chat, with title, priority and tags from header fields`()
        async throws
    {
        try await RealGateway.run { gateway in
            let admin = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(admin)
            let made = try await admin.post(
                "/v1/keys",
                ["name": "ntfy", "userId": 1, "chats": [.string("direct/\(contact)")], "scopes": ["write"]]
            )
            let client = try await HTTPClient.connect(port: gateway.port, key: made.json["key"]?.stringValue)
            let path = "/v1/receive/ntfy/backups"
            // The media types are those of curl, of a browser, and of programs that send none.
            let types = [
                [("Content-Type", "application/x-www-form-urlencoded")],
                [("Content-Type", "text/plain;charset=UTF-8")], [],
            ]
            for type in types {
                let answer = try await client.call("POST", path, headers: type, body: "The backup is complete.")
                #expect(answer.status == 200, "\(type) \(answer.text)")
            }
            #expect(try await countTexts(admin, contact, "The backup is complete.") == 3)
            let fields = [
                ("X-Title", "=?UTF-8?B?w5xiZXJmw7xsbHQ=?="), ("Priority", "high"), ("Tags", "warning, db1"),
                ("X-Click", "https://example.com/disk"),
            ]
            let text = "❗ ⚠️ Überfüllt\n1 % is free.\nhttps://example.com/disk\nTags: db1"
            #expect(try await client.call("POST", path, headers: fields, body: "1 % is free.").status == 200)
            #expect(try await countTexts(admin, contact, text) == 1)
            for (name, value, status) in [
                ("Delay", "10m", 400), ("Priority", "7", 400), ("Filename", "a.png", 400), ("Priority", "u=1, i", 200),
                ("Content-Type", "image/png", 415),
            ] {
                let answer = try await client.call("POST", path, headers: [(name, value)], body: "a text")
                #expect(answer.status == status, "\(name) \(answer.text)")
            }
            #expect(try await countTexts(admin, contact, "a text") == 1)
            // A request with a key for all chats must name the chat.
            #expect(try await admin.call("POST", path, body: "a text").status == 400)
            #expect(try await admin.call("POST", path + "?chat=direct/\(contact)", body: "a text").status == 200)
        }
    }

    @Test
    func `A repeated notice of alerts is sent only once, even after a restart, and a changed notice is sent again`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var body = NoticeTextTests.alertmanagerBody
        let (contact, first) = try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let path = "/v1/receive/alertmanager?chat=direct/\(contact)&userId=1"
            let first = try await client.post(path, body)
            let again = try await client.post(path, body)
            #expect(try first.status == 200 && again.json == first.json)
            #expect(again.header("idempotent-replayed") == "true")
            return (contact, try first.json)
        }
        try await RealGateway.run(in: folder) { gateway in
            let client = try await gateway.connectClient()
            let path = "/v1/receive/alertmanager?chat=direct/\(contact)&userId=1"
            #expect(try await client.post(path, body).json == first)
            #expect(try await countTexts(client, contact, "🔴") == 1)
            let key = [("Idempotency-Key", "a")]
            for _ in 0..<2 { #expect(try await client.post(path, body, headers: key).status == 200) }
            #expect(try await countTexts(client, contact, "🔴") == 2)
            var members = try #require(body.objectValue)
            members["alerts"] = .array([members["alerts"]?[0] ?? .null])
            body = .object(members)
            #expect(try await client.post(path, body, headers: key).status == 422)
            #expect(try await client.post(path, body).status == 200)
            #expect(try await countTexts(client, contact, "🟢 RESOLVED: DiskFull") == 1)
            let ntfy = "/v1/receive/ntfy?chat=direct/\(contact)&userId=1"
            for _ in 0..<2 { #expect(try await client.post(ntfy, ["message": "again"]).status == 200) }
            #expect(try await countTexts(client, contact, "again") == 2)
            // When a text is sent to a topic, header fields such as the title are a part of the content.
            let topic = "/v1/receive/ntfy/disk?chat=direct/\(contact)&userId=1"
            for (title, status) in [("Disk 90%", 200), ("Disk 90%", 200), ("Disk 95%", 422)] {
                let fields = [("Idempotency-Key", "b"), ("Title", title)]
                #expect(try await client.call("POST", topic, headers: fields, body: "full").status == status)
            }
        }
    }

    @Test
    func `Simultaneous requests with the same notice send one message`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let path = "/v1/receive/grafana?chat=direct/\(contact)&userId=1"
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await gateway.connectClient().post(path, NoticeTextTests.grafanaBody).status
                    }
                }
                var statuses: [Int] = []
                for try await status in group { statuses.append(status) }
                return statuses
            }
            #expect(statuses.contains(200) && statuses.allSatisfy { $0 == 200 || $0 == 503 }, "\(statuses)")
            #expect(try await countTexts(client, contact, "🔴") == 1)
        }
    }

    @Test
    func `A notice with an invalid chat, body or media type is refused and not sent`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            let (contact, _) = try await ShortMessageTests.makeContacts(client)
            let body: JSONValue = ["message": "a"]
            for (query, status) in [
                ("", 400), ("?chat=bob", 400), ("?chat=direct/0", 400), ("?chat=direct/77", 404),
                ("?chat=direct/\(contact)&userId=0", 400), ("?chat=direct/\(contact)&to=a", 400),
            ] {
                let answer = try await client.post("/v1/receive/gotify\(query)", body)
                #expect(answer.status == status, "\(query) \(answer.text)")
            }
            let path = "/v1/receive/gotify?chat=direct/\(contact)"
            #expect(try await client.call("POST", path).status == 400)
            #expect(try await client.call("POST", path, body: "[]").status == 400)
            let plain = [("Content-Type", "text/plain")]
            #expect(try await client.call("POST", path, headers: plain, body: "a").status == 415)
            #expect(try await client.post(path, ["message": 5]).status == 422)
            #expect(try await client.post("/v1/receive/slack?chat=direct/\(contact)", body).status == 404)
            #expect(try await countTexts(client, contact, "a") == 0)
        }
    }

    @Test
    func `A notice that is addressed to the notes of a profile is stored as a note`() async throws {
        try await RealGateway.run { gateway in
            let client = try await gateway.connectClient()
            _ = try await client.createUser("alice")
            let answer = try await client.post("/v1/receive/gotify?chat=local/1", ["message": "a note"])
            #expect(answer.status == 200, "\(answer.text)")
            let chat = try await client.call("GET", "/v1/users/1/chats/local/1").text
            #expect(chat.contains("\"a note\""))
        }
    }
}
