internal import ChatAPI

/// Routes for files.
enum FilesResource {
    static let routes: [Route] = [
        .upload(
            .post,
            "/v1/users/{userId}/files",
            "uploadFile",
            category: "Files",
            access: .key(.write),
            policy: .uploads
        ) { context, body throws(ProblemDetails) in
            try receive(context, body)
        },
        // Uploads in several requests are kept on this gateway, even if the file is for a phone.
        Route(
            .get,
            "/v1/users/{userId}/uploads/{uploadId}",
            "getUpload",
            category: "Files",
            access: .key(.write),
            policy: .uploads.with(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            try show(context)
        },
        .upload(
            .patch,
            "/v1/users/{userId}/uploads/{uploadId}",
            "continueUpload",
            category: "Files",
            access: .key(.write),
            policy: .uploads.with(\.phones, .refused)
        ) { context, body throws(ProblemDetails) in
            try resume(context, body)
        },
        Route(
            .delete,
            "/v1/users/{userId}/uploads/{uploadId}",
            "cancelUpload",
            category: "Files",
            access: .key(.write),
            policy: .uploads.with(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            try cancel(context)
        },
        Route(
            .get,
            "/v1/users/{userId}/files/{fileId}/content",
            "downloadFile",
            category: "Files",
            access: .key(.read),
            policy: .view,
            problems: [.storageFull]
        ) { context throws(ProblemDetails) in
            try content(context)
        },
        .command(
            .post,
            "/v1/users/{userId}/files/{fileId}/receive",
            "receiveFile",
            .receiveFile,
            category: "Files",
            policy: .data,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .files(
                .receiveFile(
                    fileId: try context.id("fileId"),
                    userApprovedRelays: try body.optional("userApprovedRelays") ?? false,
                    encrypted: try body.optional("encrypted"),
                    inline: nil,
                    filePath: try body.optional("filePath")
                )
            )
        },
        .command(
            .put,
            "/v1/users/{userId}/files/{fileId}/auto-receive",
            "setFileAutoReceive",
            .setFileToReceive,
            category: "Files",
            policy: .data
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .files(
                .setFileToReceive(
                    fileId: try context.id("fileId"),
                    userApprovedRelays: try body.optional("userApprovedRelays") ?? false,
                    encrypted: try body.optional("encrypted")
                )
            )
        },
        .command(
            .post,
            "/v1/users/{userId}/files/{fileId}/cancel",
            "cancelFile",
            .cancelFile,
            category: "Files",
            policy: .data
        ) { context throws(ProblemDetails) in
            .files(.cancelFile(fileId: try context.id("fileId")))
        },
        .command(
            .post,
            "/v1/users/{userId}/standalone-files",
            "uploadStandaloneFile",
            .uploadStandaloneFile,
            category: "Files",
            policy: .data,
            success: .accepted,
            finishing: uploading
        ) { context throws(ProblemDetails) in
            .files(.uploadStandaloneFile(userId: try context.id("userId"), file: try context.body().value("file")))
        }.doing(.background),
        .command(
            .post,
            "/v1/users/{userId}/standalone-files/downloads",
            "downloadStandaloneFile",
            .downloadStandaloneFile,
            category: "Files",
            policy: .data,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.body()
            return .files(
                .downloadStandaloneFile(
                    userId: try context.id("userId"),
                    url: try body.value("url"),
                    file: try body.value("file")
                )
            )
        },
        .command(
            .post,
            "/v1/standalone-files/info",
            "readStandaloneFileInfo",
            .standaloneFileInfo,
            category: "Files",
            policy: .data
        ) { context throws(ProblemDetails) in
            .files(.standaloneFileInfo(url: try context.body().value("url")))
        },
    ]
}
