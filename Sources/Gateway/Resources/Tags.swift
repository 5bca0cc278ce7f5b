internal import ChatAPI

/// Routes for the tags of chats.
enum TagsResource {
    static let routes: [Route] = [
        .makeCommandRoute(
            .get,
            "/v1/users/{userId}/tags",
            "listTags",
            .getChatTags,
            category: "Tags",
            policy: .storeData,
            cached: true
        ) { context throws(ProblemDetails) in
            .tags(.getChatTags(userId: try context.parseID("userId")))
        },
        .makeCommandRoute(
            .post,
            "/v1/users/{userId}/tags",
            "createTag",
            .createChatTag,
            category: "Tags",
            policy: .storeData,
            success: .created { _, _ in nil }
        ) { context throws(ProblemDetails) in
            .tags(.createChatTag(tag: try context.decodeTag()))
        },
        .makeCommandRoute(
            .delete,
            "/v1/users/{userId}/tags/{tagId}",
            "deleteTag",
            .deleteChatTag,
            category: "Tags",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .tags(.deleteChatTag(tagId: try context.parseID("tagId")))
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/tags/{tagId}",
            "setTag",
            .updateChatTag,
            category: "Tags",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .tags(.updateChatTag(tagId: try context.parseID("tagId"), tagData: try context.decodeTag()))
        },
        .makeCommandRoute(
            .put,
            "/v1/users/{userId}/tags/order",
            "setTagOrder",
            .reorderChatTags,
            category: "Tags",
            policy: .storeData
        ) { context throws(ProblemDetails) in
            .tags(.reorderChatTags(tagIds: try context.parseBody().decodeValue("tagIds")))
        },
    ]
}

extension RouteContext {
    fileprivate func decodeTag() throws(ProblemDetails) -> ChatTagData {
        let body = try parseBody()
        return ChatTagData(emoji: try body.decodeIfPresent("emoji"), text: try body.decodeValue("text"))
    }
}
