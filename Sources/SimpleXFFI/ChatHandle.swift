import ChatAPI
import ChatCore
import JSON
import NIOPosix

/// The object behind a `chat_ctrl` of the C interface: a chat core with its two databases, which can be closed and
/// opened again.
actor ChatHandle {
    nonisolated let events = EventQueue()
    private var controller: ChatController?
    /// The configuration with which the core is opened again. Nil when the database key must not be kept; then the core
    /// cannot be opened again.
    private var configuration: ChatConfiguration?
    /// The encoder of answers. It keeps recent texts of the open databases, so it is replaced when the core is closed.
    private(set) var encoder = JSONEncoder(.makeForResponses())

    private init(_ controller: ChatController, _ configuration: ChatConfiguration?) {
        self.controller = controller
        self.configuration = configuration
    }

    /// Opens a core and its databases.
    /// - Parameter keepsKey: whether the key stays in memory for `reopenCore`. Databases without a key can always be
    ///   opened again.
    static func openHandle(_ configuration: ChatConfiguration, keepsKey: Bool) async throws(ChatOpenError) -> ChatHandle
    {
        let controller = try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton)
        let isPlain = if case .none = configuration.databaseKey { true } else { false }
        let handle = ChatHandle(controller, keepsKey || isPlain ? configuration : nil)
        await handle.events.attachCore(controller)
        return handle
    }

    /// Runs a command, and returns the answer in the form `{"result": …}` or `{"error": …}`.
    func runCommand(_ text: String) async -> APIResult<ChatResponse> {
        guard let controller else { return .error(.error(errorType: .chatNotStarted)) }
        return await Self.runCommandText(text, on: controller)
    }

    /// Runs a command on a connected remote host (a phone that this core controls), and returns the answer of the host.
    func runRemoteCommand(_ text: String, toRemoteHost id: Int64) async -> RemoteHostAnswer {
        guard let controller else {
            return RemoteHostAnswer(remoteHostId: id, error: .error(errorType: .chatNotStarted))
        }
        return await Self.runCommandTextRemotely(text, on: controller, remoteHost: id)
    }

    private nonisolated static func runCommandTextRemotely(
        _ text: String,
        on controller: ChatController,
        remoteHost id: Int64
    ) async -> RemoteHostAnswer {
        do throws(CommandParseError) {
            switch await controller.send(try ChatCommand(parsing: text), toRemoteHost: id, with: .all) {
            case .result(let response): return RemoteHostAnswer(remoteHostId: id, result: response)
            case .error(let error): return RemoteHostAnswer(remoteHostId: id, error: error)
            }
        } catch {
            return RemoteHostAnswer(remoteHostId: id, error: error.chatError)
        }
    }

    /// Runs a command outside of the actor, so that commands can run concurrently. The caller owns the core, and so has
    /// all rights.
    private nonisolated static func runCommandText(
        _ text: String,
        on controller: ChatController
    ) async -> APIResult<ChatResponse> {
        do throws(CommandParseError) {
            let command = try ChatCommand(parsing: text)
            // Programs that embed the original read received files directly. So files are stored unencrypted if the
            // caller has not chosen encryption.
            let isPlain = controller.requestedFileEncryption == nil
            return await controller.send(isPlain ? command.storingPlainFiles : command, with: .all)
        } catch {
            return .error(error.chatError)
        }
    }

    /// Closes the core and its databases.
    /// - Returns: an empty text, or the error message.
    func closeCore() async -> String {
        guard let controller else { return "" }
        self.controller = nil
        await events.detachCore()
        await controller.close()
        encoder = JSONEncoder(.makeForResponses())
        return ""
    }

    /// Opens a closed core again.
    /// - Returns: an empty text, or the error message.
    func reopenCore() async -> String {
        guard controller == nil else { return "" }
        guard let configuration else { return "the key of the database was not kept" }
        do throws(ChatOpenError) {
            let controller = try await ChatController.open(configuration, group: MultiThreadedEventLoopGroup.singleton)
            self.controller = controller
            await events.attachCore(controller)
            return ""
        } catch {
            return "\(error)"
        }
    }
}
