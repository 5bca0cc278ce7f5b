/// The folders in which the core stores files, as absolute paths.
package struct AppFilePathsConfig: Codable, Hashable, Sendable {
    package var appFilesFolder: String
    package var appTempFolder: String
    package var appAssetsFolder: String
    package var appRemoteHostsFolder: String?

    package init(
        appFilesFolder: String,
        appTempFolder: String,
        appAssetsFolder: String,
        appRemoteHostsFolder: String? = nil
    ) {
        self.appFilesFolder = appFilesFolder
        self.appTempFolder = appTempFolder
        self.appAssetsFolder = appAssetsFolder
        self.appRemoteHostsFolder = appRemoteHostsFolder
    }
}

/// A file on the disk. An encrypted file has a key and a nonce.
package struct CryptoFile: Codable, Hashable, Sendable {
    package var filePath: String
    package var cryptoArgs: CryptoFileArgs?

    package init(filePath: String, cryptoArgs: CryptoFileArgs? = nil) {
        self.filePath = filePath
        self.cryptoArgs = cryptoArgs
    }
}

/// The key and nonce of an encrypted file on the disk.
package struct CryptoFileArgs: Codable, Hashable, Sendable {
    package var fileKey: String
    package var fileNonce: String

    package init(fileKey: String, fileNonce: String) {
        self.fileKey = fileKey
        self.fileNonce = fileNonce
    }
}

/// A part of the description that is needed to receive a file over XFTP.
package struct FileDescr: Codable, Hashable, Sendable {
    package var fileDescrText: String
    package var fileDescrPartNo: Int
    package var fileDescrComplete: Bool

    package init(fileDescrText: String, fileDescrPartNo: Int, fileDescrComplete: Bool) {
        self.fileDescrText = fileDescrText
        self.fileDescrPartNo = fileDescrPartNo
        self.fileDescrComplete = fileDescrComplete
    }
}

/// The additional data in a link to the file of a migration to another device: the network settings.
package struct MigrationFileLinkData: Codable, Hashable, Sendable {
    package var networkConfig: MigrationNetworkConfig?
}

/// A stored part of the description that is needed to receive a file over XFTP.
package struct RcvFileDescr: Codable, Hashable, Sendable {
    package var fileDescrId: Int64
    package var fileDescrText: String
    package var fileDescrPartNo: Int
    package var fileDescrComplete: Bool

    package init(fileDescrId: Int64, fileDescrText: String, fileDescrPartNo: Int, fileDescrComplete: Bool) {
        self.fileDescrId = fileDescrId
        self.fileDescrText = fileDescrText
        self.fileDescrPartNo = fileDescrPartNo
        self.fileDescrComplete = fileDescrComplete
    }
}

/// A file that is received over XFTP.
package struct XFTPRcvFile: Codable, Hashable, Sendable {
    package var rcvFileDescription: RcvFileDescr
    package var agentRcvFileId: String?
    package var agentRcvFileDeleted: Bool
    package var userApprovedRelays: Bool

    package init(
        rcvFileDescription: RcvFileDescr,
        agentRcvFileId: String? = nil,
        agentRcvFileDeleted: Bool,
        userApprovedRelays: Bool
    ) {
        self.rcvFileDescription = rcvFileDescription
        self.agentRcvFileId = agentRcvFileId
        self.agentRcvFileDeleted = agentRcvFileDeleted
        self.userApprovedRelays = userApprovedRelays
    }
}

/// A file that is sent over XFTP.
package struct XFTPSndFile: Codable, Hashable, Sendable {
    package var agentSndFileId: String
    package var privateSndFileDescr: String?
    package var agentSndFileDeleted: Bool
    package var cryptoArgs: CryptoFileArgs?

    package init(
        agentSndFileId: String,
        privateSndFileDescr: String? = nil,
        agentSndFileDeleted: Bool,
        cryptoArgs: CryptoFileArgs? = nil
    ) {
        self.agentSndFileId = agentSndFileId
        self.privateSndFileDescr = privateSndFileDescr
        self.agentSndFileDeleted = agentSndFileDeleted
        self.cryptoArgs = cryptoArgs
    }
}
