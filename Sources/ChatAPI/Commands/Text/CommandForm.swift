/// The form of a command: its first words, and the parser of its arguments.
struct CommandForm<Command: Sendable>: Sendable {
    let heads: [String]
    let read: @Sendable (inout CommandScanner) throws(CommandParseError) -> Command

    init(_ heads: String..., read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> Command) {
        self.heads = heads
        self.read = read
    }

    /// Makes the form of a command without arguments.
    init(_ heads: String..., is command: Command) {
        self.heads = heads
        read = { _ in command }
    }

    /// Converts the form to a form of a larger set of commands.
    func map<Larger>(_ make: @escaping @Sendable (Command) -> Larger) -> CommandForm<Larger> {
        CommandForm<Larger>(heads: heads) { scanner throws(CommandParseError) in make(try read(&scanner)) }
    }

    fileprivate init(
        heads: [String],
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> Command
    ) {
        self.heads = heads
        self.read = read
    }
}

/// The commands of one category: their text forms, the parsers, and the names.
protocol CommandCategory: Hashable, Sendable {
    var commandText: CommandText { get }
    var name: CommandName { get }
    static var forms: [CommandForm<Self>] { get }
}

/// Finds the form of a text by its first words. If several forms fit, the form with the most words is used.
struct CommandIndex: Sendable {
    private let forms: [String: CommandForm<ChatCommand>]
    private let longestHead: Int

    init(_ forms: [CommandForm<ChatCommand>]) {
        var byHead: [String: CommandForm<ChatCommand>] = [:]
        for form in forms {
            for head in form.heads { byHead[head] = form }
        }
        self.forms = byHead
        longestHead = byHead.keys.map { $0.count(where: { $0 == " " }) + 1 }.max() ?? 0
    }

    func form(of text: Substring) -> (form: CommandForm<ChatCommand>, arguments: Substring)? {
        var ends: [Substring.Index] = []
        var position = text.startIndex
        while ends.count < longestHead, let end = text[position...].firstIndex(of: " ") {
            ends.append(end)
            position = text.index(after: end)
        }
        if ends.count < longestHead { ends.append(text.endIndex) }
        for end in ends.reversed() {
            if let form = forms[String(text[..<end])] { return (form, text[end...]) }
        }
        return nil
    }
}
