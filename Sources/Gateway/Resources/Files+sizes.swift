internal import ChatAPI
internal import ChatCore
internal import JSON

/// Routes for the sizes of the files of chats, and for their deletion.
extension FilesResource {
    private static let path = "/v1/users/{userId}/chats/{chatType}/{chatId}/files"

    static let sizeRoutes: [Route] = [
        Route(
            .get,
            "/v1/users/{userId}/file-sizes",
            "listFileSizes",
            category: "Files",
            access: .key(.read),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let (user, page) = (try context.parseID("userId"), try context.parsePage())
            let files = try context.requireController().chatFiles
            return context.replyLater { () async throws(ProblemDetails) in
                let all: [ChatFiles.ChatFileUse]
                do { all = try await files.readFileUseByChat(user: user) } catch { throw makeProblem(error) }
                let (entries, ends) = page.selectPage(of: all, by: makeListPlace)
                return HTTPResponse("chats", entries.map(makeJSON), ends, context)
            }
        },
        Route(
            .get,
            path,
            "getChatFiles",
            category: "Files",
            access: .key(.read),
            policy: .chatData.replacing(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            let (user, chat) = (try context.parseID("userId"), try context.parseChatWithItems())
            let files = try context.requireController().chatFiles
            return context.replyLater { () async throws(ProblemDetails) in
                do {
                    return HTTPResponse(json: makeJSON(try await files.readFileUse(of: chat, user: user)).encodeText())
                } catch {
                    throw makeProblem(error)
                }
            }
        },
        Route(
            .delete,
            path,
            "deleteChatFiles",
            category: "Files",
            access: .key(.write),
            policy: .wholeStore
        ) { context throws(ProblemDetails) in
            let (user, chat) = (try context.parseID("userId"), try context.parseChatWithItems())
            let files = try context.requireController().chatFiles
            return context.replyLater { () async throws(ProblemDetails) in
                let count: Int64
                do { count = try await files.deleteAllContents(of: chat, user: user) } catch {
                    throw makeProblem(error)
                }
                return HTTPResponse(json: JSONValue.object(JSONObject([("files", .integer(count))])).encodeText())
            }
        },
    ]

    /// Returns the place of a chat in the list, which begins with the chat whose files need the most space.
    private static func makeListPlace(_ use: ChatFiles.ChatFileUse) -> ListPlace {
        ListPlace(number: -use.bytes, text: "\(use.chat.chatType.rawValue)/\(use.chat.chatId)")
    }

    private static func makeJSON(_ use: ChatFiles.ChatFileUse) -> JSONValue {
        [
            "chatType": .string(use.chat.chatType.rawValue), "chatId": .integer(use.chat.chatId),
            "files": .integer(use.fileCount), "bytes": .integer(use.bytes),
        ]
    }

    private static func makeProblem(_ error: any Error) -> ProblemDetails {
        (error as? ChatFiles.Refusal).map { _ in ProblemDetails(.notFound, "There is no such profile, or no such chat.")
        }
            ?? ProblemDetails(error, "The files could not be read or deleted.")
    }
}

extension RouteContext {
    /// Reads the chat from the path, for a route about files. Throws a problem for a connection without a contact,
    /// which has no files.
    fileprivate func parseChatWithItems() throws(ProblemDetails) -> ChatRef {
        let chat = try parseChat()
        guard chat.chatType != .contactConnection else {
            throw ProblemDetails(.notFound, "A connection without a contact has no files.")
        }
        return chat
    }
}
