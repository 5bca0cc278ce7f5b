internal import SimpleXCrypto

/// The id of a request to an address (`contactReqId`): 16 random bytes, by which the receiver recognizes a repeated
/// request.
enum ContactRequestID {
    static func random() -> [UInt8] { RandomBytes.make(count: 16) }
}
