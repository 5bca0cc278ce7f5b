// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is compiled the same way: Swift 6 mode, `any` written out, imports internal unless said
/// otherwise, and a warning stops the build.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Modules of the program. Their release build is the one that the tests run, too.
let built = strict + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]

/// Ciphers and parsers are optimized in debug builds too: without it they take most of the time of the tests.
let optimized = built + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Tests run once: optimizing them takes more time than it saves. A separate job for the module would expand all macros
/// again, for users that tests do not have.
let tests =
    strict + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// A module that may use only the modules named in `uses`, with its tests beside it.
/// `testUses` are further modules that only its tests import.
func module(
    _ name: String,
    uses: [Target.Dependency],
    testUses: [Target.Dependency] = [],
    settings: [SwiftSetting] = built
) -> [Target] {
    [
        .target(name: name, dependencies: uses, swiftSettings: settings),
        .testTarget(
            name: "\(name)Tests",
            dependencies: [.target(name: name)] + uses + testUses + ["TestSupport"],
            swiftSettings: tests
        ),
    ]
}

func library(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioCoreOnly: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioCore: [Target.Dependency] = [nioCoreOnly, nioPosix]
let http2: [Target.Dependency] = [
    .product(name: "NIOHTTP2", package: "swift-nio-http2"), .product(name: "NIOHPACK", package: "swift-nio-http2"),
]
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "simplex-gateway",
    products: [
        // libsimplex.so, by the name under which clients of the original load it.
        .library(name: "simplex", type: .dynamic, targets: ["SimpleXFFI"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        library("CJansson", pkgConfig: "jansson", debian: "libjansson-dev"),
        library("CMicrohttpd", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
        library("COpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
        // Loaded when it is needed, so that it is not linked.
        .systemLibrary(name: "CPQ", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CFileCalls"),
        library("CQRencode", pkgConfig: "libqrencode", debian: "libqrencode-dev"),
        library("CSeccomp", pkgConfig: "libseccomp", debian: "libseccomp-dev"),
        library("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
        library("CSQLCipher", pkgConfig: "sqlcipher", debian: "libsqlcipher-dev"),
        library("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
        library("CZip", pkgConfig: "libzip", debian: "libzip-dev"),
        library("CZstd", pkgConfig: "libzstd", debian: "libzstd-dev"),
    ]
        + [
            .target(name: "CEmbedded"), .target(name: "CSchemas", exclude: ["agent", "chat"]),
            .target(name: "CCrashMarks"), .target(name: "CForeignData", dependencies: ["CSeccomp", "CSQLCipher"]),
            .target(name: "CKeyMemory", dependencies: ["CSQLCipher"]),
            .target(name: "COpenSSLSetup", dependencies: ["COpenSSL"]), .target(name: "CVersion"),
            .target(name: "WebClient", dependencies: ["CEmbedded"], exclude: ["client"]),
        ]
        + module("JSON", uses: ["CJansson"], settings: optimized)
        + module("Files", uses: ["CFileCalls"])
        + module("QR", uses: ["CQRencode", "CZlib"])
        + module("Clocks", uses: [])
        + module("Concurrency", uses: ["Clocks", deque, nioPosix])
        + module("Descriptors", uses: [])
        + module("Prometheus", uses: [])
        // Requests to the servers with which the benchmark compares the gateway, and their answers.
        + module("ComparedProtocols", uses: ["JSON"])
        + module(
            "SimpleXCrypto",
            uses: ["COpenSSL", "COpenSSLSetup", "CSodium"],
            testUses: ["JSON"],
            settings: optimized
        )
        + module(
            "SQLCipher",
            uses: ["CKeyMemory", "CSQLCipher", "CSchemas", "Clocks", "Concurrency", "Files", "SimpleXCrypto"]
        )
        + module(
            "ForeignData",
            uses: ["CForeignData", "CSQLCipher", "Files", "SQLCipher", "SimpleXCrypto"],
            testUses: ["foreign-reader"]
        )
        + module("ZIP", uses: ["CZip", "Files"])
        + module("Transport", uses: ["COpenSSL", "Descriptors", "Files", "SimpleXCrypto"] + nioCore)
        + module(
            "OutgoingHTTP",
            uses: [
                "Clocks", "Concurrency", "Descriptors", "SimpleXCrypto", "Transport",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ] + nioCore,
            testUses: ["SMPTestSupport"]
        )
        + module(
            "ObjectStorage",
            uses: [
                "Clocks", "Concurrency", "Descriptors", "OutgoingHTTP", "Prometheus", "SimpleXCrypto", logging,
                nioCoreOnly,
            ],
            testUses: ["ServerSupport", "SMPTestSupport", "JSON", "Transport", nioPosix]
        )
        + module(
            "SMP",
            uses: ["Concurrency", "SimpleXCrypto", "Transport"] + nioCore,
            testUses: ["SMPTestSupport", "JSON"]
        )
        + module(
            "RelayBase",
            uses: [
                "Clocks", "Concurrency", "Descriptors", "Files", "Prometheus", "SMP", "SimpleXCrypto", "Transport",
                logging,
            ] + nioCore
        )
        + module(
            "SMPRelay",
            uses: [
                "Clocks", "Descriptors", "RelayBase", "SMP", "SimpleXCrypto", "Transport", logging, nioCoreOnly,
            ],
            testUses: ["SMPTestSupport", nioPosix]
        )
        + module(
            "XFTP",
            uses: ["SMP", "SimpleXCrypto", "Transport"] + nioCore + http2,
            testUses: ["XFTPTestSupport", "SMPTestSupport", "JSON"]
        )
        + module(
            "XFTPRelay",
            uses: [
                "Clocks", "Descriptors", "Files", "RelayBase", "SMP", "SimpleXCrypto", "Transport", "XFTP", deque,
                logging,
            ] + nioCore + http2
        )
        + module(
            "NTF",
            uses: ["SMP", "SimpleXCrypto", "Transport"] + nioCore,
            testUses: ["NTFTestSupport", "SMPTestSupport"]
        )
        + module("XRCP", uses: ["JSON", "SMP", "SimpleXCrypto", "Transport"] + nioCore + http2)
        + module(
            "Agent",
            uses: [
                "CSchemas", "Clocks", "Concurrency", "Files", "ForeignData", "JSON", "NTF", "SMP", "Transport", "XFTP",
                "SimpleXCrypto", "SQLCipher", logging, nioCoreOnly,
            ],
            testUses: ["SMPRelay", "XFTPRelay", "NTFTestSupport", "SMPTestSupport", "XFTPTestSupport", nioPosix]
        )
        + module("ChatAPI", uses: ["Clocks", "JSON"])
        + module("ChatModel", uses: ["ChatAPI"], testUses: ["JSON"])
        + module("ChatProtocol", uses: ["ChatAPI", "CZstd", "JSON", "SimpleXCrypto"])
        + module("ChatText", uses: ["Agent", "ChatAPI", "JSON", "SimpleXCrypto", "SMP"])
        + module(
            "RemoteControl",
            uses: [
                "ChatAPI", "ChatProtocol", "ChatText", "Concurrency", "Files", "JSON", "SimpleXCrypto", "XRCP",
                nioCoreOnly,
            ]
        )
        + module("ChatConsole", uses: ["ChatAPI", "ChatText", "JSON"])
        + module(
            "ChatMoving",
            uses: ["ChatAPI", "JSON", "SQLCipher"],
            testUses: ["Agent", "CSQLCipher", "SimpleXCrypto"]
        )
        + module(
            "ChatStore",
            uses: [
                "Agent", "ChatAPI", "ChatProtocol", "Concurrency", "CSchemas", "Files", "JSON", "SimpleXCrypto",
                "SQLCipher", deque, logging,
            ],
            testUses: ["ChatStoreTestSupport"]
        )
        + module(
            "ChatCore",
            uses: [
                "ChatAPI", "ChatProtocol", "ChatText", "ChatStore", "ChatMoving", "ChatConsole", "RemoteControl",
                "Agent", "NTF",
                "ObjectStorage",
                "XFTP", "XRCP", "SMP", "Transport", "SQLCipher", "JSON", "SimpleXCrypto", "CVersion", "ZIP",
                "Concurrency", "Files", "ForeignData", deque, logging, nioCoreOnly,
            ],
            testUses: [
                "SMPRelay", "ChatStoreTestSupport", "NTFTestSupport", "SMPTestSupport", "XFTPTestSupport",
                "StoreSupport", "foreign-reader", nioPosix,
            ]
        )
        + module(
            "SimpleXFFI",
            uses: [
                "ChatCore", "ChatAPI", "ChatStore", "ChatText", "Concurrency", "Files", "SMP", "JSON", "SimpleXCrypto",
                nioPosix,
            ],
            testUses: ["SMPRelay", "SQLCipher"]
        )
        + module(
            "Gateway",
            uses: [
                "ChatCore", "ChatModel", "ChatAPI", "ChatStore", "JSON", "ObjectStorage", "SimpleXCrypto",
                "Clocks", "Concurrency",
                "Descriptors", "Files", "OutgoingHTTP", "Prometheus", "QR", "CEmbedded", "CCrashMarks", "WebClient",
                "CMicrohttpd", "CZlib", logging,
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ] + nioCore,
            testUses: [
                "foreign-reader", "SMPRelay", "SMP", "NTFTestSupport", "SMPTestSupport", "XFTPTestSupport",
                "StoreSupport", "Agent", "SQLCipher", "ZIP", .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        )
        + module(
            "Broker",
            uses: ["CHiredis", "Concurrency", "Gateway", "Prometheus", "SimpleXCrypto", logging],
            testUses: ["ServerSupport"]
        )
        + module(
            "NameResolving",
            uses: ["Agent", "Descriptors", "OutgoingHTTP", "SMP", "SimpleXCrypto", nioCoreOnly],
            testUses: ["SMPTestSupport", nioPosix]
        )
        + module(
            "Placement",
            uses: ["CPQ", "Clocks", "Concurrency", "Gateway", "Prometheus", logging],
            testUses: ["ServerSupport"]
        )
        + [
            .target(
                name: "SMPTestSupport",
                dependencies: ["SMP", "SimpleXCrypto", "TestSupport", "Transport"] + nioCore,
                path: "Tests/SMPTestSupport",
                swiftSettings: tests
            ),
            .target(
                name: "NTFTestSupport",
                dependencies: ["NTF", "SMP", "SimpleXCrypto", "TestSupport", "Transport"] + nioCore,
                path: "Tests/NTFTestSupport",
                swiftSettings: tests
            ),
            .target(
                name: "XFTPTestSupport",
                dependencies: ["XFTP", "SMP", "SimpleXCrypto", "Transport"] + nioCore + http2,
                path: "Tests/XFTPTestSupport",
                swiftSettings: tests
            ),
            .target(
                name: "ChatStoreTestSupport",
                dependencies: ["ChatStore", "SimpleXCrypto"],
                path: "Tests/ChatStoreTestSupport",
                swiftSettings: tests
            ),
            .target(
                name: "TestSupport",
                dependencies: ["JSON", "CZstd", logging],
                path: "Tests/TestSupport",
                swiftSettings: tests
            ),
            .target(
                name: "StoreSupport",
                dependencies: ["ChatCore", "ChatStore", "Agent", "SQLCipher", "SimpleXCrypto"],
                path: "Tests/StoreSupport",
                swiftSettings: tests
            ),
            // Other programs that tests and measurements start.
            .target(name: "ServerSupport", path: "Tests/ServerSupport", swiftSettings: tests),
            .executableTarget(
                name: "gateway-bench",
                dependencies: [
                    "Agent", "ComparedProtocols", "Clocks", "Descriptors", "SMP", "JSON", "SQLCipher",
                    "SimpleXCrypto", "Files",
                    "Transport", "CMicrohttpd", "ServerSupport", "simplex-gateway",
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                    .product(name: "NIOHTTP1", package: "swift-nio"),
                ] + nioCore,
                swiftSettings: built
            ),
            // Reads databases of others for programs that load libsimplex.so, and for tests.
            .executableTarget(name: "foreign-reader", dependencies: ["ForeignData"], swiftSettings: built),
            .executableTarget(
                name: "simplex-gateway",
                dependencies: [
                    "Agent", "Broker", "ForeignData", "Gateway", "NameResolving", "ObjectStorage", "OutgoingHTTP",
                    "Placement", "SimpleXCrypto", "ChatAPI", "ChatCore", "ChatStore", "RelayBase", "SMPRelay",
                    "XFTPRelay", "SMP",
                    "XFTP", "NTF",
                    "Transport",
                    "JSON", "Clocks", "Concurrency", "Descriptors", "Files", "Prometheus", "QR", logging, nioCoreOnly,
                    nioPosix,
                    .product(name: "NIOHTTP1", package: "swift-nio"),
                    .product(name: "ArgumentParser", package: "swift-argument-parser"),
                ],
                swiftSettings: built
            ),
            .testTarget(
                name: "simplex-gatewayTests",
                dependencies: [
                    "simplex-gateway", "SMP", "SMPTestSupport", "SimpleXCrypto", "SQLCipher", "XFTP", "ZIP", "JSON",
                    "ServerSupport", "TestSupport",
                ] + nioCore,
                swiftSettings: tests
            ),
        ],
    swiftLanguageModes: [.v6]
)

// `SXGW_TESTS=SMP,Agent` leaves the tests of these modules, and the targets below them: they are built without the
// rest.
if let modules = Context.environment["SXGW_TESTS"], !modules.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    var next = modules.split(separator: ",").map { "\($0)Tests" }
    while let name = next.popLast() {
        guard let target = targets[name], kept.insert(name).inserted else { continue }
        for case .byNameItem(let below, _) in target.dependencies { next.append(below) }
        for case .targetItem(let below, _) in target.dependencies { next.append(below) }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
