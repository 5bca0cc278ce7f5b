internal import ChatAPI

/// Routes for files.
enum FilesResource {
    static let routes: [Route] = [
        .makeUploadRoute(
            .post,
            "/v1/users/{userId}/files",
            "uploadFile",
            category: "Files",
            access: .key(.write),
            policy: .uploads
        ) { context, body throws(ProblemDetails) in
            try receiveUpload(context, body)
        },
        // Uploads in several requests are kept on this gateway, even if the file is for a phone.
        Route(
            .get,
            "/v1/users/{userId}/uploads/{uploadId}",
            "getUpload",
            category: "Files",
            access: .key(.write),
            policy: .uploads.replacing(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            try showUpload(context)
        },
        .makeUploadRoute(
            .patch,
            "/v1/users/{userId}/uploads/{uploadId}",
            "continueUpload",
            category: "Files",
            access: .key(.write),
            policy: .uploads.replacing(\.phones, .refused)
        ) { context, body throws(ProblemDetails) in
            try resumeUpload(context, body)
        },
        Route(
            .delete,
            "/v1/users/{userId}/uploads/{uploadId}",
            "cancelUpload",
            category: "Files",
            access: .key(.write),
            policy: .uploads.replacing(\.phones, .refused)
        ) { context throws(ProblemDetails) in
            try cancelUpload(context)
        },
        Route(
            .get,
            "/v1/users/{userId}/files/{fileId}/content",
            "downloadFile",
            category: "Files",
            access: .key(.read),
            policy: .browserView,
            problems: [.storageFull]
        ) { context throws(ProblemDetails) in
            try downloadFile(context)
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/files/{fileId}/receive",
            "receiveFile",
            .receiveFile,
            category: "Files",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .files(
                .receiveFile(
                    fileId: try context.parseID("fileId"),
                    userApprovedRelays: try body.decodeIfPresent("userApprovedRelays") ?? false,
                    encrypted: try body.decodeIfPresent("encrypted"),
                    inline: nil,
                    filePath: try body.decodeIfPresent("filePath")
                )
            )
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/files/{fileId}/auto-receive",
            "setFileAutoReceive",
            .setFileToReceive,
            category: "Files",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .files(
                .setFileToReceive(
                    fileId: try context.parseID("fileId"),
                    userApprovedRelays: try body.decodeIfPresent("userApprovedRelays") ?? false,
                    encrypted: try body.decodeIfPresent("encrypted")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/files/{fileId}/cancel",
            "cancelFile",
            .cancelFile,
            category: "Files",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .files(.cancelFile(fileId: try context.parseID("fileId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/standalone-files",
            "uploadStandaloneFile",
            .uploadStandaloneFile,
            category: "Files",
            policy: .storeData,
            success: .accepted,
            finishing: makeUploadFinisher
        ) { context throws(ProblemDetails) in
            .files(
                .uploadStandaloneFile(
                    userId: try context.parseID("userId"),
                    file: try context.parseBody().decodeValue("file")
                )
            )
        }.withLongWork(.background),
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/standalone-files/downloads",
            "downloadStandaloneFile",
            .downloadStandaloneFile,
            category: "Files",
            policy: .storeData,
            success: .accepted
        ) { context throws(ProblemDetails) in
            let body = try context.parseBody()
            return .files(
                .downloadStandaloneFile(
                    userId: try context.parseID("userId"),
                    url: try body.decodeValue("url"),
                    file: try body.decodeValue("file")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/standalone-files/info",
            "readStandaloneFileInfo",
            .standaloneFileInfo,
            category: "Files",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .files(.standaloneFileInfo(url: try context.parseBody().decodeValue("url")))
        },
    ]
}
