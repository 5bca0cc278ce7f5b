import JSON
import Testing
import TestSupport

@testable import ChatAPI

/// Tests that read and write the text forms of console commands.
@Suite struct ConsoleTests {
    @Test(arguments: [
        "/file @bob data.bin", "/file #team key=abc nonce=def a b.bin", "/image * a.png", "/fforward @bob 3",
        "/image_forward #team 4",
        "/profile", "/profile alice the best", "/profile 'a b'", "/show profile image", "/delete profile image",
        "/set profile image data:image/png;base64,AAAA", "/user bob", "/user 'a b' \"pass word\"",
        "/delete user bob", "/hide user \"x\"",
        "/mute user", "/unmute user", "/read user", "/set receipts contacts on clear_overrides=off", "/contacts",
        "/connect",
        "/connect incognito", "/connect incognito https://a/i#b", "/address", "/delete_address", "/show_address",
        "/profile_address on",
        "/auto_accept off", "/auto_accept on incognito=on json {\"type\":\"text\",\"text\":\"hi\"}",
        "/auto_accept on business",
        "/info @bob", "/delete @bob full notify=on", "/delete @bob messages", "/code @bob", "/verify @bob 123 45",
        "/verify @bob", "/enable @bob",
        "/switch @bob", "/abort switch @bob", "/sync @bob force=on", "/queue info @'a b'", "/call @bob",
        "/set voice no", "/set voice @bob always",
        "/set delete @bob", "/set disappear yes", "/set disappear @bob yes 30", "/set disappear @bob no",
        "/set disappear @bob yes",
        "/set disappear @bob", "/accept incognito @bob", "/accept @bob", "/reject @bob", "@bob hello",
        "@'a, b' hello  there", "#team hi",
        "@bob \" spaced\"", "/* a note", "/live @bob typing", "/live @bob", "> @bob (hell) yes",
        ">> @bob (hell) no", "@bob <- @dan text",
        "@bob <- * text", "\\ @bob text", "! @bob (old) new", "+1 @bob text", "-* * text", "/item info @bob text",
        "/tail 10", "/tail @bob 2",
        "/tail * 3", "/search 10 word", "/search @bob 1 two words", "/chats all", "/chats 20", "/show 7",
        "/fstatus 7", "/show off",
        "/set bot commands 'Help me':'help','Links':{'One, two':'link <ID>','More':{'x':'y'}}",
        "/delete bot commands", "/feed hello all", "/clear @bob",
        "/clear *", "/ttl", "/ttl week", "/ttl none", "/ttl @bob", "/ttl @bob month", "/ttl @bob default",
        "/mute @bob", "/unmute @bob",
        "/unmute mentions #team", "/receipts @bob off", "/receipts @bob default", "/smp", "/xftp",
        "/smp test smp://a@b", "/welcome", "/help", "/help files", "/help address", "/help db", "/markdown",
        "/simplex", "/simplex incognito", "/last_item_id", "/last_item_id 3", "/last_item_id @bob",
        "/last_item_id * 2", "/smp smp://a@b;smp://c@d",
        "/xftp xftp://a@b", "/operators 1:on:smp=storage:xftp=off,2:off",
        "/group #team", "/group incognito #'our team' the best", "/groups", "/groups @bob",
        "/groups @'a b' two words", "/groups word", "/members #team",
        "/add #team @bob member", "/add #'our team' @'a b' owner", "/join #team", "/join #team mute",
        "/leave #team", "/delete #team", "/info #team",
        "/info #team @bob", "/member support chats #team", "#team (support) hello", "#team (support: bob) hello",
        "#team (support: 'a b') hello", "@#team @bob hello", "@#'our team' @'a b' hello",
        "/report #team @bob spam bad words", "/report #team other words", "/member role #team @bob moderator",
        "/accept member #team @bob member", "/block for all #team @bob", "/unblock for all #team @bob",
        "/block #team @bob",
        "/unblock #team @bob", "/remove #team @bob", "/remove #team @bob,@'a, b',@carol messages=on",
        "/group_profile #team",
        "/create link #team observer", "/show link #team", "/set link role #team member", "/delete link #team",
        "/group_profile #team 'our team' the best", "/set welcome #team be nice", "/delete welcome #team",
        "/show welcome #team", "/set voice #team on admin",
        "/set files #team off", "/set history #team on", "/set reactions #team off", "/set delete #team on",
        "/set direct #team on owner", "/set reports #team off",
        "/set support #team on", "/set links #team on moderator", "/set disappear #team on 30",
        "/set disappear #team off", "/set admission review #team all",
        "> #team (hell) yes", "> #team @'a b' (hell) yes", "\\\\ #team @bob text", "@bob <- #team text",
        "#team <- #team @bob text",
        #"@bob <- #team "@bob text""#, "@bob <- #team @bob @carol text",
        "/network socks=off socks-mode=always host-mode=public smp-web-port-servers=preset timeout=9 log=off",
        "/network socks=@127.0.0.1:9051 socks-mode=onion host-mode=onion required-host-mode smp-proxy=never smp-proxy-fallback=no smp-web-port-servers=all log=on",
    ])
    func `A console command is written in the short form that people type`(_ text: String) throws {
        let command = try ChatCommand(parsing: text)
        #expect(command.text == text)
        guard case .console = command else {
            Issue.record("\(text) is not a form of the console")
            return
        }
    }

    @Test(arguments: [
        ("/f @bob data.bin", "/file @bob data.bin"), ("/img @bob a.png", "/image @bob a.png"),
        ("/ff @bob 3", "/fforward @bob 3"),
        ("/imgf @bob 3", "/image_forward @bob 3"), ("/p", "/profile"), ("/u bob", "/user bob"), ("/c", "/connect"),
        ("/c i", "/connect incognito"), ("/i bob", "/info @bob"),
        ("/i 'a b'", "/info @'a b'"), ("/show", "/show on"), ("/fs 7", "/fstatus 7"),
        ("/set bot commands help me:/help now  then,b:'c'", "/set bot commands 'help me':'help now then','b':'c'"),
        ("/d bob", "/delete @bob full notify=on"), ("/d @bob entity notify=off", "/delete @bob entity notify=off"),
        ("/ad", "/address"), ("/da", "/delete_address"), ("/sa", "/show_address"),
        ("/pa off", "/profile_address off"),
        ("/auto_accept on text hi", "/auto_accept on json {\"type\":\"text\",\"text\":\"hi\"}"),
        ("/ac bob", "/accept @bob"),
        ("/accept i bob", "/accept incognito @bob"), ("/rc bob", "/reject @bob"), ("/t", "/tail 10"),
        ("/t 2", "/tail 2"),
        ("/t @bob", "/tail @bob 10"), ("/? word", "/search 10 word"), ("/cs", "/chats 20"), ("/cs 5", "/chats 5"),
        ("/qi bob", "/queue info @bob"), ("/call bob", "/call @bob"),
        (">@bob (a) b", "> @bob (a) b"), (">>@bob (a)b", ">> @bob (a) b"), ("\\@bob text", "\\ @bob text"),
        ("!@bob (a)b", "! @bob (a) b"),
        ("! @bob new", "! @bob () new"), ("+1 bob text", "+1 @bob text"), ("-🚀 @bob text", "-^ @bob text"),
        ("++ @bob text", "+1 @bob text"), ("+❤️ @bob text", "+* @bob text"),
        ("/g team", "/group #team"), ("/g i team x", "/group incognito #team x"), ("/gs", "/groups"),
        ("/ms team", "/members #team"),
        ("/a team bob", "/add #team @bob member"), ("/a #team @bob admin", "/add #team @bob admin"),
        ("/j team", "/join #team"),
        ("/l team", "/leave #team"), ("/d #team", "/delete #team"), ("/i #team bob", "/info #team @bob"),
        ("/mr team bob observer", "/member role #team @bob observer"),
        ("/block for all #team bob", "/block for all #team @bob"), ("/block #team bob", "/block #team @bob"),
        ("/rm team bob,carol messages=off", "/remove #team @bob,@carol"), ("/gp team", "/group_profile #team"),
        ("/gp team club", "/group_profile #team club"),
        ("/create link #team", "/create link #team member"),
        ("/group_descr team be nice", "/set welcome #team be nice"), ("/group_descr team", "/delete welcome #team"),
        (">#team bob (a) b", "> #team @bob (a) b"), ("> #team (a)b", "> #team (a) b"),
        ("\\\\#team bob text", "\\\\ #team @bob text"),
        ("@bob <- #team @carol", #"@bob <- #team "@carol""#),
        ("/clear bob", "/clear @bob"), ("/set disappear @bob 1h", "/set disappear @bob yes 3600"),
        ("/set disappear #team on 1h", "/set disappear #team on 3600"),
        ("/set disappear #team week", "/set disappear #team on 604800"), ("@bob \"plain\"", "@bob plain"),
        ("/w", "/welcome"), ("/h", "/help"), ("/hf", "/help files"), ("/help file", "/help files"),
        ("/hg", "/help groups"), ("/help group", "/help groups"), ("/hc", "/help contacts"),
        ("/help contact", "/help contacts"), ("/ha", "/help address"), ("/hi", "/help incognito"),
        ("/incognito", "/help incognito"), ("/incognito off", "/help incognito"), ("/hm", "/help messages"),
        ("/hr", "/help remote"), ("/hs", "/help settings"), ("/hd", "/help db"), ("/m", "/markdown"),
        (
            "/net socks=off",
            "/network socks=off socks-mode=always host-mode=public smp-web-port-servers=preset log=off"
        ),
        (
            "/net socks=on smp-web-port",
            "/network socks=127.0.0.1:9050 socks-mode=always host-mode=onion smp-web-port-servers=all log=off"
        ),
    ])
    func `Short and older spellings of a console command have the same meaning as the usual spelling`(
        _ typed: String,
        _ canonical: String
    ) throws {
        let command = try ChatCommand(parsing: typed)
        #expect(command.text == canonical)
        #expect(try ChatCommand(parsing: canonical) == command)
    }

    @Test(arguments: [
        "@", "@bob", "@ bob hi", "@@bob hi", "@'bob hi", "@'' hi", "@#bob hi", "@'#bob' hi", "> bob (a) b",
        "> @bob a", "> @bob (a b", "\\ bob text", "!", "+", "+x @bob a",
        "+1 @bob", "* note", "@bob <- dan text", "/i", "/i  bob", "/ttl sometimes", "/ttl @bob sometimes",
        "/set voice maybe", "/set voice @bob maybe",
        "#team (support", "#team (support hi", "#team (support:) hi", "#team (support: bob hi",
        "#team (support x) hi", "#team  (support) ", "@#team bob",
        "/g", "/g #", "/a team", "/a team bob relay", "/a team bob author", "/a team bob king",
        "/a team bob member x", "/j", "/j team muted", "/mr team bob",
        "/mr team bob x", "/member support chats team", "/report team spam x", "/report #team rude x",
        "/report #team spam", "/rm team", "/rm team bob,", "/rm team ,bob", "/rm team bob messages=maybe",
        "/block team bob", "/block for all team bob",
        "/unblock for all #team", "/create link team", "/create link #team king", "/set link role #team",
        "/show link team", "/delete link #", "/i #", "/d #", "/d #team full", "/set welcome #team", "/ms",
        ">> #team (a) b", "> #team a", "\\\\ @bob text", "\\\\ #team bob",
        "/verify @bob x1", "/show x", "/fs", "/fstatus x", "/set bot commands", "/set bot commands :a",
        "/set bot commands a:", "/set bot commands a:b,", "/set bot commands a:{b:c", "/accept",
        "/set profile image http://a", "/pa maybe", "/receipts @bob maybe", "/d bob sometimes", "/smp a",
        "/smp smp://a@b;", "/smp xftp://a@b", "/operators", "/operators 1", "/operators 1:on,",
        "/operators 1:on:smp=x",
        "/operators 1:on:xftp=on:smp=on", "/network off", "/network socks=off host-mode=maybe",
        "/network socks=off timeout=x", "/last_item_id x",
    ])
    func `A text that does not match the syntax of its console command is refused`(_ text: String) {
        #expect(throws: CommandParseError.self) { try ChatCommand(parsing: text) }
    }

    @Test
    func `A damaged console command causes a typed error, or is parsed to a different valid command`() throws {
        for text in [
            "> @'a b' (quoted) \"re\\nply\"", "! @bob (é😀) new", "+👍 @bob text", "/set disappear @bob yes 1h",
            "/search @'a, b' 3 x", "/auto_accept on business text hi", "@a <- @'b c' d", "#a <- #'b c' @'d e' f",
            "/rm #a b,@'c, d' messages=on", "> #a @'b c' (d) \"e\"", "/gp a 'b c' d",
        ] {
            for damaged in makeMutations(of: Array(text.utf8), count: 400) {
                guard let damagedText = String(validating: damaged, as: UTF8.self),
                    let command = try? ChatCommand(parsing: damagedText)
                else { continue }
                #expect(try ChatCommand(parsing: command.text) == command, "\(damagedText) became \(command.text)")
            }
        }
    }
}
