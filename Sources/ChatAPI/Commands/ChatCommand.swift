/// A command to the core. Each category of commands has an enum. The cases of the enum have the names of the original's
/// commands without the prefix `api` (Chat API, section 2).
///
/// Every command has a text form, which equals the text of the original's clients
/// (`/_send @4 live=off ttl=default json […]`). Parsing the text results in an equal command.
package enum ChatCommand: Hashable, Sendable {
    case users(UserCommand)
    case lifecycle(LifecycleCommand)
    case messages(MessageCommand)
    case contacts(ContactCommand)
    case groups(GroupCommand)
    case tags(TagCommand)
    case files(FileCommand)
    case calls(CallCommand)
    case notifications(NotificationCommand)
    case settings(SettingsCommand)
    case database(DatabaseCommand)
    case servers(ServerCommand)
    case themes(ThemeCommand)
    case remoteControl(RemoteControlCommand)
    case diagnostics(DiagnosticsCommand)
    case address(AddressCommand)
    case security(SecurityCommand)
    /// A command of the terminal client, which contains names instead of ids.
    case console(ConsoleCommand)
}

/// The reason why a text is not a command.
package enum CommandParseError: Error, Hashable, Sendable {
    /// No command begins with these words, or the arguments are wrong.
    case malformed
    /// The text looks like a command of the terminal client, but this program does not support it. The value is the
    /// first word of the text.
    case unsupported(String)

    /// The error with which the core answers a text that is not a command. It is the same for all parse errors.
    package var chatError: ChatError { .error(errorType: .commandError(message: "Failed reading: empty")) }
}

extension ChatCommand {
    /// Parses the text of a command. White space at the end is ignored.
    package init(parsing text: String) throws(CommandParseError) {
        let trimmed = text.trimmingWhitespaceAtEnd
        if trimmed.hasPrefix("//") {
            self = .diagnostics(.customChatCommand(text: String(trimmed.dropFirst(2))))
            return
        }
        guard let (form, arguments) = Self.formIndex.findForm(of: trimmed) else {
            self = .console(try ConsoleSyntax.parseCommand(trimmed))
            return
        }
        var scanner = CommandScanner(arguments)
        self = try form.parseArguments(&scanner)
        try scanner.requireEnd()
    }

    package var text: String { category.commandText.text }

    /// The name of the command. A terminal command, which contains names of chats, has the name of the equivalent
    /// command with ids.
    package var name: CommandName { category.name }

    private static let formIndex = CommandIndex(
        UserCommand.forms.map { $0.mapCommand(Self.users) }
            + LifecycleCommand.forms.map { $0.mapCommand(Self.lifecycle) }
            + messagingForms + serviceForms + SharedForms.all + ConsoleForms.all
    )

    // The list has several parts, because the type checker needs too long for one sum of all forms.
    private static let messagingForms: [CommandForm<ChatCommand>] = [
        MessageCommand.forms.map { $0.mapCommand(Self.messages) },
        ContactCommand.forms.map { $0.mapCommand(Self.contacts) },
        GroupCommand.forms.map { $0.mapCommand(Self.groups) }, TagCommand.forms.map { $0.mapCommand(Self.tags) },
        FileCommand.forms.map { $0.mapCommand(Self.files) }, CallCommand.forms.map { $0.mapCommand(Self.calls) },
        AddressCommand.forms.map { $0.mapCommand(Self.address) },
        SecurityCommand.forms.map { $0.mapCommand(Self.security) },
    ].flatMap { $0 }

    private static let serviceForms: [CommandForm<ChatCommand>] = [
        NotificationCommand.forms.map { $0.mapCommand(Self.notifications) },
        SettingsCommand.forms.map { $0.mapCommand(Self.settings) },
        DatabaseCommand.forms.map { $0.mapCommand(Self.database) },
        ServerCommand.forms.map { $0.mapCommand(Self.servers) },
        ThemeCommand.forms.map { $0.mapCommand(Self.themes) },
        RemoteControlCommand.forms.map { $0.mapCommand(Self.remoteControl) },
        DiagnosticsCommand.forms.map { $0.mapCommand(Self.diagnostics) },
    ].flatMap { $0 }

    private var category: any CommandCategory {
        switch self {
        case .users(let command): command
        case .lifecycle(let command): command
        case .messages(let command): command
        case .contacts(let command): command
        case .groups(let command): command
        case .tags(let command): command
        case .files(let command): command
        case .calls(let command): command
        case .notifications(let command): command
        case .settings(let command): command
        case .database(let command): command
        case .servers(let command): command
        case .themes(let command): command
        case .remoteControl(let command): command
        case .diagnostics(let command): command
        case .address(let command): command
        case .security(let command): command
        case .console(let command): command
        }
    }
}

extension String {
    fileprivate var trimmingWhitespaceAtEnd: Substring {
        var trimmed = self[...]
        while let last = trimmed.last, last.isWhitespace { trimmed.removeLast() }
        return trimmed
    }
}
