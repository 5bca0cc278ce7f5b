package import ChatAPI
internal import ChatText
package import JSON
import Synchronization

/// The known files of a connected host, with the references to them in the host's chat items. The host returns a file
/// only for its complete reference, and has no command that finds the reference of a file.
package final class RemoteFiles: Sendable {
    package struct KnownFile: Sendable {
        package let file: RemoteFile
        /// The displayed name of the file.
        package let name: String
    }

    private struct Key: Hashable {
        let userId: Int64
        let fileId: Int64
    }

    private struct State {
        var knownFiles: [Key: KnownFile] = [:]
        /// The keys of the known files, in the order in which the files were first recorded.
        var keysInOrder: [Key] = []
    }
    private let state = Mutex(State())

    package init() {}

    /// The maximum number of known files. Above this number, the files that were recorded first are removed.
    private static let maxKnownFiles = 4096

    /// Records the files whose references are in an answer or an event of the host.
    package func recordFiles(_ value: JSONValue) {
        guard let user = (value["user"] ?? value["user_"])?["userId"]?.integerValue else { return }
        recordFiles(value, user)
    }

    private func recordFiles(_ value: JSONValue, _ user: Int64) {
        switch value {
        case .array(let elements): for element in elements { recordFiles(element, user) }
        case .object(let members):
            if let direction = value["chatDir"]?["type"]?.stringValue, let file = value["file"] {
                addFile(file, sent: direction.hasSuffix("Snd"), user)
            }
            for (_, member) in members { recordFiles(member, user) }
        default: return
        }
    }

    private func addFile(_ file: JSONValue, sent: Bool, _ user: Int64) {
        guard let fileId = file["fileId"]?.integerValue, let source = file["fileSource"],
            let source = try? JSONDecoder().decode(CryptoFile.self, from: source)
        else { return }
        let name = FileName.safeName(file["fileName"]?.stringValue ?? source.filePath)
        let known = KnownFile(
            file: RemoteFile(userId: user, fileId: fileId, sent: sent, fileSource: source),
            name: name
        )
        let key = Key(userId: user, fileId: fileId)
        state.withLock { state in
            if state.knownFiles.updateValue(known, forKey: key) == nil { state.keysInOrder.append(key) }
            guard state.keysInOrder.count > Self.maxKnownFiles else { return }
            for old in state.keysInOrder.prefix(Self.maxKnownFiles / 4) { state.knownFiles[old] = nil }
            state.keysInOrder.removeFirst(Self.maxKnownFiles / 4)
        }
    }

    package func findFile(_ fileId: Int64, user userId: Int64) -> KnownFile? {
        state.withLock { $0.knownFiles[Key(userId: userId, fileId: fileId)] }
    }
}
