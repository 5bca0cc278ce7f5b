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
            policy: .core
        ) { context throws(ProblemDetails) in
            let (user, page) = (try context.parseID("userId"), try context.parsePage())
            let files = try context.requireController().chatFiles
            return context.replyBlocking { () async throws(ProblemDetails) in
                let all: [ChatFiles.ChatFileUse]
                do { all = try await files.readUseByChat(user: user) } catch { throw problem(error) }
                let (entries, ends) = page.selectPage(of: all, by: place)
                return HTTPResponse("chats", entries.map(json), ends, context)
            }
        },
        Route(
            .get,
            path,
            "getChatFiles",
            category: "Files",
            access: .key(.read),
            policy: .chat.replacing(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            let (user, chat) = (try context.parseID("userId"), try context.chatWithItems())
            let files = try context.requireController().chatFiles
            return context.replyBlocking { () async throws(ProblemDetails) in
                do { return HTTPResponse(json: json(try await files.readUse(of: chat, user: user)).encoded()) } catch {
                    throw problem(error)
                }
            }
        },
        Route(
            .delete,
            path,
            "deleteChatFiles",
            category: "Files",
            access: .key(.write),
            policy: .core
        ) { context throws(ProblemDetails) in
            let (user, chat) = (try context.parseID("userId"), try context.chatWithItems())
            let files = try context.requireController().chatFiles
            return context.replyBlocking { () async throws(ProblemDetails) in
                let count: Int64
                do { count = try await files.deleteAllContents(of: chat, user: user) } catch { throw problem(error) }
                return HTTPResponse(json: JSONValue.object(JSONObject([("files", .integer(count))])).encoded())
            }
        },
    ]

    /// The list begins with the chat whose files need the most space.
    private static func place(_ use: ChatFiles.ChatFileUse) -> ListPlace {
        ListPlace(number: -use.bytes, text: "\(use.chat.chatType.rawValue)/\(use.chat.chatId)")
    }

    private static func json(_ use: ChatFiles.ChatFileUse) -> JSONValue {
        [
            "chatType": .string(use.chat.chatType.rawValue), "chatId": .integer(use.chat.chatId),
            "files": .integer(use.fileCount), "bytes": .integer(use.bytes),
        ]
    }

    private static func problem(_ error: any Error) -> ProblemDetails {
        (error as? ChatFiles.Refusal).map { _ in ProblemDetails(.notFound, "There is no such profile, or no such chat.")
        }
            ?? ProblemDetails(error, "The files could not be read or deleted.")
    }
}

extension RouteContext {
    /// Reads the chat from the path, for a route that needs items. A connection without a contact has none.
    fileprivate func chatWithItems() throws(ProblemDetails) -> ChatRef {
        let chat = try parseChat()
        guard chat.chatType != .contactConnection else {
            throw ProblemDetails(.notFound, "A connection without a contact has no files.")
        }
        return chat
    }
}
