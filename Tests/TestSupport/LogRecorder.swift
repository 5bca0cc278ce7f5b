public import Logging
internal import Synchronization

/// Records log entries.
public final class LogRecorder: Sendable {
    public struct Line: Sendable {
        public let level: Logger.Level
        public let message: String
        public let fields: [String: String]

        public var text: String { "\(level) \(message) \(fields)" }
    }

    private let kept = Mutex<[Line]>([])

    public init() {}

    public var lines: [Line] { kept.withLock { $0 } }

    /// Returns a logger whose entries are recorded.
    /// - Parameter level: the lowest level that is logged.
    public func logger(_ level: Logger.Level = .debug) -> Logger {
        Logger(label: "test") { _ in Handler(recorder: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).mapValues { "\($0)" }
            recorder.kept.withLock { $0.append(Line(level: event.level, message: "\(event.message)", fields: fields)) }
        }
    }
}
