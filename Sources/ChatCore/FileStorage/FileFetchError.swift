internal import ChatAPI
internal import ObjectStorage

/// The error for a file that is only in the object storage and cannot be fetched.
struct FileFetchError: Error, CustomStringConvertible {
    enum Reason {
        /// The file may be available after this number of seconds.
        case retryAfter(Int64)
        /// The object does not exist.
        case missing
        /// The object was altered.
        case altered
    }

    let reason: Reason
    let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    init(_ error: ObjectError, of service: ObjectService) {
        description = "\(error)"
        reason =
            switch error {
            case .objectMissing: .missing
            case .sizeChanged: .altered
            case .unavailable, .tooManyRequests, .requestRefused: .retryAfter(service.retryAfterSeconds)
            }
    }

    static let noObjectStorage = FileFetchError(
        .retryAfter(60),
        "the file is in an object storage, and this gateway was started without one"
    )

    var chatError: ChatErrorType {
        switch reason {
        case .retryAfter(let seconds): .fileAway(retryAfter: seconds, message: description)
        case .missing, .altered: .fileInternal(message: description)
        }
    }
}
