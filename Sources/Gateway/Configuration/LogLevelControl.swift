package import Logging

/// Access to the log level: the lowest level that the process logs.
package struct LogLevelControl: Sendable {
    let readLevel: @Sendable () -> Logger.Level
    let changeLevel: @Sendable (Logger.Level) -> Void

    package init(level: @escaping @Sendable () -> Logger.Level, set: @escaping @Sendable (Logger.Level) -> Void) {
        (self.readLevel, self.changeLevel) = (level, set)
    }
}
