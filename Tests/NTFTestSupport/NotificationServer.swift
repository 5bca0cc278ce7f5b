internal import NIOCore
package import NIOPosix
package import NTF
package import SMP
internal import SimpleXCrypto
internal import Synchronization
package import Transport

/// A notification server over real TLS on a port of this machine. It verifies signatures, keeps tokens and
/// subscriptions in memory, and subscribes to queues on their relays. It sends no pushes: the test reads them in
/// `pushes`. If the test sets a fault, the server misbehaves.
package final class NotificationServer: Sendable {
    /// Misbehaviour of the server.
    package enum Fault: Hashable, Sendable {
        /// Sends nothing after TLS.
        case silent
        /// Sends a block of garbage bytes instead of its hello.
        case garbageHello
        /// Sends the hello of another session (`otherSession`), or a hello whose key is signed with a foreign key
        /// (`forgedKey`).
        case otherSession, forgedKey
        /// Offers only versions that no client has.
        case futureVersion
        /// Misbehaves at the command with this name. In the order of the cases: sends no answer, closes the connection,
        /// sends garbage bytes, sends the answer to another command, or sends this error.
        case ignores(String), closes(String), garbles(String), confuses(String), refuses(String, SMPErrorType)
        /// Executes the command, and closes the connection before the answer.
        case losesAnswer(String)
    }

    /// A push as the push service would get it.
    package struct Push: Sendable {
        package enum Kind: Hashable, Sendable { case verification, message }
        package var token: PushToken
        package var kind: Kind
        package var nonce: [UInt8]
        /// The encrypted `verification` or `message` of the push.
        package var sealedContent: [UInt8]
    }

    package let server: ProtocolServer
    private let channel: any Channel
    private let store: TokenStore

    /// Starts a server.
    /// - Parameter port: the port; 0 for a free port.
    package init(
        _ fault: Fault? = nil,
        port: Int = 0,
        credentials: ServerCredentials? = nil,
        group: MultiThreadedEventLoopGroup = .singleton
    ) async throws {
        let credentials = try credentials ?? ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        let tls = try TLSServerConfiguration(credentials, protocols: .notifications)
        let store = TokenStore(group: group)
        store.fault = fault
        self.store = store
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSHandler.makeServer(tls),
                        BlockCodec(blockSize: NTFVersion.blockSize),
                        NotificationServerHandler(store, credentials)
                    )
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        guard
            let server = ProtocolServer(
                scheme: .ntf,
                hosts: [.ipv4([127, 0, 0, 1])],
                port: String(channel.localAddress?.port ?? 0),
                keyHash: credentials.fingerprint
            )
        else { throw SMPTransportError.badBlock }
        self.server = server
    }

    package var fault: Fault? {
        get { store.fault }
        set { store.fault = newValue }
    }

    /// The names of the received commands.
    package var commands: [String] { store.commands }
    package var tokenCount: Int { store.tokenCount }
    package var subscriptionCount: Int { store.subscriptionCount }
    /// All pushes so far.
    package var pushes: [Push] { store.pushes }
    /// Forgets every token, as after a loss of the server's data.
    package func removeAllTokens() { store.removeAllTokens() }

    /// Makes one push about all queues with notifications. The push has the latest notification of each queue.
    package func makePushForAll() -> Push? { store.makePushForAll() }

    package func stop() async {
        await store.closeClients()
        try? await channel.close()
    }
}
