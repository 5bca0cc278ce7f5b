import ChatAPI
import Concurrency
import Files
import Glibc
import Logging
import Synchronization

/// The format of log lines.
enum LogFormat: String {
    case text, json

    private static let chosenFormat = Mutex(LogFormat.text)

    /// The format that the operator has chosen; text by default.
    static var currentFormat: LogFormat {
        get { chosenFormat.withLock { $0 } }
        set { chosenFormat.withLock { $0 = newValue } }
    }
}

/// The lowest level of log lines that are written. It can be changed while the program runs.
enum LogThreshold {
    private static let currentLevel = Mutex(Logger.Level.notice)

    static var level: Logger.Level {
        get { currentLevel.withLock { $0 } }
        set { currentLevel.withLock { $0 = newValue } }
    }

    /// Changes the level while the program runs, and logs the change.
    @Sendable static func changeLevel(to level: Logger.Level) {
        let before = self.level
        guard level != before else { return }
        // While the change is logged, the lowest of three levels applies: the old level, the new level and `notice`. So
        // the line about the change always appears.
        self.level = min(before, level, .notice)
        Logger(label: "gateway").notice("the log level has changed", metadata: ["from": "\(before)", "to": "\(level)"])
        self.level = level
    }
}

/// Writes log lines to a descriptor from a separate thread, so that callers do not wait for a slow reader. When too
/// many lines wait, further lines are dropped, and the number of dropped lines is logged.
final class LogOutput: Sendable {
    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    private struct State {
        var pendingBytes: [UInt8] = []
        var droppedCount = 0
        var isWriting = false
    }

    /// Maximal number of bytes that wait to be written.
    private let maxPendingBytes: Int
    private let descriptor: Int32
    private let state = Mutex(State())
    private let writeLock = Mutex(())

    init(descriptor: Int32, capacity: Int = 1 << 20) {
        self.descriptor = descriptor
        self.maxPendingBytes = capacity
    }

    func appendLine(_ line: [UInt8]) {
        let begins = state.withLock { state in
            guard state.pendingBytes.count + line.count <= maxPendingBytes else {
                state.droppedCount += 1
                return false
            }
            state.pendingBytes += line
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { BlockingThread.runOnThread { self.writePendingBytes() } }
    }

    /// Waits until all previously appended lines are written.
    func writePendingLines() { writePendingBytes() }

    private func writePendingBytes() {
        writeLock.withLock { _ in
            while true {
                let (bytes, dropped) = state.withLock { state -> ([UInt8], Int) in
                    defer {
                        state.pendingBytes = []
                        state.droppedCount = 0
                    }
                    if state.pendingBytes.isEmpty, state.droppedCount == 0 { state.isWriting = false }
                    return (state.pendingBytes, state.droppedCount)
                }
                if bytes.isEmpty, dropped == 0 { return }
                write(bytes)
                if dropped > 0 {
                    let text = "\(dropped) log lines dropped: the reader of the log is too slow"
                    let line = LogLine(
                        time: LogLine.currentTimeText(),
                        level: .warning,
                        label: "log",
                        message: text,
                        fields: []
                    )
                    write(Array((LogFormat.currentFormat == .json ? line.json : text).utf8) + [UInt8(ascii: "\n")])
                }
            }
        }
    }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// Formats each log event as one line: `time level label: message name=value …`, or a JSON object.
struct LineLogHandler: LogHandler {
    let label: String
    let format: LogFormat
    let output: LogOutput
    /// The level of this logger alone; nil for the level of the whole program.
    private var loggerLevel: Logger.Level?
    var metadata: Logger.Metadata = [:]

    init(label: String, format: LogFormat, output: LogOutput = .standardError) {
        self.label = label
        self.format = format
        self.output = output
    }

    var logLevel: Logger.Level {
        get { loggerLevel ?? LogThreshold.level }
        set { loggerLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.map { ($0.key, "\($0.value)") }.sorted {
            $0.0 < $1.0
        }
        let line = LogLine(
            time: LogLine.currentTimeText(),
            level: event.level,
            label: label,
            message: "\(event.message)",
            fields: fields
        )
        output.appendLine(Array((format == .json ? line.json : line.text).utf8) + [UInt8(ascii: "\n")])
    }
}

/// The parts of one log line, and the line as text and as JSON.
struct LogLine {
    let time: String
    let level: Logger.Level
    let label: String
    let message: String
    let fields: [(String, String)]

    /// Returns the present time in UTC with microseconds, as text. The alphabetical order of these texts is the order
    /// in time.
    static func currentTimeText() -> String { Timestamp.now.fullText.prefix(26) + "Z" }

    var text: String {
        // Values with spaces or special characters are quoted, so that a value cannot imitate other fields.
        let pairs = fields.map { " \($0.0)=\(Self.needsNoQuotes($0.1) ? $0.1 : Self.quoteAsJSON($0.1))" }.joined()
        return
            "\(time) \(level) \(label): \(Self.hasNoControlCharacters(message) ? message : Self.quoteAsJSON(message))\(pairs)"
    }

    var json: String {
        let own = [("time", time), ("level", level.rawValue), ("logger", label), ("message", message)]
        let names = Set(own.map(\.0))
        let all = own + fields.map { (names.contains($0.0) ? "field_\($0.0)" : $0.0, $0.1) }
        return "{" + all.map { "\(Self.quoteAsJSON($0.0)):\(Self.quoteAsJSON($0.1))" }.joined(separator: ",") + "}"
    }

    private static func needsNoQuotes(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 < 0x80
            }
    }

    private static func hasNoControlCharacters(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Returns the text as a JSON string.
    private static func quoteAsJSON(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
