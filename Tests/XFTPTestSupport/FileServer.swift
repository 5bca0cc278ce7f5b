internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
public import SMP
internal import SimpleXCrypto
internal import Synchronization
import Transport
public import XFTP

/// A server of files over real TLS and HTTP/2 on a port of this machine: it verifies signatures, keeps chunks in memory, and does what a test tells
/// it to, right or wrong.
public final class FileServer: Sendable {
    /// Misbehaviour of the server.
    public enum Fault: Hashable, Sendable {
        /// Never answers what comes in TLS.
        case silent
        /// Sends these bytes in place of HTTP/2.
        case sends([UInt8])
        /// Sends settings and very many such frames in place of HTTP/2.
        case floods([UInt8])
        /// Answers the first request with a body that is no block.
        case garbageHello
        /// Answers the first request with the hello of another session.
        case otherSession
        /// Answers with a hello whose key somebody else has signed.
        case forgedKey
        /// Refuses the client's hello by a body.
        case refusesHello
        /// Closes the connection when this command comes, in the middle of the answer.
        case closes(on: String)
        /// Never answers this command.
        case ignores(String)
        /// Answers this command with an error.
        case answers(String, XFTPErrorType)
        /// Answers this command with OK.
        case agrees(to: String)
        /// Answers this command with a block of noise.
        case garbles(String)
        /// Answers this command so once.
        case garblesOnce(String)
        /// Sends other bytes than it was given, well encrypted.
        case otherChunk
        /// Damages the encrypted chunk.
        case damagedChunk
        /// Sends less of the chunk, or more.
        case shortChunk, longChunk
        /// Sends no chunk.
        case noChunk

        /// Sends bytes that are no HTTP/2.
        public static let noise = Fault.sends([UInt8](repeating: 0x41, count: 40_000))
    }

    public struct Configuration: Sendable {
        public var versions = XFTPVersion.supported
        /// Whether it agrees on `xftp/1`; without, version 1 is spoken without a handshake.
        public var hasProtocol = true
        public var password: String?
        /// In bytes.
        public var quota = 1 << 24
        public var fault: Fault?

        public init(fault: Fault? = nil) { self.fault = fault }
    }

    public let server: ProtocolServer
    private let channel: any Channel
    let store: ChunkStore

    /// Chunks that were made and not deleted.
    public var chunkCount: Int { store.count }
    /// The words of the commands that were taken, in order; `hello` for the requests of handshakes.
    public var requests: [String] { store.requests }

    /// How it misbehaves from now on; nil: not at all.
    public func set(_ fault: Fault?) { store.fault = fault }

    public init(_ configuration: Configuration = Configuration()) async throws {
        let credentials = try ServerCredentials.generate(algorithm: .ed25519).credentials
        let tls = try TLSServerConfiguration(credentials, protocols: configuration.hasProtocol ? .files : .none)
        let store = ChunkStore(configuration)
        self.store = store
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let session = FileServerSession(credentials, store)
                    try pipeline.addHandlers(TLSHandler.server(tls), session)
                    switch configuration.fault {
                    case .silent, .sends, .floods: return
                    default: break
                    }
                    let bound = NIOLoopBound(session, eventLoop: channel.eventLoop)
                    // As the relay has it: see there.
                    try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: 1 << 25, high: 1 << 26))
                    _ = try pipeline.configureHTTP2Pipeline(
                        mode: .server, connectionConfiguration: .init(), streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(FileServerStream(bound.value))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard
            let address = ProtocolServer(
                scheme: .xftp, hosts: [.ipv4([127, 0, 0, 1])], port: String(channel.localAddress?.port ?? 0), keyHash: credentials.fingerprint)
        else { throw ChannelError.operationUnsupported }
        server = address
    }

    public func stop() async { try? await channel.close() }
}
