internal import ChatAPI
internal import JSON

/// Routes for the address of a profile.
enum AddressResource {
    static let routes: [Route] = [
        .command(
            .post,
            "/v1/users/{userId}/address",
            "createAddress",
            .createMyAddress,
            category: "Address",
            policy: .secrets,
            success: .created { _, context in "/v1/users/\(context.parameters["userId"] ?? "")/address" }
        ) { context throws(ProblemDetails) in
            .address(.createMyAddress(userId: try context.id("userId")))
        },
        .command(
            .delete,
            "/v1/users/{userId}/address",
            "deleteAddress",
            .deleteMyAddress,
            category: "Address",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .address(.deleteMyAddress(userId: try context.id("userId")))
        },
        .command(
            .get,
            "/v1/users/{userId}/address",
            "getAddress",
            .showMyAddress,
            category: "Address",
            policy: .secrets,
            cached: true
        ) { context throws(ProblemDetails) in
            .address(.showMyAddress(userId: try context.id("userId")))
        },
        .command(
            .post,
            "/v1/users/{userId}/address/short-link",
            "createAddressShortLink",
            .addMyAddressShortLink,
            category: "Address",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            .address(.addMyAddressShortLink(userId: try context.id("userId")))
        },
        .command(
            .put,
            "/v1/users/{userId}/address/settings",
            "setAddressSettings",
            .setAddressSettings,
            category: "Address",
            policy: .secrets
        ) { context throws(ProblemDetails) in
            let settings: AddressSettings = try context.body().value("addressSettings")
            try settings.autoReply?.checkPicture(at: JSONPointer(["addressSettings", "autoReply"]))
            return .address(
                .setAddressSettings(userId: try context.id("userId"), addressSettings: settings)
            )
        },
        Route(
            .put,
            "/v1/users/{userId}/address/domain",
            "setAddressDomain",
            .setUserDomain,
            category: "Address",
            policy: .secrets
        ),
        Route(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/verify-domain",
            "verifyContactDomain",
            .verifyContactDomain,
            category: "Address",
            policy: .secrets
        ),
        Route(
            .post,
            "/v1/users/{userId}/groups/{groupId}/verify-domain",
            "verifyGroupDomain",
            .verifyGroupDomain,
            category: "Address",
            policy: .secrets
        ),
    ]
}
