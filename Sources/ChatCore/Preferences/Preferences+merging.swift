internal import ChatAPI

extension FeaturePreference {
    var api: SimplePreference { SimplePreference(allow: allow) }
    var apiTimed: TimedMessagesPreference { TimedMessagesPreference(allow: allow, ttl: ttl.map { Int(clamping: $0) }) }
}

extension FullPreferences {
    /// The user's preferences for all contacts, and the default for each feature without a preference.
    init(_ preferences: Preferences?) {
        func of(_ feature: DirectFeature) -> FeaturePreference {
            preferences?.preference(of: feature) ?? feature.standard
        }
        self.init(
            timedMessages: of(.timedMessages).apiTimed,
            fullDelete: of(.fullDelete).api,
            reactions: of(.reactions).api,
            voice: of(.voice).api,
            files: of(.files).api,
            calls: of(.calls).api,
            sessions: of(.sessions).api,
            commands: preferences?.commands ?? []
        )
    }
}

extension Preferences {
    /// The complete preferences. A preference for one contact takes precedence over a preference for all contacts, and
    /// both take precedence over the default.
    init(merging forContact: Preferences, over standard: Preferences?) {
        func of(_ feature: DirectFeature) -> FeaturePreference {
            forContact.preference(of: feature) ?? standard?.preference(of: feature) ?? feature.standard
        }
        self.init(
            timedMessages: of(.timedMessages).apiTimed,
            fullDelete: of(.fullDelete).api,
            reactions: of(.reactions).api,
            voice: of(.voice).api,
            files: of(.files).api,
            calls: of(.calls).api,
            sessions: of(.sessions).api,
            commands: forContact.commands ?? standard?.commands ?? []
        )
    }
}

extension ContactUserPreferences {
    init(_ contact: ContactRecord, user: UserRecord) {
        func of(_ feature: DirectFeature) -> ContactUserPreference {
            let state = contact.feature(feature, user: user)
            let own = SimplePreference(allow: state.user.allow, ttl: state.user.ttl.map { Int(clamping: $0) })
            let theirs = SimplePreference(allow: state.contact.allow, ttl: state.contact.ttl.map { Int(clamping: $0) })
            // A contact with an incognito profile of the user does not get the user's preferences for all contacts.
            let isForAll = state.isUserDefault && !contact.isIncognito
            return ContactUserPreference(
                enabled: state.enabled.api,
                userPreference: isForAll ? .user(preference: own) : .contact(preference: own),
                contactPreference: theirs
            )
        }
        self.init(
            timedMessages: of(.timedMessages),
            fullDelete: of(.fullDelete),
            reactions: of(.reactions),
            voice: of(.voice),
            files: of(.files),
            calls: of(.calls),
            sessions: of(.sessions),
            commands: contact.profile.preferences?.commands
        )
    }
}
