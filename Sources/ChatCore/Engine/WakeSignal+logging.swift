internal import Concurrency
internal import Files
internal import Logging

extension WakeSignal {
    /// Runs `work` repeatedly until the task is cancelled: after `firstPause`, at every signal, and after each pause
    /// that `work` has returned. A failure is logged with the given level and message, and `work` runs again after ten
    /// seconds. The cancellation of the task is not logged.
    func run(
        _ logger: Logger,
        _ level: Logger.Level = .error,
        after firstPause: Duration?,
        whenFailed words: Logger.Message,
        _ work: () async throws -> Duration?
    ) async {
        await runAtSignals(after: firstPause) {
            do {
                return try await work()
            } catch is CancellationError where Task.isCancelled {
                return nil
            } catch {
                logger.log(level: level, words, metadata: ["error": "\(error.descriptionWithoutPath)"])
                return Self.pauseAfterFailure
            }
        }
    }

    /// The pause after a failure.
    private static let pauseAfterFailure: Duration = .seconds(10)
}
