internal import ChatCore
internal import Concurrency
internal import Descriptors
internal import NIOCore
internal import OutgoingHTTP
internal import SimpleXCrypto

/// Settings for reading web pages, from which previews of links are made.
package struct LinkPreviewSettings: Sendable {
    /// Addresses and ranges of internal networks from which pages may be read. These pages need no TLS.
    package var allowedAddresses: [String]
    /// Maximal number of pages that are read at the same time, for all clients together.
    package var maxConcurrentPages = 4
    /// Maximal seconds for a page and its picture together.
    var timeoutSeconds: Int64 = 15
    /// Additional certificate authorities, for tests.
    var authorityFile: String?
    /// The function that finds the addresses of host names; nil for the system's resolver.
    var nameLookup: NameLookup?

    package init(allowedAddresses: [String] = []) { self.allowedAddresses = allowedAddresses }
}

/// The title, description and picture of a page, for the preview of a link to the page.
struct PagePreview: Sendable {
    var uri: String
    var title: String
    var description: String
    /// A `data:` URL with the picture of the page; nil without a picture.
    var picture: String?
}

/// Reads the web pages to which links lead, and makes previews. Each address is checked, including the targets of
/// redirects. No page can lead from TLS to a connection without TLS. An internal address is read only if the settings
/// allow the address. A public page can lead only to public addresses.
struct LinkPreviewReader: Sendable {
    enum Failure: Error {
        /// The link cannot be read. The text is the reason, as a sentence without its subject.
        case badLink(String)
        case unreadablePage(String)
        case timeout
        /// The limit of pages that are read at the same time is reached.
        case busy
    }

    private static let maxRedirects = 3
    /// Maximal number of bytes of a page that are kept. The head of the page should be within these bytes.
    private static let maxPageBytes = 512 << 10
    private static let maxPictureBytes = 1 << 20

    typealias SendRequest = @Sendable (OutgoingRequest) async throws(OutgoingError) -> OutgoingAnswer

    private let sendRequest: SendRequest
    private let timeoutSeconds: Int64

    init(seconds: Int64, _ send: @escaping SendRequest) { (self.timeoutSeconds, self.sendRequest) = (seconds, send) }

    init(
        _ settings: LinkPreviewSettings,
        _ policy: AddressPolicy,
        _ group: any EventLoopGroup
    ) throws(OutgoingHTTP.BadAuthorities) {
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = .seconds(settings.timeoutSeconds)
        // No connections are kept, since few servers are asked twice.
        limits.maxKeptConnections = 0
        let http = try OutgoingHTTP(
            group: group,
            policy: policy,
            authorities: settings.authorityFile,
            connections: Allowance(settings.maxConcurrentPages),
            limits: limits,
            userAgent: "simplex-gateway",
            lookUp: settings.nameLookup
        )
        self.init(seconds: settings.timeoutSeconds) { request async throws(OutgoingError) in
            try await http.send(request)
        }
    }

    func makePreview(of uri: String) async throws(Failure) -> PagePreview {
        let url: TargetURL
        do throws(TargetURL.Refusal) { url = try TargetURL(written: uri) } catch { throw .badLink("\(error)") }
        guard !url.hasCredentials else { throw .badLink("must not have a user or a password.") }
        let end = NIODeadline.now() + .seconds(timeoutSeconds)
        let (page, place, isOutside) = try await followRedirects(
            url,
            isOutside: false,
            keeping: Self.maxPageBytes,
            until: end
        )
        guard let type = page.contentType?.lowercased() else {
            throw .unreadablePage("its server gives no Content-Type")
        }
        if type.hasPrefix("image/"), let picture = Self.makePictureAddress(page) {
            return PagePreview(uri: uri, title: uri, description: "", picture: picture)
        }
        guard type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") else {
            throw .unreadablePage("it is not an HTML page")
        }
        let facts = PageFacts(page.content, type: type)
        guard let title = facts.title else { throw .unreadablePage("it has no title") }
        var preview = PagePreview(uri: uri, title: title, description: facts.description ?? "")
        // If the picture cannot be read, the preview has no picture, but is still useful.
        if let link = facts.picture, let url = try? place.resolveLink(link),
            Self.isRedirectAllowed(from: place, to: url),
            let answer = try? await followRedirects(
                url,
                isOutside: isOutside,
                keeping: Self.maxPictureBytes,
                until: end
            ).answer
        {
            preview.picture = Self.makePictureAddress(answer)
        }
        return preview
    }

    private static func isRedirectAllowed(from place: TargetURL, to next: TargetURL) -> Bool {
        !next.hasCredentials && (next.isEncrypted || !place.isEncrypted)
    }

    /// Requests a URL, and follows redirects.
    /// - Parameter isOutside: whether the URL comes from a page outside of the allowed addresses.
    /// - Returns: the last answer, its address, and whether the URL or any answer came from outside of the allowed
    ///   addresses.
    private func followRedirects(
        _ url: TargetURL,
        isOutside: Bool,
        keeping limit: Int,
        until end: NIODeadline
    ) async throws(Failure) -> (answer: OutgoingAnswer, place: TargetURL, isOutside: Bool) {
        var (url, isOutside) = (url, isOutside)
        for _ in 0...Self.maxRedirects {
            guard NIODeadline.now() < end else { throw .timeout }
            var request = OutgoingRequest(get: url, maxKeptAnswerBytes: limit)
            (request.deadline, request.requiresPublicAddress) = (end, isOutside)
            let answer: OutgoingAnswer
            do throws(OutgoingError) { answer = try await sendRequest(request) } catch {
                switch error {
                case .timeout: throw .timeout
                case .tooManyConnections: throw .busy
                default: throw .unreadablePage("\(error)")
                }
            }
            isOutside = isOutside || !answer.isFromAllowedAddress
            switch answer.status {
            case 200: return (answer, url, isOutside)
            case 301, 302, 303, 307, 308:
                let next = answer.location.flatMap { try? url.resolveLink($0) }
                guard let next, Self.isRedirectAllowed(from: url, to: next) else {
                    throw .unreadablePage("it redirects to an address that cannot be read")
                }
                url = next
            default: throw .unreadablePage("its server answers with status \(answer.status)")
            }
        }
        throw .unreadablePage("it redirects too many times")
    }

    /// Makes a `data:` URL with the picture in an answer, if the bytes have the form of a known kind of picture. The
    /// declared type is ignored.
    private static func makePictureAddress(_ answer: OutgoingAnswer) -> String? {
        guard answer.isContentComplete else { return nil }
        return PictureFormat(of: answer.content).map {
            "data:\($0.mediaType);base64,\(Base64.encode(answer.content))"
        }
    }
}
