internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
package import SMP
internal import SimpleXCrypto
internal import Synchronization
import Transport
package import XFTP

/// A file server over real TLS and HTTP/2 on a port of this machine. It verifies signatures, keeps chunks in memory,
/// and misbehaves if a test sets a fault.
package final class FileServer: Sendable {
    /// Misbehaviour of the server.
    package enum Fault: Hashable, Sendable {
        /// Completes TLS and never answers a request.
        case silent
        /// Sends these bytes in place of HTTP/2.
        case sendsBytes([UInt8])
        /// Sends settings and 20,000 of these frames in place of HTTP/2.
        case floodsFrames([UInt8])
        /// Answers the first request with a body that is not a block.
        case sendsGarbageHello
        /// Answers the first request with the hello of another session.
        case sendsOtherSession
        /// Answers with a hello whose key is signed by a foreign key.
        case sendsForgedKey
        /// Answers the client's hello with the refusal HANDSHAKE.
        case refusesHello
        /// Closes the connection in the middle of the answer to this command.
        case closes(on: String)
        /// Never answers this command.
        case ignores(String)
        /// Answers this command with an error.
        case answers(String, XFTPServerError)
        /// Answers this command with OK.
        case answersOK(to: String)
        /// Answers this command with a garbage block.
        case garbles(String)
        /// Answers this command with a garbage block once.
        case garblesOnce(String)
        /// Sends a chunk with changed contents, correctly encrypted.
        case otherChunk
        /// Damages the encrypted chunk.
        case damagedChunk
        /// Sends too few bytes (`shortChunk`) or too many bytes (`longChunk`) of a chunk.
        case shortChunk, longChunk
        /// Sends no chunk.
        case noChunk

        /// Sends bytes that are not HTTP/2.
        package static let noise = Fault.sendsBytes([UInt8](repeating: 0x41, count: 40_000))
    }

    package struct Configuration: Sendable {
        package var versions = XFTPVersion.supported
        /// Whether the server agrees on `xftp/1` in ALPN. If not, it uses version 1 without a handshake.
        package var offersALPN = true
        package var password: String?
        /// The quota in bytes.
        package var quota = 1 << 24
        package var fault: Fault?

        package init(fault: Fault? = nil) { self.fault = fault }
    }

    package let server: ProtocolServer
    private let channel: any Channel
    let store: ChunkStore

    /// Number of chunks that were created and not deleted.
    package var chunkCount: Int { store.chunkCount }
    /// Names of the received commands in order, and `hello` for each request of a handshake.
    package var requests: [String] { store.requests }

    /// Sets the misbehaviour from now on; nil ends it.
    package func setFault(_ fault: Fault?) { store.fault = fault }

    package init(_ configuration: Configuration = Configuration()) async throws {
        let credentials = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        let tls = try TLSServerConfiguration(credentials, protocols: configuration.offersALPN ? .files : .noProtocol)
        let store = ChunkStore(configuration)
        self.store = store
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let session = FileServerSession(credentials, store)
                    try pipeline.addHandlers(TLSHandler.makeServer(tls), session)
                    switch configuration.fault {
                    case .silent, .sendsBytes, .floodsFrames: return
                    default: break
                    }
                    let bound = NIOLoopBound(session, eventLoop: channel.eventLoop)
                    // The limit of unsent bytes is the same as in the file relay: see `FileRelay.maxUnsentBytes`.
                    try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: 1 << 25, high: 1 << 26))
                    _ = try pipeline.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
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
                scheme: .xftp,
                hosts: [.ipv4([127, 0, 0, 1])],
                port: String(channel.localAddress?.port ?? 0),
                keyHash: credentials.fingerprint
            )
        else { throw ChannelError.operationUnsupported }
        server = address
    }

    package func stop() async { try? await channel.close() }
}
