/// Files.
enum Files {
    static let routes: [Route] = [
        Route(.post, "/v1/users/{userId}/files/{fileId}/receive", .receiveFile, room: "Files"),
        Route(.put, "/v1/users/{userId}/files/{fileId}/auto-receive", .setFileToReceive, room: "Files"),
        Route(.post, "/v1/users/{userId}/files/{fileId}/cancel", .cancelFile, room: "Files"),
        Route(.post, "/v1/users/{userId}/standalone-files", .uploadStandaloneFile, room: "Files"),
        Route(.post, "/v1/users/{userId}/standalone-files/downloads", .downloadStandaloneFile, room: "Files"),
        Route(.post, "/v1/standalone-files/info", .standaloneFileInfo, room: "Files"),
    ]
}
