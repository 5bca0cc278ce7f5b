import Synchronization

/// A statement that took long, with the number and the durations of its slow runs.
package struct SlowStatement: Hashable, Sendable {
    /// The text of the statement, without its arguments.
    package let text: String
    package fileprivate(set) var count: Int64 = 0
    /// The sum of the durations of the slow runs, in microseconds.
    package fileprivate(set) var totalMicroseconds: Int64 = 0
    /// The longest duration of a slow run, in microseconds.
    package fileprivate(set) var maxMicroseconds: Int64 = 0

    package var averageMicroseconds: Int64 { count == 0 ? 0 : totalMicroseconds / count }
}

/// The slow statements of one database, since the database was opened.
package final class SlowStatements: Sendable {
    private struct State {
        var statements: [String: SlowStatement] = [:]
        var onSlow: (@Sendable (String, Int64) -> Void)?
    }

    /// The shortest duration of a slow run in nanoseconds: 100 ms.
    static let minNanoseconds: Int64 = 100_000_000
    /// Maximal number of different statements. Beyond this number, a new statement replaces the statement with the
    /// smallest ``SlowStatement/maxMicroseconds``, if the new statement took longer.
    static let maxStatements = 100

    private let state = Mutex(State())

    package init() {}

    /// The slow statements. The statement with the longest average duration is first.
    package var all: [SlowStatement] {
        state.withLock {
            $0.statements.values.sorted { ($0.averageMicroseconds, $1.text) > ($1.averageMicroseconds, $0.text) }
        }
    }

    /// Sets the function that is called after each slow run, with the text of the statement and the duration in
    /// microseconds. It is called on the thread of the database.
    package func setReportFunction(to function: @escaping @Sendable (String, Int64) -> Void) {
        state.withLock { $0.onSlow = function }
    }

    /// Records a run of a statement, if it was slow.
    func recordRun(of text: String, nanoseconds: Int64) {
        guard nanoseconds >= Self.minNanoseconds else { return }
        let microseconds = nanoseconds / 1_000
        let report = state.withLock { state in
            Self.add(text, microseconds, to: &state.statements)
            return state.onSlow
        }
        report?(text, microseconds)
    }

    private static func add(_ text: String, _ microseconds: Int64, to statements: inout [String: SlowStatement]) {
        if statements[text] == nil, statements.count >= maxStatements {
            guard let least = statements.values.min(by: { $0.maxMicroseconds < $1.maxMicroseconds }),
                least.maxMicroseconds < microseconds
            else { return }
            statements[least.text] = nil
        }
        var statement = statements[text] ?? SlowStatement(text: text)
        statement.count &+= 1
        statement.totalMicroseconds &+= microseconds
        statement.maxMicroseconds = max(statement.maxMicroseconds, microseconds)
        statements[text] = statement
    }
}

extension Database {
    /// The slow statements since the database was opened.
    package var slowStatements: SlowStatements { file.slowStatements }
}
