package import ChatStore
internal import RemoteControl

/// A connected host: a phone whose profiles the clients of this gateway use.
package struct ConnectedHost: Sendable {
    let client: RemoteHostClient
    package let events = RemoteHostEvents()
    let changes = RemoteHostChanges()
    /// The fetched files whose authentication tags were verified.
    let verifiedFiles = VerifiedFiles()

    init(_ client: RemoteHostClient) { self.client = client }

    /// Registers a handler that is called for every change, in order. The handler must not block.
    package func onChange(_ handler: @escaping @Sendable (ChatChange) -> Void) { changes.addHandler(handler) }
}
