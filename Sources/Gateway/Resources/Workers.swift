internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import JSON

/// Routes that show the workers of a store, and the locks and queues for which work waits.
enum WorkersResource {
    static let routes: [Route] = [
        Route(
            .get,
            "/v1/diagnostics/workers",
            "listWorkers",
            category: "Diagnostics",
            access: .key(.admin),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let page = try context.parsePage()
            let (entries, ends) = page.selectPage(of: numberEqualKeys(try context.requireController().workerReports)) {
                ListPlace(text: $0.key)
            }
            return .now(HTTPResponse("workers", entries.map { makeJSON($0.worker) }, ends, context))
        },
        Route(
            .get,
            "/v1/diagnostics/locks",
            "getLocks",
            category: "Diagnostics",
            access: .key(.admin),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            try context.refuseUnknownNames()
            return .now(HTTPResponse(json: makeJSON(try context.requireController().waitReport).encodeText()))
        },
    ]

    /// Gives each worker a unique key, because the pages of the list need unique keys. Workers with equal sorting keys
    /// get different numbers. The list must be sorted by the sorting keys.
    private static func numberEqualKeys(_ workers: [WorkerReport]) -> [(worker: WorkerReport, key: String)] {
        var (previous, number) = ("", 0)
        return workers.map { worker in
            number = worker.sortingKey == previous ? number + 1 : 0
            previous = worker.sortingKey
            return (worker, "\(worker.sortingKey) \(number)")
        }
    }

    private static func makeJSON(_ worker: WorkerReport) -> JSONValue {
        var object = JSONObject([
            ("kind", .string(worker.kind)), ("state", .string(worker.state)),
            ("waiting", .integer(Int64(worker.waitingCount))),
        ])
        let texts = [
            ("agentConnId", worker.connection), ("agentFileId", worker.file), ("server", worker.server),
            ("waitingSince", worker.waitingSince?.api), ("nextAttempt", worker.nextAttempt?.api),
            ("lastError", worker.lastError),
        ]
        for case (let name, let text?) in texts { object[name] = .string(text) }
        return .object(object)
    }

    private static func makeJSON(_ report: WaitReport) -> JSONValue {
        func makeDatabaseJSON(_ name: String, _ figures: WaitReport.DatabaseFigures) -> JSONValue {
            [
                "database": .string(name), "writes": makeJSON(figures.writes), "reads": makeJSON(figures.reads),
            ]
        }
        return [
            "lifecycle": makeJSON(report.lifecycleLock), "runningCommands": .integer(Int64(report.runningCommandCount)),
            "databases": [
                makeDatabaseJSON("chat", report.chatDatabase), makeDatabaseJSON("agent", report.agentDatabase),
            ],
        ]
    }

    private static func makeJSON(_ figures: WaitFigures) -> JSONValue {
        let milliseconds =
            figures.longestWait.components.seconds.multipliedReportingOverflow(by: 1_000).partialValue
            + figures.longestWait.components.attoseconds / 1_000_000_000_000_000
        return [
            "running": .integer(Int64(figures.runningCount)), "waiting": .integer(Int64(figures.waitingCount)),
            "longestWaitMilliseconds": .integer(milliseconds),
        ]
    }
}
