internal import ChatCore

/// Routes about the gateway itself: health, metrics, contract and pages.
enum GatewayRoutes {
    static let routes: [Route] = [
        Route(
            .get,
            "/livez",
            "checkLiveness",
            category: "Operations",
            access: .noKey,
            policy: .processFacts.replacing(\.callers, .probes)
        ) { _ throws(ProblemDetails) in
            .now(HTTPResponse(text: "ok\n"))
        },
        Route(
            .get,
            "/readyz",
            "checkReadiness",
            category: "Operations",
            access: .noKey,
            policy: .processFacts.replacing(\.callers, .probes)
        ) { context throws(ProblemDetails) in
            let (services, request) = (context.services, context.request)
            return .later {
                let disks = await services.disks.refreshLatestReadings()
                if let reason = services.findUnreadyReason(disks) { return reason.response(for: request) }
                let moved = services.core.controller?.unreachableQueueCount ?? 0
                let warning =
                    moved == 0
                    ? ""
                    : "warning: \(moved) \(moved == 1 ? "queue gets" : "queues get") no messages: the relay now has another port, or was replaced by another relay\n"
                return HTTPResponse(text: "ok\n" + warning)
            }
        },
        Route(
            .get,
            "/metrics",
            "getMetrics",
            category: "Operations",
            access: .key(.read),
            policy: .processFacts.replacing(\.callers, .monitors)
        ) { context throws(ProblemDetails) in
            let services = context.services
            return .later {
                HTTPResponse(text: await services.makeMetricsText(), type: "text/plain; version=0.0.4; charset=utf-8")
            }
        },
        Route(
            .get,
            "/openapi.json",
            "getOpenApi",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { _ throws(ProblemDetails) in
            .later { OpenAPIDocument.response }
        },
        Route(
            .get,
            "/openapi-3.2.json",
            "getTypedOpenApi",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { _ throws(ProblemDetails) in
            .later { OpenAPIDocument.openAPI32Response }
        },
        Route(
            .get,
            "/asyncapi.json",
            "getAsyncApi",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { _ throws(ProblemDetails) in
            .later { OpenAPIDocument.streamResponse }
        },
        Route(
            .get,
            "/docs",
            "getDocs",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { context throws(ProblemDetails) in
            let request = context.request
            return .later { ReferencePage.operationsPage?.answer(to: request) ?? HTTPResponse(status: 500) }
        },
        Route(
            .get,
            "/docs/{page}",
            "getDocsPage",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { context throws(ProblemDetails) in
            answerDocsPage(context.parameters["page"] ?? "", in: context)
        },
        Route(
            .get,
            "/app",
            "getWebClient",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { _ throws(ProblemDetails) in
            .later { WebClientPage.pageResponse }
        },
        Route(
            .get,
            "/app/{version}/{file}",
            "getWebClientFile",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) {
            context throws(ProblemDetails) in
            answerWebClientFile(context.parameters["file"] ?? "", in: context)
        },
        Route(
            .get,
            "/app/{version}/{folder}/{file}",
            "getWebClientModule",
            category: "Operations",
            access: .noKey,
            policy: .processFacts
        ) { context throws(ProblemDetails) in
            answerWebClientFile(
                "\(context.parameters["folder"] ?? "")/\(context.parameters["file"] ?? "")",
                in: context
            )
        },
    ]

    /// Answers with a page of the documentation. The name is looked up in a list, and never used as the name of a file.
    private static func answerDocsPage(_ name: String, in context: RouteContext) -> HTTPReply {
        let request = context.request
        return .later {
            let page = name == ReferencePage.typesPageName ? ReferencePage.typesPage : GuidePages.pages[name]
            return page?.answer(to: request)
                ?? ProblemDetails(.notFound, "The documentation has no such page: /docs/guide lists its pages.")
                .response(for: request)
        }
    }

    /// Answers with the file of the web client at this path in the client's folder.
    private static func answerWebClientFile(_ path: String, in context: RouteContext) -> HTTPReply {
        let (version, request) = (context.parameters["version"] ?? "", context.request)
        return .later {
            WebClientPage.findFileResponse(path, of: version)
                ?? ProblemDetails(.notFound, "The web client of this program has no such file.").response(for: request)
        }
    }
}
