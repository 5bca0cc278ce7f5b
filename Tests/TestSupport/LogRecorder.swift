package import Logging
internal import Synchronization

package final class LogRecorder: Sendable {
    package struct Line: Sendable {
        package let level: Logger.Level
        package let message: String
        package let fields: [String: String]

        package var text: String { "\(level) \(message) \(fields)" }
    }

    private let recordedLines = Mutex<[Line]>([])

    package init() {}

    package var lines: [Line] { recordedLines.withLock { $0 } }

    /// Returns a logger whose entries are recorded.
    /// - Parameter level: the lowest level that is logged.
    package func makeLogger(_ level: Logger.Level = .debug) -> Logger {
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
            recorder.recordedLines.withLock {
                $0.append(Line(level: event.level, message: "\(event.message)", fields: fields))
            }
        }
    }
}
