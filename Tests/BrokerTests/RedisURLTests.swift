import Testing

@testable import Broker

@Suite struct RedisURLTests {
    @Test
    func `A Redis URL is parsed into its address, user, password and database`() throws {
        let plain = try #require(RedisURL("redis://127.0.0.1"))
        #expect(
            plain.endpoint == .host("127.0.0.1", port: 6379) && plain.user == nil && plain.password == nil
                && plain.database == nil
        )
        let all = try #require(RedisURL("redis://me:p%40ss:w%2Ford@[::1]:7000/3"))
        #expect(
            all.endpoint == .host("::1", port: 7000) && all.user == "me" && all.password == "p@ss:w/ord"
                && all.database == 3
        )
        let socket = try #require(RedisURL("unix://:secret@/run/redis/redis.sock"))
        #expect(
            socket.endpoint == .socket("/run/redis/redis.sock") && socket.user == nil && socket.password == "secret"
        )
    }

    @Test(arguments: [
        "", "127.0.0.1", "rediss://127.0.0.1", "redis://", "redis://host:0", "redis://host:99999", "redis://host:x",
        "redis://host/x", "redis://host/-1", "redis://me@host",
        "redis://:@host", "redis://:%zz@host", "redis://:%+5@host", "redis://:%ff@host", "redis://[::1",
        "redis://[::1]x", "unix://", "unix://relative",
        "unix:///", "redis://a b",
    ])
    func `An invalid Redis URL is refused`(_ text: String) {
        #expect(RedisURL(text) == nil)
    }

    @Test(arguments: ["redis://some-body:pass-word@host:7000/3", "unix://some-body:pass-word@/run/redis.sock"])
    func `The description of a Redis URL hides its user and password`(_ text: String) throws {
        let url = try #require(RedisURL(text))
        var dumped = ""
        dump(url, to: &dumped)
        for shown in ["\(url)", String(reflecting: url), "\(Optional(url) as Any)", dumped] {
            #expect(!shown.contains("pass-word") && !shown.contains("some-body"), "\(shown)")
        }
    }
}
