import ChatAPI
import Concurrency

/// Runs a chat command on a core and returns the answer, `{"result": …}` or `{"error": …}`. The caller frees the text.
@_cdecl("chat_send_cmd")
public func chatSendCommand(
    _ controller: UnsafeMutableRawPointer?,
    _ command: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
    chatSendCommandRetry(controller, command, 0)
}

/// Runs a command like `chat_send_cmd`. `retry` is the number of earlier attempts of the command. Later attempts wait
/// longer for relays.
@_cdecl("chat_send_cmd_retry")
public func chatSendCommandRetry(
    _ controller: UnsafeMutableRawPointer?,
    _ command: UnsafePointer<CChar>?,
    _ retry: CInt
) -> UnsafeMutablePointer<CChar>? {
    let text = CText.readText(command)
    guard let handle = ChatHandles.findHandle(controller) else { return CText.copyJSON(json: noControllerResult) }
    let (answer, encoder) = runAndWait {
        let encoder = await handle.encoder
        return (
            await CommandAttempt.$earlierAttemptCount.withValue(Int(retry)) { await handle.runCommand(text) }, encoder
        )
    }
    return CText.copyJSON(json: answer, encoder)
}

/// Runs a chat command on a connected remote host (a phone that the core controls). The answer contains the id of the
/// host. The caller frees the text.
@_cdecl("chat_send_remote_cmd")
public func chatSendRemoteCommand(
    _ controller: UnsafeMutableRawPointer?,
    _ remoteHost: CInt,
    _ command: UnsafePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? {
    chatSendRemoteCommandRetry(controller, remoteHost, command, 0)
}

/// Runs a command like `chat_send_remote_cmd`. `retry` is the number of earlier attempts, which is sent to the host.
@_cdecl("chat_send_remote_cmd_retry")
public func chatSendRemoteCommandRetry(
    _ controller: UnsafeMutableRawPointer?,
    _ remoteHost: CInt,
    _ command: UnsafePointer<CChar>?,
    _ retry: CInt
) -> UnsafeMutablePointer<CChar>? {
    let text = CText.readText(command)
    guard let handle = ChatHandles.findHandle(controller) else { return CText.copyJSON(json: noControllerResult) }
    let (answer, encoder) = runAndWait {
        let encoder = await handle.encoder
        let answer = await CommandAttempt.$earlierAttemptCount.withValue(Int(retry)) {
            await handle.runRemoteCommand(text, toRemoteHost: Int64(remoteHost))
        }
        return (answer, encoder)
    }
    return CText.copyJSON(json: answer, encoder)
}

/// The answer of a remote host (a controlled phone): `{"remoteHostId": …, "result": …}`, or with `error` in place of
/// `result`.
struct RemoteHostAnswer: Encodable, Sendable {
    var remoteHostId: Int64
    var result: ChatResponse?
    var error: ChatError?
}

/// Waits for the next event of a core, without a time limit, and returns `{"result": …}` or `{"error": …}`. An event of
/// a remote host (a controlled phone) also has a `remoteHostId`.
@_cdecl("chat_recv_msg")
public func chatReceiveMessage(_ controller: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<CChar>? {
    guard let handle = ChatHandles.findHandle(controller) else { return CText.copyJSON(json: noControllerResult) }
    return CText.copyText(runAndWait { await handle.events.takeNextEvent(until: nil) } ?? [])
}

/// Waits for an event like `chat_recv_msg`, but at most for the given number of microseconds. Returns an empty text
/// when no event arrives in time.
@_cdecl("chat_recv_msg_wait")
public func chatReceiveMessageWait(
    _ controller: UnsafeMutableRawPointer?,
    _ microseconds: CInt
) -> UnsafeMutablePointer<CChar>? {
    guard let handle = ChatHandles.findHandle(controller) else { return CText.copyJSON(json: noControllerResult) }
    let deadline = ContinuousClock.now.advanced(by: .microseconds(Int64(max(0, microseconds))))
    return CText.copyText(runAndWait { await handle.events.takeNextEvent(until: deadline) } ?? [])
}

private let noControllerResult = APIResult<ChatResponse>.error(
    .error(errorType: .internalError(message: "no such controller"))
)
