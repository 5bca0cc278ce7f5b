/// What people type into the terminal client: names instead of ids. Typed commands do not have it.
enum ConsoleSyntax {
    /// Signs that a message or a reaction begins with: `@bob hello`, `#team hello`, `> @bob (…) reply`, `! …`, `\ …`, `+1 …`.
    private static let signs: Set<Character> = ["@", "#", ">", "!", "\\", "+", "-", "*"]

    private static let words: Set = [
        "/*", "/a", "/accept", "/ac", "/acceptmember", "/ad", "/add", "/address", "/auto_accept", "/block", "/c", "/call", "/chats", "/clear", "/code",
        "/connect", "/contacts", "/create", "/cs", "/d", "/da", "/delete", "/delete_address", "/f", "/feed", "/fforward", "/ff", "/fs", "/fstatus",
        "/g", "/gp", "/group", "/group_descr", "/group_profile", "/groups", "/gs", "/h", "/ha", "/hc", "/hd", "/help", "/hf", "/hg", "/hi", "/hm", "/hr",
        "/hs", "/i", "/incognito", "/info", "/j", "/join", "/l", "/last_item_id", "/leave", "/live", "/m", "/markdown", "/member", "/members", "/messages",
        "/mr", "/ms", "/mute", "/operators", "/p", "/pa", "/profile", "/profile_address", "/r", "/receipts", "/reject", "/remove", "/rm", "/sa", "/search",
        "/set", "/show", "/show_address", "/simplex", "/smp", "/t", "/tail", "/ttl", "/unblock", "/unmute", "/verify", "/welcome", "/xftp",
    ]

    static func error(for text: Substring) -> CommandParseError {
        let word = text.prefix { $0 != " " }
        let isConsole = words.contains(String(word)) || (text.first.map(signs.contains) ?? false)
        return isConsole ? .unsupported(String(word)) : .malformed
    }
}
