internal import SimpleXCrypto

/// The id of a request to an address (`contactReqId`): 16 random bytes, by which its receiver knows that it is the same one again.
enum RequestID {
    static func random() -> [UInt8] { RandomBytes.make(count: 16) }
}
