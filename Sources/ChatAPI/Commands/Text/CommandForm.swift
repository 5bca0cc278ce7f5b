/// The text form of a command: its first words, and the parser of its arguments.
struct CommandForm<Command: Sendable>: Sendable {
    let firstWords: [String]
    let parseArguments: @Sendable (inout CommandScanner) throws(CommandParseError) -> Command

    init(_ heads: String..., read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> Command) {
        self.firstWords = heads
        self.parseArguments = read
    }

    /// Makes the text form of a command without arguments.
    init(_ heads: String..., is command: Command) {
        self.firstWords = heads
        parseArguments = { _ in command }
    }

    /// Returns a text form with the same first words and arguments, but for commands of another type. For example, the
    /// form of a command of one category becomes a form of ``ChatCommand``.
    /// - Parameter make: converts a parsed command to the other type.
    func mapCommand<Larger>(_ make: @escaping @Sendable (Command) -> Larger) -> CommandForm<Larger> {
        CommandForm<Larger>(heads: firstWords) { scanner throws(CommandParseError) in make(try parseArguments(&scanner))
        }
    }

    fileprivate init(
        heads: [String],
        read: @escaping @Sendable (inout CommandScanner) throws(CommandParseError) -> Command
    ) {
        self.firstWords = heads
        self.parseArguments = read
    }
}

/// A category of commands, with their text forms and names.
protocol CommandCategory: Hashable, Sendable {
    var commandText: CommandText { get }
    var name: CommandName { get }
    static var forms: [CommandForm<Self>] { get }
}

/// Index of text forms, which finds the form of a command by its first words. If several forms fit, the form with the
/// most words is used.
struct CommandIndex: Sendable {
    private let forms: [String: CommandForm<ChatCommand>]
    private let maxFirstWordCount: Int

    init(_ forms: [CommandForm<ChatCommand>]) {
        var byHead: [String: CommandForm<ChatCommand>] = [:]
        for form in forms {
            for head in form.firstWords { byHead[head] = form }
        }
        self.forms = byHead
        maxFirstWordCount = byHead.keys.map { $0.count(where: { $0 == " " }) + 1 }.max() ?? 0
    }

    func findForm(of text: Substring) -> (form: CommandForm<ChatCommand>, arguments: Substring)? {
        var ends: [Substring.Index] = []
        var position = text.startIndex
        while ends.count < maxFirstWordCount, let end = text[position...].firstIndex(of: " ") {
            ends.append(end)
            position = text.index(after: end)
        }
        if ends.count < maxFirstWordCount { ends.append(text.endIndex) }
        for end in ends.reversed() {
            if let form = forms[String(text[..<end])] { return (form, text[end...]) }
        }
        return nil
    }
}
