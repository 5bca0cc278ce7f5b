internal import ChatAPI

/// Files.
enum Files {
    static let routes: [Route] = [
        .command(.post, "/v1/users/{userId}/files/{fileId}/receive", .receiveFile, room: "Files", success: .accepted) { context throws(ProblemDetails) in
            let body = try context.body()
            return .files(
                .receiveFile(
                    fileId: try context.id("fileId"), userApprovedRelays: try body.optional("userApprovedRelays") ?? false,
                    encrypted: try body.optional("encrypted"), inline: nil, filePath: try body.optional("filePath")))
        },
        .command(.put, "/v1/users/{userId}/files/{fileId}/auto-receive", .setFileToReceive, room: "Files") { context throws(ProblemDetails) in
            let body = try context.body()
            return .files(
                .setFileToReceive(
                    fileId: try context.id("fileId"), userApprovedRelays: try body.optional("userApprovedRelays") ?? false,
                    encrypted: try body.optional("encrypted")))
        },
        .command(.post, "/v1/users/{userId}/files/{fileId}/cancel", .cancelFile, room: "Files") { context throws(ProblemDetails) in
            .files(.cancelFile(fileId: try context.id("fileId")))
        },
        .command(.post, "/v1/users/{userId}/standalone-files", .uploadStandaloneFile, room: "Files", success: .accepted) { context throws(ProblemDetails) in
            .files(.uploadStandaloneFile(userId: try context.id("userId"), file: try context.body().value("file")))
        },
        .command(
            .post, "/v1/users/{userId}/standalone-files/downloads", .downloadStandaloneFile, room: "Files", success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .files(.downloadStandaloneFile(userId: try context.id("userId"), url: try body.value("url"), file: try body.value("file")))
        },
        .command(.post, "/v1/standalone-files/info", .standaloneFileInfo, room: "Files") { context throws(ProblemDetails) in
            .files(.standaloneFileInfo(url: try context.body().value("url")))
        },
    ]
}
