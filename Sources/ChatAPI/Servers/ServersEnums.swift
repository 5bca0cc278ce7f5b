/// An operator whose servers are preset in the app.
public struct OperatorTag: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let simplex = Self(rawValue: "simplex")
    public static let flux = Self(rawValue: "flux")

    public static let known: Set<Self> = [.simplex, .flux]
}

/// A step of the test of a server.
public struct ProtocolTestStep: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let connect = Self(rawValue: "connect")
    public static let disconnect = Self(rawValue: "disconnect")
    public static let createQueue = Self(rawValue: "createQueue")
    public static let secureQueue = Self(rawValue: "secureQueue")
    public static let deleteQueue = Self(rawValue: "deleteQueue")
    public static let createFile = Self(rawValue: "createFile")
    public static let uploadFile = Self(rawValue: "uploadFile")
    public static let downloadFile = Self(rawValue: "downloadFile")
    public static let compareFile = Self(rawValue: "compareFile")
    public static let deleteFile = Self(rawValue: "deleteFile")
    public static let createNtfToken = Self(rawValue: "createNtfToken")
    public static let deleteNtfToken = Self(rawValue: "deleteNtfToken")

    public static let known: Set<Self> = [
        .connect, .disconnect, .createQueue, .secureQueue, .deleteQueue, .createFile, .uploadFile, .downloadFile,
        .compareFile,
        .deleteFile, .createNtfToken, .deleteNtfToken,
    ]
}
