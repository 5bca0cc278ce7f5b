internal import ChatAPI
internal import Concurrency
internal import JSON

/// Uploads of standalone files as long operations.
extension FilesResource {
    /// The types of the events that report the progress and the end of an upload.
    private static let uploadEventTypes: Set<String> = [
        "sndFileProgressXFTP", "sndFileRedirectStartXFTP", "sndStandaloneFileComplete", "sndFileError",
    ]

    /// Returns a function that runs the upload of a standalone file. A client that prefers an operation gets the end of
    /// the upload as the result of the operation. Other clients get the answer at once, and the end as an event.
    static func makeUploadFinisher(_ context: RouteContext) throws(ProblemDetails) -> Route.AnswerFinisher {
        let user = try context.parseID("userId")
        let isFollowed = context.parameters["remoteHostId"] == nil && AnswerPreference(context.request).isAsync
        return { run in
            guard isFollowed else { return await run() }
            let events = context.services.eventHub
            // The position in the journal is read before the upload begins, so that no event is missed.
            let begin = events.latestSeq
            let response = await run()
            guard response.status == 202, !response.isReplayed, case .bytes(let body) = response.content,
                let id = (try? JSONValue(parsing: body))?["fileTransferMeta"]?["fileId"]?.integerValue
            else { return response }
            do throws(ProblemDetails) { return try await waitForUploadEnd(of: id, user, after: begin, context) } catch {
                return error.response(for: context.request)
            }
        }
    }

    /// Waits until an upload has ended, and returns the answer with its result.
    private static func waitForUploadEnd(
        of file: Int64,
        _ user: Int64,
        after begin: UInt64,
        _ context: RouteContext
    ) async throws(ProblemDetails) -> HTTPResponse {
        let (events, progress) = (context.services.eventHub, WorkProgress.currentProgress)
        let clock = context.services.operations.clock
        let (filter, limit) = (
            EventFilter(userId: user, types: uploadEventTypes), clock.seconds() + LongOperation.lifetimeSeconds
        )
        var (position, isCancelling) = (begin, false)
        // A file description that is too long for a link is uploaded as a second file.
        var files: Set<Int64> = [file]
        while clock.seconds() < limit {
            if progress?.isCancelled == true, !isCancelling {
                isCancelling = true
                let command = ChatCommand.files(.cancelFile(fileId: file))
                if let principal = context.principal,
                    case .result = await context.services.core.runCommand(
                        command,
                        as: user,
                        with: principal.commandRights,
                        claim: nil
                    )
                {
                    throw ProblemDetails(.conflict, "The upload was cancelled.")
                }
            }
            guard let page = await events.pollPage(after: position, filter) else {
                var problem = ProblemDetails(.operationInterrupted)
                problem.detail = "The events of the store ended. The upload goes on when the store is open."
                throw problem
            }
            position = page.position
            for event in page.events {
                guard let id = event["fileTransferMeta"]?["fileId"]?.integerValue, files.contains(id) else { continue }
                switch event["type"]?.stringValue {
                case "sndFileRedirectStartXFTP":
                    if let second = event["redirectMeta"]?["fileId"]?.integerValue { files.insert(second) }
                case "sndFileProgressXFTP":
                    guard id == file, let sent = event["sentSize"]?.integerValue else { continue }
                    progress?.recordProgress(sent, of: event["totalSize"]?.integerValue)
                case "sndStandaloneFileComplete": return HTTPResponse(json: event.encodeText())
                case "sndFileError":
                    let reason = event["errorMessage"]?.stringValue ?? ""
                    throw ProblemDetails(.relayUnreachable, "The file could not be uploaded: \(reason)")
                default: continue
                }
            }
        }
        throw ProblemDetails(.relayTimeout, "The upload has not ended within a day. It goes on.")
    }
}

extension WorkProgress {
    fileprivate func recordProgress(_ done: Int64, of total: Int64?) {
        if amount == nil { beginCounting(.bytes, of: total) }
        advance(to: done, of: total)
    }
}

extension EventHub {
    /// Waits a second for events, and returns them with the position after them.
    /// - Returns: nil after the hub has stopped, or another store has replaced the store.
    fileprivate func pollPage(
        after position: UInt64,
        _ filter: EventFilter
    ) async -> (events: [JSONValue], position: UInt64)? {
        guard !isStopped else { return nil }
        let reply = answerPoll(
            after: position,
            filter: filter,
            limit: 100,
            seconds: 1,
            shares: false,
            credential: nil,
            requestID: ""
        )
        let response: HTTPResponse
        switch reply {
        case .now(let ready): response = ready
        case .later(let work): response = await work()
        case .deferred(let register):
            response = await withCheckedContinuation { continuation in
                register(HTTPResponder { continuation.resume(returning: $0) })
            }
        }
        guard response.status == 200, case .bytes(let body) = response.content,
            let json = try? JSONValue(parsing: body),
            let cursor = json["cursor"]?.stringValue, let next = try? parsePosition(cursor)
        else { return nil }
        return (json["events"]?.arrayValue?.compactMap { $0["event"] } ?? [], next)
    }
}
