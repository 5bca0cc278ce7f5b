/// Routes about the gateway itself: health, metrics, contract.
enum Operations {
    static let routes: [Route] = [
        Route(.get, "/livez", "livez", room: "Operations", access: .open, storeUse: .process) { _ throws(ProblemDetails) in
            .now(HTTPResponse(text: "ok\n"))
        },
        Route(.get, "/readyz", "readyz", room: "Operations", access: .open, storeUse: .process) { context throws(ProblemDetails) in
            let services = context.services
            guard services.core.isReady else {
                let isLocked = services.store == nil && services.stores?.first != nil
                throw isLocked ? ProblemDetails(.storeLocked) : ProblemDetails(.unavailable, "The core does not run.")
            }
            return .now(HTTPResponse(text: "ok\n"))
        },
        Route(.get, "/metrics", "metrics", room: "Operations", access: .key(.read), storeUse: .process) { context throws(ProblemDetails) in
            let services = context.services
            let readers = services.events.readers
            // The resident set is read from a file, so not here.
            return .later {
                var gauges: [(name: String, help: String, value: Int64)] = [
                    ("sxgw_ready", "1 when the core runs.", services.core.isReady ? 1 : 0),
                    ("sxgw_event_waiters", "Long polls that wait.", Int64(readers.waiters)),
                    ("sxgw_event_streams", "Event streams and sockets.", Int64(readers.streams)),
                    ("sxgw_journal_latest", "Number of the newest event.", Int64(clamping: services.events.latest)),
                ]
                let commits = services.core.commits
                let counters: [(name: String, help: String, value: Int64)] = [
                    ("sxgw_chat_commits_total", "Synced transactions of the chat database since it was opened.", Int64(commits.chat)),
                    ("sxgw_agent_commits_total", "Synced transactions of the agent's database since it was opened.", Int64(commits.agent)),
                ]
                // Figures of the whole process, with all its stores, are given only for the first store.
                if services.isOfFirst {
                    let stores = services.stores?.others ?? []
                    gauges += [
                        ("sxgw_stores", "Stores besides the first.", Int64(stores.count)),
                        ("sxgw_stores_unlocked", "Those of them that are unlocked.", Int64(stores.count { $0.opened != nil })),
                        ("process_resident_memory_bytes", "Resident memory.", ProcessMemory.resident()),
                    ]
                }
                let text = services.metrics.text(counters: counters, gauges: gauges)
                return HTTPResponse(text: text, type: "text/plain; version=0.0.4; charset=utf-8")
            }
        },
        Route(.get, "/openapi.json", "openapi", room: "Operations", access: .open, storeUse: .process) { _ throws(ProblemDetails) in
            .later { OpenAPIDocument.response }
        },
        Route(.get, "/docs", "docs", room: "Operations", access: .open, storeUse: .process) { _ throws(ProblemDetails) in
            .later { ReferencePage.response }
        },
    ]
}
