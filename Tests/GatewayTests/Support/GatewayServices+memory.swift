import Descriptors
import NIOPosix
import OutgoingHTTP
import TestSupport

@testable import Gateway

extension GatewayServices {
    /// Makes services over a core in memory.
    static func makeInMemory(_ folder: TemporaryFolder) throws -> GatewayServices {
        let (configuration, group) = (GatewayConfiguration(folder: folder.path), MultiThreadedEventLoopGroup.singleton)
        return GatewayServices(
            configuration: configuration,
            core: MemoryCore(),
            keys: try KeyRing(file: KeyFile(folder: folder.path)),
            tickets: TicketStore(),
            eventHub: EventHub(source: MemoryJournal()),
            modelHost: ModelHost(core: MemoryCore(), configuration: configuration),
            outgoingHTTP: try OutgoingHTTP(
                group: group,
                policy: AddressPolicy(),
                connections: Allowance(1),
                userAgent: "test"
            ),
            metrics: Metrics(),
            disks: GatewayDisks(configuration, nil),
            eventLoopGroup: group,
            unreadAnswers: UnreadAnswers(),
            clientRates: ClientRates(
                perKey: configuration.keyRequestsPerSecond,
                perAddress: configuration.addressRequestsPerSecond
            )
        )
    }
}
