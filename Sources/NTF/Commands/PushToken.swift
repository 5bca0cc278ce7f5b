package import SMP

/// The push service of a token (simplexmq `protocol/push-notifications.md`, "Register new notification token").
package enum PushService: String, Hashable, Sendable, CaseIterable {
    /// The development environment of Apple's push service.
    case development = "apns_dev"
    case production = "apns_prod"
    /// A push service for tests.
    case test = "apns_test"
    /// No push service. Tests of a notification server use this value.
    case null = "apns_null"

    /// The two letters of the push service in the binary encoding of a token.
    fileprivate var letters: String {
        switch self {
        case .development: "AD"
        case .production: "AP"
        case .test: "AT"
        case .null: "AN"
        }
    }
}

/// The token of a device with its push service. The token is a secret, since anybody who has it can send pushes to the
/// device. So the description of this value leaves the token out.
package struct PushToken: Hashable, Sendable {
    package var service: PushService
    /// The token that the push service has issued: hexadecimal digits, except for ``serverTestToken``.
    package var text: String

    package init(service: PushService, text: String) {
        self.service = service
        self.text = text
    }

    /// The token for tests of notification servers. Nothing is pushed to this token.
    package static let serverTestToken = PushToken(service: .null, text: "test_ntf_token")
}

extension PushToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "token of \(service.rawValue)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PushToken: SMPCodable {
    package func encode(to writer: inout ByteWriter) {
        writer.writeRaw(service.letters.utf8)
        writer.writeShortText(text)
    }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let letters = String(decoding: try reader.readSlice(count: 2), as: UTF8.self)
        guard let service = PushService.allCases.first(where: { $0.letters == letters }) else { throw .invalidTag }
        self.service = service
        text = try reader.readShortText()
    }
}
