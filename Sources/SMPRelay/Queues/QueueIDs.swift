import RelayBase

/// The id of a queue for its recipient, or for its sender.
typealias QueueID = Bytes24
/// The id of a message, which is also the nonce of its encryption to the recipient.
typealias MessageID = Bytes24
/// The id of a queue in a short link.
typealias LinkID = Bytes24
/// The id of a queue for a notification server.
typealias NotifierID = Bytes24
/// The id of a client that has a certificate (a service).
typealias ServiceID = Bytes24
