internal import ChatAPI

/// Terminal commands that send files.
extension Console {
    func send(_ file: CryptoFile, isImage: Bool, to chat: ChatRef, user: Engine.User) async throws -> ChatResponse {
        if isImage {
            guard Picture.fileEndings.contains(where: { file.filePath.lowercased().hasSuffix($0) }) else {
                throw ChatFailure(ChatErrorType.fileImageType(filePath: file.filePath))
            }
            guard try await engine.readSize(ofFile: file.filePath) <= Picture.maxBytes else {
                throw ChatFailure(ChatErrorType.fileImageSize(filePath: file.filePath))
            }
        }
        let content: MsgContent = isImage ? .image(text: "", image: Picture.placeholderPreview) : .file(text: "")
        return try await send(
            ComposedMessage(fileSource: file, msgContent: content, mentions: [:]),
            to: chat,
            user: user
        )
    }
}

/// Constants for files that are sent as images.
private enum Picture {
    /// The maximum size of an image in bytes.
    static let maxBytes: Int64 = 522_240
    static let fileEndings = [".jpg", ".jpeg", ".png", ".gif"]
    /// A preview that consists of one grey pixel, since the terminal creates no previews.
    static let placeholderPreview =
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=="
}
