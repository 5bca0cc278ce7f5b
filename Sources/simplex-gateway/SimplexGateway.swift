import ArgumentParser
import ChatCore
import ForeignData
import Gateway
import Glibc
import Logging

@main
enum Program {
    /// Starts the program. The main thread only waits for signals. All other work runs in tasks.
    static func main() {
        if ForeignReader.isReaderCommand(CommandLine.arguments) { ForeignReader.runReader() }
        CrashReports.disableReports()
        CrashMarks.installHandlers()
        StopSignal.blockSignals()
        ProcessMemory.limitArenas()
        Task.detached(priority: .utility) { await ProcessMemory.trimWhenIdle() }
        // The task is detached, because the thread of the main actor only waits for signals.
        Task.detached {
            await SimplexGateway.runCommand()
        }
        StopSignal.receiveSignalsForever()
    }
}

/// The commands of the program: `serve` (the gateway with its core and relays), `relay` (only a relay), `invite` (an
/// invitation as a QR code), `web` (a link that signs in to the web client), `backup` (a copy of all data), `restore`
/// (a data folder from a copy), `check` (a report of faults), `key` (API keys).
struct SimplexGateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simplex-gateway",
        abstract: "An HTTP and WebSocket server for SimpleX Chat.",
        discussion: """
            Every option can also be given as an environment variable (--relay-port as SXGW_RELAY_PORT) or in a JSON file named by --config \
            ({"relay-port": 5223}). A flag wins over the environment, which wins over the file.

            The program ends with 2 for a wrong configuration, 3 for a wrong database key (nothing is changed), 4 when the data folder or a port is in use, \
            and 1 for any other failure.
            """,
        version: ProgramVersion.text,
        subcommands: [
            Serve.self, RelayOnly.self, Invite.self, Web.self, Backup.self, Restore.self, Check.self, Key.self,
        ]
    )

    /// Runs the command that the arguments name, and ends the program. For invalid arguments, the exit code is that of
    /// a configuration error.
    static func runCommand() async -> Never {
        // An argument with bytes that are not UTF-8 is refused. Such bytes appear as replacement characters.
        guard !CommandLine.arguments.contains(where: { $0.contains("\u{FFFD}") }) else {
            printError("simplex-gateway: an argument is not UTF-8")
            Glibc.exit(2)
        }
        do {
            var command = try parseAsRoot(joinNegativeNumbers(CommandLine.arguments.dropFirst()))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            LogOutput.standardError.writePendingLines()
            exit(withError: nil)
        } catch {
            LogOutput.standardError.writePendingLines()
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            printError(fullMessage(for: error))
            Glibc.exit(2)
        }
    }
}

extension SimplexGateway {
    /// Joins a negative number to the option before it, so that the error names this option. A separate negative number
    /// would be parsed as an option itself.
    static func joinNegativeNumbers(_ arguments: some Sequence<String>) -> [String] {
        arguments.reduce(into: []) { joined, argument in
            if let option = joined.last, option.hasPrefix("--"), !option.contains("="), option.count > 2,
                argument.wholeMatch(of: /-[0-9]+/) != nil
            {
                joined[joined.count - 1] = option + "=" + argument
            } else {
                joined.append(argument)
            }
        }
    }
}

/// The error that ends the program with one line on standard error.
struct Failure: Error, CustomStringConvertible {
    /// The exit code of the program: 2 for the configuration, 3 for the database key, 4 for a data folder or port that
    /// is in use, 1 for any other failure.
    var exitCode: Int32
    var message: String
    var description: String { message }

    static func configurationFailure(_ message: String) -> Failure { Failure(exitCode: 2, message: message) }

    static func storeCopyFailure(_ path: String) -> Failure {
        configurationFailure(
            "\(path) is the copy of one store, not a data folder: simplex-gateway restore restores the store into a running gateway"
        )
    }
}

/// Runs a command. If the command throws a ``Failure``, prints its message as one line and ends with its exit code.
func exitOnFailure(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let failure as Failure {
        printReport(failure.message, .critical, text: "simplex-gateway: \(failure.message)")
        throw ExitCode(failure.exitCode)
    }
}

/// Prints a warning on standard error, at any log level.
func printWarning(_ warning: String) { printReport(warning, .warning, text: "simplex-gateway: warning: \(warning)") }

/// Prints a line on standard error at any log level. When the log is JSON, the line is JSON too, because another
/// program may read standard error line by line.
private func printReport(_ message: String, _ level: Logger.Level, text: String) {
    let line = LogLine(time: LogLine.currentTimeText(), level: level, label: "gateway", message: message, fields: [])
    printError(LogFormat.currentFormat == .json ? line.json : text)
}

/// Prints the addresses and folders of the program on standard output when it has started, each on its own line. When
/// the log is JSON, prints one JSON line with all of them, because another program may read standard output line by
/// line.
func printFacts(_ facts: [(title: String, value: String)]) {
    guard LogFormat.currentFormat == .json else {
        for fact in facts { printLine((fact.title + ":").padding(to: 13) + fact.value) }
        return
    }
    let fields = facts.map { ($0.title.lowercased().replacing(" ", with: "_"), $0.value) }
    printLine(
        LogLine(time: LogLine.currentTimeText(), level: .notice, label: "gateway", message: "started", fields: fields)
            .json
    )
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// Sets the level and the format of the program's log.
/// - Parameter format: the name of the format; nil for text.
func startLogging(_ level: String, format: String?) throws {
    LogThreshold.level = try Logger.Level(named: level)
    let format = try LogFormat(named: format)
    LogFormat.currentFormat = format
    LoggingSystem.bootstrap { LineLogHandler(label: $0, format: format) }
}

extension LogFormat {
    /// Makes a format from its name.
    /// - Parameter text: the name of the format in the configuration; nil for text.
    init(named text: String?) throws {
        guard let format = LogFormat(rawValue: text ?? LogFormat.text.rawValue) else {
            throw Failure.configurationFailure("--log-format must be text or json, not \(text ?? "")")
        }
        self = format
    }
}

extension Logger.Level {
    /// Makes a level from its name in the configuration.
    init(named text: String) throws {
        guard let level = Logger.Level(rawValue: text) else {
            throw Failure.configurationFailure(
                "--log-level must be trace, debug, info, notice, warning, error or critical, not \(text)"
            )
        }
        self = level
    }
}
