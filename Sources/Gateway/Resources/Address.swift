internal import ChatAPI
internal import JSON

/// Routes for the address of a profile.
enum AddressResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/address",
            "createAddress",
            .createMyAddress,
            category: "Address",
            policy: .secretData,
            success: .created { _, context in "/v1/users/\(context.parameters["userId"] ?? "")/address" }
        ) { context throws(ProblemDetails) in
            .address(.createMyAddress(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/address",
            "deleteAddress",
            .deleteMyAddress,
            category: "Address",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .address(.deleteMyAddress(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/address",
            "getAddress",
            .showMyAddress,
            category: "Address",
            policy: .secretData,
            cached: true,
            patched: patchedAddress
        ) { context throws(ProblemDetails) in
            .address(.showMyAddress(userId: try context.parseID("userId")))
        },
        .makePatchRoute(
            "/v1/users/{userId}/address",
            "updateAddress",
            [.setAddressSettings],
            category: "Address",
            scopes: [.read, .write],
            policy: .secretData,
            of: patchedAddress
        ) { context, patch throws(ProblemDetails) in
            let userId = try context.parseID("userId")
            patch.setWholeValue(["businessAddress", "autoAccept", "autoReply"]) {
                (settings: AddressSettings) throws(ProblemDetails) in
                try settings.autoReply?.checkPicture(at: JSONPointer(["autoReply"]))
                return .address(.setAddressSettings(userId: userId, addressSettings: settings))
            }
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/address/short-link",
            "createAddressShortLink",
            .addMyAddressShortLink,
            category: "Address",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .address(.addMyAddressShortLink(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/address/domain",
            "setAddressDomain",
            .setUserDomain,
            category: "Address",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .address(
                .setUserDomain(
                    userId: try context.parseID("userId"),
                    simplexDomain: try context.parseBody().decodeIfPresent("simplexDomain")
                )
            )
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/contacts/{contactId}/verify-domain",
            "verifyContactDomain",
            .verifyContactDomain,
            category: "Address",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .address(.verifyContactDomain(contactId: try context.parseID("contactId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/groups/{groupId}/verify-domain",
            "verifyGroupDomain",
            .verifyGroupDomain,
            category: "Address",
            policy: .secretData
        ) { context throws(ProblemDetails) in
            .address(.verifyGroupDomain(groupId: try context.parseID("groupId")))
        },
    ]

    /// The settings of an address, which clients can change by a patch.
    private static let patchedAddress = PatchedResource { context throws(ProblemDetails) in
        .address(.showMyAddress(userId: try context.parseID("userId")))
    } changeableValues: { response in
        guard case .userContactLink(_, let link) = response else { return [] }
        return PatchedResource.collectMembers(of: link.addressSettings)
    }
}
