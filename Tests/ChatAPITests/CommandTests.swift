import ChatAPI
import JSON
import TestSupport
import Testing

@Suite("Text of commands")
struct CommandTests {
    /// Command texts that the recorded version reads differently from the catalogue, and one text that only older
    /// versions know. This version follows the catalogue.
    private static let differentTexts = [
        "/_groups1", "/_public group ", "/_relay test ", "/_ntf conn messages ", "/_ntf register ", "/_server test ",
        "/_db export ",
        "/connect remote ctrl ", "/_get app settings [", "/_network_statuses",
    ]

    @Test(arguments: recordingNames)
    func `Every recorded chat command is accepted or refused as in the original, and written back unchanged`(
        _ name: String
    ) throws {
        let lines = try Fixture.readTranscript(name)
        var refused: Set<String> = []
        for line in lines where line["dir"] == "resp" {
            guard line["json"]?["chatError"]?["errorType"]?["message"]?.stringValue?.hasPrefix("Failed reading") == true
            else { continue }
            refused.insert(correlationKey(line))
        }
        for line in lines where line["dir"] == "cmd" {
            guard let text = line["cmd"]?.stringValue, !Self.differentTexts.contains(where: text.hasPrefix) else {
                continue
            }
            do {
                let command = try ChatCommand(parsing: text)
                #expect(
                    !refused.contains(correlationKey(line)),
                    "this parser accepts a text that the original refused: \(text)"
                )
                #expect(try ChatCommand(parsing: command.text) == command, "\(text) became \(command.text)")
            } catch .unsupported {
                #expect(!text.hasPrefix("/_"), "\(text)")
            } catch {
                #expect(refused.contains(correlationKey(line)) || !text.hasPrefix("/_"), "refused: \(text)")
            }
        }
    }

    private func correlationKey(_ line: JSONValue) -> String {
        "\(line["client"]?.stringValue ?? "") \(line["corrId"]?.stringValue ?? "")"
    }

    @Test(arguments: [
        "/u",
        "/_create user {\"profile\":{\"displayName\":\"alice\",\"fullName\":\"\"},\"pastTimestamp\":false,\"userChatRelay\":false,\"clientService\":false}",
        "/_user 1", "/_user 2 \"a \\\"b\"", "/_delete user 3 del_smp=on", "/_start main=on snd_files=off",
        "/_get chats 1 pcc=on",
        "/_get chats 1 pcc=off before=2026-11-21T03:04:47.256Z count=2 {\"type\":\"search\",\"search\":\"x\"}",
        "/_get chat @4 count=100", "/_get chat #1(_support:5) content=image around=7 count=3 search=two  words",
        "/_get chat *1 initial=10",
        "/_send @4 live=off ttl=default json [{\"msgContent\":{\"type\":\"text\",\"text\":\"hi\"},\"mentions\":{}}]",
        "/_send #1(_support)(as_group=on) live=on ttl=86400 sign=on json [{\"msgContent\":{\"type\":\"text\",\"text\":\"hi\"},\"mentions\":{\"bob\":2}}]",
        "/_update item @4 5 live=off json {\"msgContent\":{\"type\":\"text\",\"text\":\"hi\"},\"mentions\":{}}",
        "/_delete item @4 5,6 internalMark", "/_delete @4 full notify=off", "/_delete @4 messages",
        "/_delete :2 entity notify=on",
        "/_connect 1 incognito=on", "/_connect 1 incognito=off simplex:/invitation#/?v=2 https://a/i#b",
        "/_connect plan 1 https://a/i#b resolve=never",
        "/_connect contact @4 incognito=off json {\"type\":\"text\",\"text\":\"hi\"}",
        "/_connect contact 1 incognito=on 4", "/_set alias :1 a name", "/_set alias @4", "/_info #1 2", "/_ttl 1",
        "/_ttl 1 0",
        "/_ttl 1 @4 default", "/_verify code @4 123 456", "/_sync #1 2 force=on", "/_set custom @4 {\"a\":1}",
        "/_tags @4", "/_tags @4 1,2",
        "/_forward @4 as_group=on #1 5,6 ttl=60", "/_report #1 5 reason=spam it is", "/db export",
        "/_db export {\"archivePath\":\"/tmp/a\"}",
        "/start remote host new addr=127.0.0.1 iface=\"my lo\" port=80", "/stop remote host new", "/reconnect",
        "/reconnect 1 smp://a@b",
        "/_upload 1 key=a nonce=b a path.txt", "/set client service 1:bot on", "/set client service 1:'a bot' off",
        "//anything at all",
    ])
    func `A chat command is written as clients of the original write it`(_ text: String) throws {
        #expect(try ChatCommand(parsing: text).text == text)
    }

    @Test(arguments: ["/_get chat @4  count=1", " /u", "/u  x", "/_user  1"])
    func `White space at the end of a chat command is ignored, but leading or doubled white space is refused`(
        _ text: String
    ) throws {
        #expect(try ChatCommand(parsing: "/u \n") == .users(.showActiveUser))
        #expect(throws: CommandParseError.malformed) { try ChatCommand(parsing: text) }
    }

    @Test(arguments: [
        "", "/", "/nonsense", "/_get", "/_user", "/_user x", "/_user -1", "/_user 99999999999999999999",
        "/_send @4 json []", "/_send *1 text x",
        "/_send @4 json [{}]", "/_delete @4 everything", "/_reaction @4 1 on {\"type\":\"sticker\"}",
        "/_reaction @4 1 on {\"type\":\"emoji\",\"emoji\":\"🦊\"}", "/_add #1 4 king", "/_get chat @4 count=-1",
        "/_read chat items @4 1,,2", "/_read chat items @4 ", "/_verify code @4 12a",
        "/_get chat #1(_support count=1", "/_stop now", "/_user ١",
        "/set client service 1:a bot on", "/set client service 1: on", "/set client service a:bot on",
        "/set client service :bot on", "/set client service 1:bot on off",
    ])
    func `The parser of chat commands refuses the same texts as the original core`(_ text: String) {
        #expect(throws: CommandParseError.malformed) { try ChatCommand(parsing: text) }
    }

    @Test(arguments: [
        "/_settings @4 {\"enableNtfs\":\"sometimes\",\"favorite\":false}",
        "/_network info {\"networkType\":\"pigeon\",\"online\":true}",
        "/_get chats 1 {\"type\":\"odd\"}", "/_set prefs @4 {\"voice\":{\"allow\":\"perhaps\"}}",
        "/_set prefs @4 {\"timedMessages\":{\"allow\":\"yes\",\"ttl\":\"week\"}}",
        "/_set theme @4 {\"light\":{\"mode\":\"dim\"}}", "/_reaction @4 5 on {\"type\":\"emoji\",\"emoji\":\"👍👍\"}",
        "/_ttl 1 week", "/_ttl 1 @4 1.5", "/_ttl 1 -1",
        "/_tags @4 first", "/_create tag {\"emoji\":\"🏠\"}", "/_send @4 ttl=soon json []",
        "/_create user {\"profile\":{\"displayName\":\"a\\u0000b\",\"fullName\":\"\"},\"pastTimestamp\":false}",
    ])
    func `Unknown values are refused in chat commands, except message content of an unknown kind`(_ text: String) throws
    {
        #expect(throws: CommandParseError.malformed) { try ChatCommand(parsing: text) }
        #expect(throws: Never.self) {
            try ChatCommand(parsing: "/_send @4 json [{\"msgContent\":{\"type\":\"odd\",\"text\":\"a\"}}]")
        }
    }

    @Test
    func `An unsupported console command is refused with an error that contains its name`() {
        #expect(throws: CommandParseError.unsupported("/set")) { try ChatCommand(parsing: "/set lamp") }
        #expect(throws: CommandParseError.unsupported("/r")) { try ChatCommand(parsing: "/r") }
        #expect(
            CommandParseError.malformed.chatError == .error(errorType: .commandError(message: "Failed reading: empty"))
        )
    }

    @Test(arguments: [
        ("/freceive 1", "/freceive 1 approved_relays=off encrypt=off"),
        ("/fr 1 approved_relays=on inline=on a b", "/freceive 1 approved_relays=on encrypt=off inline=on a b"),
        ("/freceive 1 encrypt=on", "/freceive 1 approved_relays=off encrypt=on"),
        ("/_set_file_to_receive 1", "/_set_file_to_receive 1 approved_relays=off encrypt=off"),
        ("/fcancel 1", "/fcancel 1"),
    ])
    func `The command to receive a file stores it unencrypted unless the command says 'encrypt=on'`(
        _ text: String,
        _ run: String
    ) throws {
        #expect(try ChatCommand(parsing: text).storingPlainFiles.text == run)
    }

    @Test
    func `A connect command with an unknown option is read as a link, as in the original`() throws {
        let link = CreatedConnLink(connFullLink: "incognito=perhaps")
        #expect(
            try ChatCommand(parsing: "/_connect 1 incognito=perhaps")
                == .contacts(.connect(userId: 1, incognito: false, connLink: link))
        )
    }

    @Test
    func `A damaged chat command causes a typed error, or is parsed to a different valid command`() throws {
        let texts = [
            "/_send #1(_support:5)(as_group=on) live=on ttl=5 json [{\"msgContent\":{\"type\":\"text\",\"text\":\"é😀\"},\"mentions\":{}}]",
            "/_get chat @4 content=image around=7 count=3 search=x y",
            "/_connect 1 incognito=off simplex:/invitation#/?v=2 https://a/i#b",
            "/_upload 1 key=a nonce=b c", "/start remote host 1 addr=127.0.0.1 iface=\"l o\" port=80",
            "/_ttl 1 @4 default",
        ]
        for (seed, text) in texts.enumerated() {
            for damaged in makeMutations(of: Array(text.utf8), count: 400, seed: UInt64(seed)) {
                guard let command = try? ChatCommand(parsing: String(decoding: damaged, as: UTF8.self)) else {
                    continue
                }
                #expect(try ChatCommand(parsing: command.text) == command)
            }
        }
    }
}
