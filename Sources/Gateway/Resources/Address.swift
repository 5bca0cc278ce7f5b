internal import ChatAPI

/// The address of a profile.
enum Address {
    static let routes: [Route] = [
        .command(
            .post, "/v1/users/{userId}/address", .createMyAddress, room: "Address",
            success: .created { _, context in "/v1/users/\(context.parameters["userId"] ?? "")/address" }
        ) { context throws(ProblemDetails) in
            .address(.createMyAddress(userId: try context.id("userId")))
        },
        .command(.delete, "/v1/users/{userId}/address", .deleteMyAddress, room: "Address") { context throws(ProblemDetails) in
            .address(.deleteMyAddress(userId: try context.id("userId")))
        },
        .command(.get, "/v1/users/{userId}/address", .showMyAddress, room: "Address", cached: true) { context throws(ProblemDetails) in
            .address(.showMyAddress(userId: try context.id("userId")))
        },
        .command(.post, "/v1/users/{userId}/address/short-link", .addMyAddressShortLink, room: "Address") { context throws(ProblemDetails) in
            .address(.addMyAddressShortLink(userId: try context.id("userId")))
        },
        .command(.put, "/v1/users/{userId}/address/in-profile", .setProfileAddress, room: "Address") { context throws(ProblemDetails) in
            .address(.setProfileAddress(userId: try context.id("userId"), enable: try context.body().value("enable")))
        },
        .command(.put, "/v1/users/{userId}/address/settings", .setAddressSettings, room: "Address") { context throws(ProblemDetails) in
            .address(.setAddressSettings(userId: try context.id("userId"), addressSettings: try context.body().value("addressSettings")))
        },
        Route(.put, "/v1/users/{userId}/address/domain", .setUserDomain, room: "Address"),
        Route(.post, "/v1/users/{userId}/contacts/{contactId}/verify-domain", .verifyContactDomain, room: "Address"),
        Route(.post, "/v1/users/{userId}/groups/{groupId}/verify-domain", .verifyGroupDomain, room: "Address"),
    ]
}
