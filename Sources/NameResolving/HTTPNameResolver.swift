internal import Agent
internal import Descriptors
package import NIOCore
internal import OutgoingHTTP
package import SMP
internal import SimpleXCrypto

/// A client that asks a resolver of names over HTTP: `GET <URL>/resolve/<name>` returns the record as JSON, `GET
/// <URL>/health` tells that the resolver works. simplexmq `protocol/simplex-messaging.md`, "Resolver commands".
///
/// Errors have the texts of the original's server. Nothing is cached, as in the original, because names change owners.
package struct HTTPNameResolver: Sendable {
    private let baseURL: String
    private let http: OutgoingHTTP
    private let headers: [(name: String, value: String)]
    private let requestTimeout: TimeAmount

    /// Maximal time from the lookup of the resolver's host to the end of its answer.
    package static let defaultTimeout = TimeAmount.seconds(3)
    /// Maximal number of bytes of the header of an answer. The content has at most ``NameRecord/maxSize`` bytes.
    private static let maxHeaderBytes = 16 << 10
    /// Number of bytes of the longest name.
    private static let maxNameBytes = 253

    /// The reason why a resolver cannot be used, as a sentence whose subject is left out.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Makes a client, and sends no request yet.
    /// - Parameters:
    ///   - url: `http` or `https`, without user, query and fragment.
    ///   - authorization: `bearer TOKEN` or `basic USER:PASSWORD`; nil for none.
    ///   - connections: maximal number of connections that are open at the same time.
    package init(
        _ url: String,
        authorization: String? = nil,
        group: any EventLoopGroup,
        connections: Int,
        timeout: TimeAmount = Self.defaultTimeout
    ) throws(Fault) {
        var base = url
        while base.hasSuffix("/") { base.removeLast() }
        let target: TargetURL
        do throws(TargetURL.Refusal) {
            target = try TargetURL(base)
            _ = try TargetURL(Self.makeResolveURL(base, String(repeating: "a", count: Self.maxNameBytes)))
        } catch {
            throw Fault(description: error.description)
        }
        guard !base.contains("?") else { throw Fault(description: "must not have a query.") }
        guard !target.hasCredentials else { throw Fault(description: "must not have a user or password.") }
        var ranges = ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }
        if let authorization {
            headers = [
                ("Accept", "application/json"), ("Authorization", try Self.makeAuthorizationHeader(of: authorization)),
            ]
            if !target.isEncrypted {
                ranges = Self.loopbackRanges
                guard Self.isLoopback(target.host) else {
                    throw Fault(description: "must begin with https://, since the authorization is secret.")
                }
            }
        } else {
            headers = [("Accept", "application/json")]
        }
        var limits = OutgoingHTTP.Limits()
        (limits.maxConnectTime, limits.maxTotalTime, limits.maxAnswerBytes) = (timeout, timeout, Self.maxHeaderBytes)
        do throws(OutgoingHTTP.BadAuthorities) {
            http = try OutgoingHTTP(
                group: group,
                policy: AddressPolicy(allowed: ranges),
                connections: Allowance(connections),
                limits: limits,
                userAgent: "simplex-gateway"
            )
        } catch {
            throw Fault(description: "cannot be asked: \(error.description)")
        }
        self.baseURL = base
        self.requestTimeout = timeout
    }

    private static let loopbackRanges = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

    private static func isLoopback(_ host: TargetURL.Host) -> Bool {
        switch host {
        case .name(let name): name == "localhost"
        case .address(let address): loopbackRanges.contains { $0.contains(address) }
        }
    }

    private static func makeResolveURL(_ base: String, _ name: String) -> String { "\(base)/resolve/\(name)" }

    /// Returns the value of the header `Authorization` for the configured text `bearer TOKEN` or `basic USER:PASSWORD`.
    private static func makeAuthorizationHeader(of authorization: String) throws(Fault) -> String {
        let words = authorization.split(whereSeparator: \.isWhitespace)
        if words.count == 2 {
            switch words[0].lowercased() {
            case "bearer" where words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) }): return "Bearer \(words[1])"
            case "basic" where words[1].dropFirst().contains(":"):
                return "Basic \(Base64.encode(Array(words[1].utf8)))"
            default: break
            }
        }
        throw Fault(description: "needs an authorization of the form bearer TOKEN or basic USER:PASSWORD.")
    }

    /// Returns the record of a name: the JSON that the SMP answer RNAME contains.
    package func resolveName(_ name: NameDomain) async throws(SMPNameError) -> [UInt8] {
        let deadline = NIODeadline.now() + requestTimeout
        let answer: OutgoingAnswer
        do throws(OutgoingError) {
            answer = try await sendGet(
                Self.makeResolveURL(baseURL, name.text),
                maxKeptAnswerBytes: NameRecord.maxSize,
                deadline
            )
        } catch {
            switch error {
            case _ where NIODeadline.now() >= deadline: throw .resolver("timeout")
            case .timeout: throw .resolver("timeout")
            case .answerTooLong: throw .resolver("response too large")
            default: throw .resolver("transport failure")
            }
        }
        switch answer.status {
        case 400, 404: throw .notFound
        case 401...: throw .resolver("HTTP \(answer.status)")
        default: break
        }
        guard answer.isContentComplete else {
            if answer.content.count >= NameRecord.maxSize { throw .resolver("response too large") }
            throw .resolver(NIODeadline.now() >= deadline ? "timeout" : "transport failure")
        }
        // The parsed record is encoded again, so that clients get only the known members of a record.
        guard let record = (try? NameRecord(parsing: answer.content))?.json else { throw .resolver("invalid response") }
        guard record.count <= NameRecord.maxSize else { throw .resolver("response too large") }
        return record
    }

    /// Asks the resolver whether it works.
    /// - Returns: the reason why the resolver does not work; nil when it works.
    package func checkHealth() async -> String? {
        do throws(OutgoingError) {
            let answer = try await sendGet(baseURL + "/health", maxKeptAnswerBytes: 0, .now() + requestTimeout)
            return answer.status < 400 ? nil : "HTTP \(answer.status)"
        } catch {
            return error.description
        }
    }

    private func sendGet(
        _ url: String,
        maxKeptAnswerBytes: Int,
        _ deadline: NIODeadline
    ) async throws(OutgoingError) -> OutgoingAnswer {
        guard let target = try? TargetURL(url) else { throw .connectionClosed }
        var request = OutgoingRequest(get: target, maxKeptAnswerBytes: maxKeptAnswerBytes)
        request.headers = headers
        request.deadline = deadline
        return try await http.send(request)
    }
}
