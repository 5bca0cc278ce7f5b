import RelayBase

/// The id by which the recipient or the sender addresses a queue.
typealias QueueID = Bytes24
/// The id of a message. It is also the nonce of the encryption for the recipient.
typealias MessageID = Bytes24
/// The id by which a short link addresses a queue.
typealias LinkID = Bytes24
/// The id by which a notification server addresses a queue.
typealias NotifierID = Bytes24
/// The id of a client that has a certificate (a service).
typealias ServiceID = Bytes24
