internal import NIOCore
public import NIOPosix
public import NTF
public import SMP
internal import SimpleXCrypto
internal import Synchronization
public import Transport

/// A notification server over real TLS on a port of this machine: it verifies signatures, keeps tokens and
/// subscriptions in memory, subscribes to queues on their relays, and gives a test what it would push. It does what the
/// test wants, right or wrong.
public final class NotificationServer: Sendable {
    /// Misbehaviour of the server.
    public enum Fault: Hashable, Sendable {
        /// Sends nothing after TLS.
        case silent
        /// Sends a block of noise for its hello.
        case garbageHello
        /// Sends the hello of another session, or one whose key somebody else has signed.
        case otherSession, forgedKey
        /// Offers only versions that nobody has.
        case futureVersion
        /// Responds to this command with nothing, the end of the connection, noise, an answer to another command, or an
        /// error.
        case ignores(String), closes(String), garbage(String), confuses(String), refuses(String, SMPErrorType)
        /// Carries the command out, and closes the connection before the answer.
        case losesAnswer(String)
    }

    /// A push as the push service would get it.
    public struct Push: Sendable {
        public enum Content: Hashable, Sendable { case verification, message }
        public var token: PushToken
        public var content: Content
        public var nonce: [UInt8]
        /// `verification` or `message` of the push, boxed.
        public var box: [UInt8]
    }

    public let server: ProtocolServer
    private let channel: any Channel
    private let store: TokenStore

    /// - Parameter port: 0 for any that is free.
    public init(
        _ fault: Fault? = nil,
        port: Int = 0,
        credentials: ServerCredentials? = nil,
        group: MultiThreadedEventLoopGroup = .singleton
    ) async throws {
        let credentials = try credentials ?? ServerCredentials.generate(algorithm: .ed25519).credentials
        let tls = try TLSServerConfiguration(credentials, protocols: .notifications)
        let store = TokenStore(group: group)
        store.fault = fault
        self.store = store
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        TLSHandler.server(tls),
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

    public var fault: Fault? {
        get { store.fault }
        set { store.fault = newValue }
    }

    /// The words of the commands that have come.
    public var commands: [String] { store.commands }
    public var tokenCount: Int { store.tokenCount }
    public var subscriptionCount: Int { store.subscriptionCount }
    /// All pushes so far.
    public var pushes: [Push] { store.pushes }
    /// Every token forgotten, as after a loss of the server's data.
    public func forgetEverything() { store.forget() }

    /// Pushes several queues' news at once: what came last of each.
    public func pushAll() -> Push? { store.pushAll() }

    public func stop() async {
        await store.close()
        try? await channel.close()
    }
}
