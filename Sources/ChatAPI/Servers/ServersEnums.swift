/// An operator whose servers are preset in the app.
package struct OperatorTag: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let simplex = Self(rawValue: "simplex")
    package static let flux = Self(rawValue: "flux")

    package static let knownValues: Set<Self> = [.simplex, .flux]
}

/// A step in testing a server.
package struct ProtocolTestStep: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let connect = Self(rawValue: "connect")
    package static let disconnect = Self(rawValue: "disconnect")
    package static let createQueue = Self(rawValue: "createQueue")
    package static let secureQueue = Self(rawValue: "secureQueue")
    package static let deleteQueue = Self(rawValue: "deleteQueue")
    package static let createFile = Self(rawValue: "createFile")
    package static let uploadFile = Self(rawValue: "uploadFile")
    package static let downloadFile = Self(rawValue: "downloadFile")
    package static let compareFile = Self(rawValue: "compareFile")
    package static let deleteFile = Self(rawValue: "deleteFile")
    package static let createNtfToken = Self(rawValue: "createNtfToken")
    package static let deleteNtfToken = Self(rawValue: "deleteNtfToken")

    package static let knownValues: Set<Self> = [
        .connect, .disconnect, .createQueue, .secureQueue, .deleteQueue, .createFile, .uploadFile, .downloadFile,
        .compareFile,
        .deleteFile, .createNtfToken, .deleteNtfToken,
    ]
}
