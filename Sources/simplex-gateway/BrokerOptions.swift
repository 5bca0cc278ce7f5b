import ArgumentParser
import Broker
import Logging

/// The options of a Redis server. The gateway appends the events of all stores to streams of this server, for other
/// programs.
struct BrokerOptions: ParsableArguments {
    @Option(
        help:
            "File with the URL of a Redis, redis://[[user]:password@]host[:port][/database] or unix://[[user]:password@]/socket: the events of all stores are appended to its streams, one stream for each tenant. Needs libhiredis0.14."
    )
    var eventsRedis: String?
    @Option(
        help:
            "Approximate number of events that each of these streams keeps; the oldest are deleted first. (default: 100000)"
    )
    var eventsRedisLength: Int?

    /// Makes the client for Redis from the options. The client does not connect yet.
    /// - Parameter gateway: a function that returns the name of this gateway for the entries of the streams.
    /// - Returns: nil when no Redis is configured.
    func makeBroker(_ settings: Settings, gateway: () throws -> String) throws -> RedisBroker? {
        let length = try settings.readPositiveNumber("events-redis-length", eventsRedisLength, upTo: 1_000_000_000)
        guard let file = try settings.readPath("events-redis", eventsRedis) else {
            guard length == nil else {
                throw Failure.configurationFailure("--events-redis-length needs --events-redis")
            }
            return nil
        }
        guard
            let broker = RedisBroker(
                try readPassword(file),
                length: length ?? 100_000,
                gateway: try gateway(),
                log: Logger(label: "events")
            )
        else {
            // The message does not show the content of the file, which may be a password.
            throw Failure.configurationFailure(
                "\(file) has no URL of a Redis, such as redis://:password@127.0.0.1:6379/0 or unix:///run/redis/redis.sock"
            )
        }
        return broker
    }
}
