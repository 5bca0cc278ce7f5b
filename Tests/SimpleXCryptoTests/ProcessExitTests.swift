import Dispatch
import Glibc
import SimpleXCrypto
import Testing

@Suite struct ProcessExitTests {
    @Test
    func `A process that calls exit while other threads make keys ends without a crash`() async {
        await #expect(processExitsWith: .success) {
            // The first registered function runs last. It gives the threads time to use what OpenSSL would have freed.
            atexit { usleep(20_000) }
            let made = DispatchSemaphore(value: 0)
            for _ in 0..<8 {
                DispatchQueue(label: "keys").async {
                    while true {
                        _ = try? X448.PrivateKey()
                        made.signal()
                    }
                }
            }
            made.wait()
            exit(EXIT_SUCCESS)
        }
    }
}
