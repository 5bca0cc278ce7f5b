internal import Clocks
internal import Concurrency
package import Descriptors
package import NIOCore
package import OutgoingHTTP
internal import SimpleXCrypto

/// A bucket of a storage with the protocol of Amazon S3. Each request has the bucket in its path, and is signed. Only a
/// request that gets no answer on a kept connection is repeated.
package struct S3Bucket: ObjectStore {
    private let url: S3URL
    private let http: OutgoingHTTP
    private let timeouts: Timeouts

    /// The time limits for answers of the storage.
    package struct Timeouts: Sendable {
        /// Maximal time in which no byte is sent or received.
        package var maxSilence = TimeAmount.seconds(20)
        /// Maximal time of a request that transfers no object.
        package var totalTime = TimeAmount.seconds(60)

        package init() {}
    }

    /// Maximal number of bytes that are read of an answer that is not an object.
    private static let maxAnswerBytes = 256 << 10
    /// Maximal number of keys in one answer.
    private static let maxKeysPerAnswer = 100
    /// The SHA-256 hash of an empty body, in hexadecimal digits.
    private static let hashOfEmptyContent = Hex.encode(Digest.sha256([]))

    /// Makes a client for a bucket, and sends no request yet.
    /// - Parameters:
    ///   - allowed: allowed addresses without TLS, in addition to loopback.
    ///   - authorities: a PEM file with certificate authorities in addition to the system's.
    ///   - connections: maximal number of connections that are open at the same time.
    package init(
        _ url: S3URL,
        allowed: [AddressRange] = [],
        authorities: String? = nil,
        group: any EventLoopGroup,
        connections: Allowance,
        patience: Timeouts = Timeouts()
    ) throws(OutgoingHTTP.BadAuthorities) {
        self.url = url
        self.timeouts = patience
        http = try OutgoingHTTP(
            group: group,
            policy: url.makeAddressPolicy(allowed),
            authorities: authorities,
            connections: connections,
            userAgent: "simplex-gateway"
        )
    }

    package func storeObject(_ key: String, _ source: ObjectSource) async throws(ObjectError) {
        let answer: OutgoingAnswer
        do {
            // TLS protects the contents on their way, so their hash is not needed. For the hash, the file would have to
            // be read twice.
            let digest =
                url.isEncrypted
                ? S3Signature.unsignedContent : try await runBlocking { try Self.computeDigest(of: source) }
            let body = StreamedRequest.Body(size: source.size) {
                let reading = try await runBlocking { try source.openReader() }
                return { count in try await runBlocking { try reading(count) } }
            }
            answer = try await sendRequest(.put, url.objectPath(key), content: digest, body: body)
        } catch {
            throw Self.convertError(error)
        }
        guard answer.status == 200 else { throw Self.makeError(for: answer) }
        try await confirmSize(key, size: source.size)
    }

    /// Checks the size of a stored object with a separate request. A storage may report success although it has not
    /// stored the object.
    private func confirmSize(_ key: String, size: Int64) async throws(ObjectError) {
        let answer: OutgoingAnswer
        do { answer = try await sendRequest(.head, url.objectPath(key)) } catch { throw Self.convertError(error) }
        switch answer.status {
        case 200 where answer.contentLength == size: return
        case 200, 404: throw .unavailable("it accepted an object, but does not have all of it")
        default: throw Self.makeError(for: answer)
        }
    }

    package func fetchObject(
        _ key: String,
        size: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        let answer: OutgoingAnswer
        do {
            answer = try await sendRequest(
                .get,
                url.objectPath(key),
                sink: StreamedRequest.Sink(size: size, take: take)
            )
        } catch let error as OutgoingError {
            throw error == .wrongLength ? ObjectError.sizeChanged : Self.convertError(error)
        }
        guard answer.status == 200 else {
            let error = Self.makeError(for: answer)
            throw error == .requestRefused(status: 404, code: "NoSuchKey") ? ObjectError.objectMissing : error
        }
    }

    package func deleteObject(_ key: String) async throws(ObjectError) {
        let answer: OutgoingAnswer
        do { answer = try await sendRequest(.delete, url.objectPath(key)) } catch { throw Self.convertError(error) }
        let error = Self.makeError(for: answer)
        guard (200..<300).contains(answer.status) || error == .requestRefused(status: 404, code: "NoSuchKey") else {
            throw error
        }
    }

    package func listKeys(beginning prefix: String) async throws(ObjectError) -> [String] {
        let answer: OutgoingAnswer
        let query = [("list-type", "2"), ("max-keys", "\(Self.maxKeysPerAnswer)"), ("prefix", url.prefixedKey(prefix))]
        do { answer = try await sendRequest(.get, url.bucketPath, query: query) } catch {
            throw Self.convertError(error)
        }
        guard answer.status == 200 else { throw Self.makeError(for: answer) }
        guard answer.isContentComplete, let keys = S3Answer.parseKeys(answer.content) else {
            throw .unavailable("its answer is not a list of objects")
        }
        let beginning = url.prefixedKey("")
        // Keys with another prefix are ignored. Keys with `.` or `..` as a part of the path are ignored too, because
        // they could refer to other objects.
        return keys.filter { key in
            key.hasPrefix(url.prefixedKey(prefix)) && !key.split(separator: "/").contains { $0 == "." || $0 == ".." }
        }.map { String($0.dropFirst(beginning.count)) }
    }

    /// Checks that the bucket exists and that the storage accepts the access key.
    package func checkAccess() async throws(ObjectError) { _ = try await listKeys(beginning: "check") }

    // MARK: Requests

    private func sendRequest(
        _ method: StreamedRequest.Method,
        _ path: String,
        query: [(String, String)] = [],
        content: String = hashOfEmptyContent,
        body: StreamedRequest.Body? = nil,
        sink: StreamedRequest.Sink? = nil
    ) async throws -> OutgoingAnswer {
        let text = url.endpoint + path + (query.isEmpty ? "" : "?" + S3Signature.queryText(of: query))
        let target: TargetURL
        do throws(TargetURL.Refusal) { target = try TargetURL(text) } catch {
            throw ObjectError.unavailable("the URL of an object \(error)")
        }
        let headers = url.signature.signHeaders(
            method.rawValue,
            host: target.authority,
            path: path,
            query: query,
            content: content,
            at: WallClock.seconds()
        )
        var request = StreamedRequest(
            method,
            target,
            headers: headers,
            body: body,
            sink: sink,
            maxKeptAnswerBytes: Self.maxAnswerBytes
        )
        (request.maxSilence, request.minTotalTime) = (timeouts.maxSilence, timeouts.totalTime)
        return try await http.send(request)
    }

    /// Returns the SHA-256 of all bytes of the source, in hexadecimal digits.
    private static func computeDigest(of source: ObjectSource) throws -> String {
        let (reading, hash) = (try source.openReader(), try IncrementalDigest(.sha256))
        while true {
            let part = try reading(1 << 20)
            if part.isEmpty { return Hex.encode(try hash.finalize()) }
            try hash.update(part)
        }
    }

    private static func convertError(_ error: any Error) -> ObjectError {
        switch error {
        case let error as ObjectError: error
        case OutgoingError.tooManyConnections: .tooManyRequests
        default: .unavailable("\(error)")
        }
    }

    private static func makeError(for answer: OutgoingAnswer) -> ObjectError {
        let code = S3Answer.parseErrorCode(answer.content)
        // The storage is overloaded or has a fault, so all requests pause. A full storage (507) refuses only new
        // objects.
        if answer.status >= 500 && answer.status != 507 || answer.status == 429 {
            return .unavailable("it answers with status \(answer.status)\(code.isEmpty ? "" : ", \(code)")")
        }
        return .requestRefused(status: answer.status, code: code)
    }
}
