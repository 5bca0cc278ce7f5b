internal import JSON
internal import Logging

/// Routes for the log level, which can be changed while the gateway runs.
enum LogLevelsResource {
    private static let path = "/v1/diagnostics/log-level"

    static let routes: [Route] = [
        Route(
            .get,
            path,
            "getLogLevel",
            category: "Diagnostics",
            access: .firstStore([.admin, .stores]),
            policy: .storeManagement.replacing(\.answers, .plain)
        ) { context throws(ProblemDetails) in
            .now(makeAnswer(try requireControl(context)))
        },
        Route(
            .put,
            path,
            "setLogLevel",
            category: "Diagnostics",
            access: .firstStore([.admin, .stores]),
            policy: .storeManagement.replacing(\.answers, .plain)
        ) { context throws(ProblemDetails) in
            let name: String = try context.parseBody().decodeValue("level")
            let control = try requireControl(context)
            guard let level = Logger.Level(rawValue: name) else {
                throw ProblemDetails(
                    .invalidValue,
                    "level must be one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))."
                )
            }
            control.changeLevel(level)
            return .now(makeAnswer(control))
        },
    ]

    private static func requireControl(_ context: RouteContext) throws(ProblemDetails) -> LogLevelControl {
        try context.refuseUnknownNames()
        guard let control = context.services.configuration.logLevelControl else {
            throw ProblemDetails(.unknownRoute, "The log level of this program cannot be changed.")
        }
        return control
    }

    private static func makeAnswer(_ control: LogLevelControl) -> HTTPResponse {
        HTTPResponse(json: JSONValue.object(["level": .string(control.readLevel().rawValue)]).encodeText())
    }
}
