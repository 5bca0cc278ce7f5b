import ChatAPI
import ChatCore
import JSON
import NIOPosix

/// The object behind a `chat_ctrl`: a core with its two databases, which can be closed and opened again.
actor ChatHandle {
    nonisolated let events = EventQueue()
    private var controller: ChatController?
    /// The configuration for reopening; nil when the key must not be kept, so that the databases cannot be opened
    /// again.
    private var configuration: ChatConfiguration?
    /// The encoder of answers. Its recent texts belong to the open databases, so a closed core gets another encoder.
    private(set) var encoder = JSONEncoder(.makeForResponses())

    private init(_ controller: ChatController, _ configuration: ChatConfiguration?) {
        self.controller = controller
        self.configuration = configuration
    }

    /// Opens a core.
    /// - Parameter keepsKey: whether the key stays in memory for `reopenCore`. A database without a key can always be
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
        return await Self.runText(text, on: controller)
    }

    /// Runs a command on a connected remote host, and returns its answer.
    func runRemoteCommand(_ text: String, toRemoteHost id: Int64) async -> RemoteHostAnswer {
        guard let controller else {
            return RemoteHostAnswer(remoteHostId: id, error: .error(errorType: .chatNotStarted))
        }
        return await Self.runTextRemotely(text, on: controller, remoteHost: id)
    }

    private nonisolated static func runTextRemotely(
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

    /// Runs a command outside of the actor, since commands run concurrently. The app itself owns the controller and has
    /// all rights.
    private nonisolated static func runText(
        _ text: String,
        on controller: ChatController
    ) async -> APIResult<ChatResponse> {
        do throws(CommandParseError) {
            let command = try ChatCommand(parsing: text)
            // Programs that embed the original read received files directly, so files are stored unencrypted unless the
            // caller has chosen.
            let isPlain = controller.requestedFileEncryption == nil
            return await controller.send(isPlain ? command.storingPlainFiles : command, with: .all)
        } catch {
            return .error(error.chatError)
        }
    }

    /// Closes the core.
    /// - Returns: an empty text, or the error message.
    func closeCore() async -> String {
        guard let controller else { return "" }
        self.controller = nil
        await events.detachCore()
        await controller.close()
        encoder = JSONEncoder(.makeForResponses())
        return ""
    }

    /// Opens the core again.
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
