internal import SQLCipher

/// The schema of the chat database of the official apps in version 7.0.0.6. The tables and indices were read from a
/// database of this version with SQLite's PRAGMAs. No PRAGMA shows CHECK, AUTOINCREMENT and deferred references: these
/// facts were read from the definitions of the tables in the same database.
package enum AppChatSchema {
    package static var tables: [String] { schemaFacts.tables }
    /// The SQL statements that create the indices and triggers.
    package static var indicesAndTriggers: [String] { schemaFacts.indices + triggers }

    /// The triggers that count the current members of each group.
    private static let triggers: [String] = {
        let isCurrent = "IN (SELECT member_status FROM group_member_status_predicates WHERE current_member = 1)"
        let (old, new) = ("OLD.member_status \(isCurrent)", "NEW.member_status \(isCurrent)")
        func makeTrigger(_ event: String, _ condition: String, adding difference: String, to row: String) -> String {
            """
            CREATE TRIGGER on_group_members_\(event)_update_summary AFTER \(event.uppercased()) ON group_members
            WHEN \(condition) BEGIN
              UPDATE groups SET summary_current_members_count = summary_current_members_count + \(difference)
              WHERE group_id = \(row).group_id;
            END
            """
        }
        return [
            makeTrigger("insert", new, adding: "1", to: "NEW"),
            makeTrigger("delete", old, adding: "(-1)", to: "OLD"),
            makeTrigger("update", "(\(old)) <> (\(new))", adding: "(\(new)) - (\(old))", to: "NEW"),
        ]
    }()

    /// The table `snd_file_chunks` of versions before 7.0, as the list of unread contents names it. It is not
    /// reported as omitted, because it contains no data of a profile.
    package static let ignoredOmittedTable = "table snd_file_chunks"

    /// The member statuses of version 7.0.0.6, and whether a member with the status is a current member.
    package static let isCurrentByMemberStatus: [(String, Bool)] =
        ["rejected", "removed", "left", "deleted", "unknown", "invited", "pending_approval", "pending_review"].map {
            ($0, false)
        }
        + ["introduced", "intro-inv", "accepted", "announced", "connected", "complete", "creator"].map { ($0, true) }

    private static let schemaFacts = SchemaNotation(
        """
        migrations
          name text key required
          ts text required
          down text
        contact_profiles
          contact_profile_id integer key
          display_name text required
          full_name text required
          properties text required = '{}'
          created_at text checked
          updated_at text checked
          image text
          user_id integer = NULL -> users delete cascade
          incognito integer
          local_alias text checked = ''
          preferences text
          contact_link blob
          short_descr text
          chat_peer_type text
          badge_proof blob
          badge_pres_header blob
          badge_expiry text
          badge_type text
          badge_verified integer
          badge_extra text
          badge_master_key blob
          badge_signature blob
          badge_key_idx integer
          contact_domain text
          contact_domain_proof text
          contact_domain_verified integer
          index contact_profiles_index (display_name, full_name)
          index idx_contact_profiles_contact_link (user_id, contact_link)
          index idx_contact_profiles_user_id (user_id)
        users
          user_id integer key
          contact_id integer required unique -> contacts delete restrict deferred
          local_display_name text required unique
          active_user integer required = 0
          created_at text checked
          updated_at text checked
          agent_user_id integer checked
          view_pwd_hash blob
          view_pwd_salt blob
          show_ntfs integer required = 1
          send_rcpts_contacts integer required = 0
          send_rcpts_small_groups integer required = 0
          user_member_profile_updated_at text
          ui_themes text
          active_order integer required = 0
          auto_accept_member_contacts integer required = 0
          is_user_chat_relay integer required = 0
          client_service integer required = 0
          + (user_id, local_display_name) -> display_names (user_id, \
        local_display_name) delete restrict update cascade deferred
        display_names without rowid
          user_id integer required -> users delete cascade
          local_display_name text required
          ldn_base text required
          ldn_suffix integer required = 0
          created_at text checked
          updated_at text checked
          + key (user_id, local_display_name)
          + unique (user_id, ldn_base, ldn_suffix)
        contacts
          contact_id integer key
          contact_profile_id integer -> contact_profiles delete set null
          user_id integer required -> users delete cascade
          local_display_name text required
          is_user integer required = 0
          created_at text required = datetime('now')
          updated_at text checked
          xcontact_id blob
          enable_ntfs integer
          unread_chat integer checked = 0
          contact_used integer checked = 0
          user_preferences text checked = '{}'
          chat_ts text
          deleted integer required = 0
          favorite integer required = 0
          send_rcpts integer
          contact_group_member_id integer -> group_members (group_member_id) delete set null
          contact_grp_inv_sent integer required = 0
          contact_status text required = 'active'
          custom_data blob
          ui_themes text
          chat_deleted integer required = 0
          chat_item_ttl integer
          conn_full_link_to_connect blob
          conn_short_link_to_connect blob
          welcome_shared_msg_id blob
          request_shared_msg_id blob
          contact_request_id integer -> contact_requests delete set null
          grp_direct_inv_link blob
          grp_direct_inv_from_group_id integer -> groups (group_id) delete set null
          grp_direct_inv_from_group_member_id integer -> group_members (group_member_id) delete set null
          grp_direct_inv_from_member_conn_id integer -> connections (connection_id) delete set null
          grp_direct_inv_started_connection integer required = 0
          + unique (user_id, contact_profile_id)
          + unique (user_id, local_display_name)
          + (user_id, local_display_name) -> display_names (user_id, local_display_name) delete cascade update cascade
          index idx_contacts_chat_ts (user_id, chat_ts)
          index idx_contacts_contact_group_member_id (contact_group_member_id)
          index idx_contacts_contact_profile_id (contact_profile_id)
          index idx_contacts_contact_request_id (contact_request_id)
          index idx_contacts_grp_direct_inv_from_group_id (grp_direct_inv_from_group_id)
          index idx_contacts_grp_direct_inv_from_group_member_id (grp_direct_inv_from_group_member_id)
          index idx_contacts_grp_direct_inv_from_member_conn_id (grp_direct_inv_from_member_conn_id)
          index idx_contacts_xcontact_id (xcontact_id)
        known_servers without rowid
          server_id integer key required
          host text required
          port text required
          key_hash blob
          user_id integer required -> users delete cascade
          created_at text checked
          updated_at text checked
          + unique (user_id, host, port)
        group_profiles
          group_profile_id integer key
          display_name text required
          full_name text required
          properties text required = '{}'
          created_at text checked
          updated_at text checked
          image text
          user_id integer = NULL -> users delete cascade
          preferences text
          description text
          member_admission text
          short_descr text
          group_type text
          group_link blob
          public_group_id blob
          group_web_page text
          group_domain text
          domain_web_page integer
          allow_embedding integer
          group_domain_proof text
          index idx_group_profiles_user_id (user_id)
        groups
          group_id integer key
          user_id integer required -> users delete cascade
          local_display_name text required
          group_profile_id integer -> group_profiles delete set null
          inv_queue_info blob
          created_at text checked
          updated_at text checked
          chat_item_id integer = NULL -> chat_items delete set null
          enable_ntfs integer
          unread_chat integer checked = 0
          chat_ts text
          favorite integer required = 0
          send_rcpts integer
          via_group_link_uri_hash blob
          user_member_profile_sent_at text
          custom_data blob
          ui_themes text
          business_member_id blob
          business_chat text
          business_xcontact_id blob
          customer_member_id blob
          chat_item_ttl integer
          local_alias text = ''
          members_require_attention integer required = 0
          conn_full_link_to_connect blob
          conn_short_link_to_connect blob
          conn_link_started_connection integer required = 0
          welcome_shared_msg_id blob
          request_shared_msg_id blob
          conn_link_prepared_connection integer required = 0
          via_group_link_uri blob
          summary_current_members_count integer required = 0
          member_index integer required = 0
          use_relays integer required = 0
          creating_in_progress integer required = 0
          relay_own_status text
          relay_request_inv_id blob
          relay_request_group_link blob
          relay_request_peer_chat_min_version integer
          relay_request_peer_chat_max_version integer
          relay_request_failed integer = 0
          relay_request_err_reason text
          root_priv_key blob
          root_pub_key blob
          member_priv_key blob
          public_member_count integer
          relay_request_retries integer required = 0
          relay_request_delay integer required = 0
          relay_request_execute_at text required = '1970-01-01 00:00:00'
          relay_inactive_at text
          relay_sent_web_domain text
          roster_version integer
          roster_msg_body blob
          roster_msg_chat_binding text
          roster_msg_signatures blob
          roster_sending_owner_gm_id integer
          roster_broker_ts text
          roster_blob blob
          group_domain_verified integer
          stored_roster_version integer
          applied_complete_roster_version integer
          + unique (user_id, group_profile_id)
          + unique (user_id, local_display_name)
          + (user_id, local_display_name) -> display_names (user_id, local_display_name) delete cascade update cascade
          index idx_groups_business_xcontact_id (business_xcontact_id)
          index idx_groups_chat_item_id (chat_item_id)
          index idx_groups_chat_ts (user_id, chat_ts)
          index idx_groups_group_profile_id (group_profile_id)
          index idx_groups_inv_queue_info (inv_queue_info)
          index idx_groups_relay_request_group_link (user_id, \
        relay_request_group_link) where relay_request_group_link IS NOT NULL
          index idx_groups_summary_current_members_count (summary_current_members_count)
          index idx_groups_via_group_link_uri_hash (user_id, via_group_link_uri_hash)
        group_members
          group_member_id integer key
          group_id integer required -> groups delete cascade
          member_id blob required
          member_role text required
          member_category text required
          member_status text required
          invited_by integer -> contacts (contact_id) delete set null
          sent_inv_queue_info blob
          group_queue_info blob
          direct_queue_info blob
          user_id integer required -> users delete cascade
          local_display_name text required
          contact_profile_id integer required -> contact_profiles delete cascade
          contact_id integer -> contacts delete cascade
          created_at text checked
          updated_at text checked
          member_profile_id integer -> contact_profiles delete set null
          show_messages integer required = 1
          xgrplinkmem_received integer required = 0
          invited_by_group_member_id integer -> group_members delete set null
          peer_chat_min_version integer required = 1
          peer_chat_max_version integer required = 1
          member_restriction text
          support_chat_ts text
          support_chat_items_unread integer required = 0
          support_chat_items_member_attention integer required = 0
          support_chat_items_mentions integer required = 0
          support_chat_last_msg_from_member_ts text
          member_xcontact_id blob
          member_welcome_shared_msg_id blob
          index_in_group integer required = 0
          member_relations_vector blob
          relay_link blob
          member_pub_key blob
          removed_at text
          roster_served_version integer
          + unique (group_id, member_id)
          + (user_id, local_display_name) -> display_names (user_id, local_display_name) delete cascade update cascade
          index idx_group_members_contact_id (contact_id)
          index idx_group_members_contact_profile_id (contact_profile_id)
          index idx_group_members_group_id (user_id, group_id)
          unique index idx_group_members_group_id_index_in_group (group_id, index_in_group)
          index idx_group_members_invited_by (invited_by)
          index idx_group_members_invited_by_group_member_id (invited_by_group_member_id)
          index idx_group_members_member_profile_id (member_profile_id)
          index idx_group_members_user_id (user_id)
          index idx_group_members_user_id_local_display_name (user_id, local_display_name)
        group_member_intros
          group_member_intro_id integer key
          re_group_member_id integer required -> group_members (group_member_id) delete cascade
          to_group_member_id integer required -> group_members (group_member_id) delete cascade
          group_queue_info blob
          direct_queue_info blob
          intro_status text required
          created_at text checked
          updated_at text checked
          intro_chat_protocol_version integer required = 3
          + unique (re_group_member_id, to_group_member_id)
          index idx_group_member_intros_re_group_member_id (re_group_member_id)
          index idx_group_member_intros_to_group_member_id (to_group_member_id)
        files
          file_id integer key
          contact_id integer -> contacts delete cascade
          group_id integer -> groups delete cascade
          file_name text required
          file_path text
          file_size integer required
          chunk_size integer required
          created_at text required = datetime('now')
          user_id integer required -> users delete cascade
          chat_item_id integer = NULL -> chat_items delete cascade
          updated_at text checked
          cancelled integer
          ci_file_status text
          file_inline text
          agent_snd_file_id blob
          private_snd_file_descr text
          agent_snd_file_deleted integer checked = 0
          protocol text required = 'smp'
          file_crypto_key blob
          file_crypto_nonce blob
          note_folder_id integer = NULL -> note_folders delete cascade
          redirect_file_id integer -> files delete cascade
          shared_msg_id blob
          file_type text required = 'normal'
          roster_transfer_id integer
          index files_note_folder_id (note_folder_id)
          index idx_files_chat_item_id (chat_item_id)
          index idx_files_contact_id (contact_id)
          index idx_files_group_id (group_id)
          index idx_files_group_id_shared_msg_id (group_id, shared_msg_id)
          index idx_files_redirect_file_id (redirect_file_id)
          index idx_files_roster_transfer_id (roster_transfer_id)
          index idx_files_user_id (user_id)
        snd_files without rowid
          file_id integer required -> files delete cascade
          connection_id integer required -> connections delete cascade
          file_status text required
          group_member_id integer -> group_members delete cascade
          created_at text checked
          updated_at text checked
          file_inline text
          last_inline_msg_delivery_id integer
          file_descr_id integer -> xftp_file_descriptions delete set null
          + key (file_id, connection_id)
          index idx_snd_files_connection_id (connection_id)
          index idx_snd_files_file_descr_id (file_descr_id)
          index idx_snd_files_file_id (file_id)
          index idx_snd_files_group_member_id (group_member_id)
          unique index idx_snd_files_last_inline_msg_delivery_id (last_inline_msg_delivery_id)
        rcv_files
          file_id integer key -> files delete cascade
          file_status text required
          group_member_id integer -> group_members delete cascade
          file_queue_info blob
          created_at text checked
          updated_at text checked
          rcv_file_inline text
          file_inline text
          file_descr_id integer -> xftp_file_descriptions delete set null
          agent_rcv_file_id blob
          agent_rcv_file_deleted integer checked = 0
          to_receive integer
          user_approved_relays integer required = 0
          index idx_rcv_files_file_descr_id (file_descr_id)
          index idx_rcv_files_group_member_id (group_member_id)
        rcv_file_chunks without rowid
          file_id integer required -> rcv_files delete cascade
          chunk_number integer required
          chunk_agent_msg_id integer required
          chunk_stored integer required = 0
          created_at text checked
          updated_at text checked
          + key (file_id, chunk_number)
          index idx_rcv_file_chunks_file_id (file_id)
        connections
          connection_id integer key
          agent_conn_id blob required unique
          conn_level integer required = 0
          via_contact integer -> contacts (contact_id) delete set null
          conn_status text required
          conn_type text required
          user_contact_link_id integer -> user_contact_links delete cascade
          contact_id integer -> contacts delete cascade
          group_member_id integer -> group_members delete cascade
          snd_file_id integer
          rcv_file_id integer -> rcv_files (file_id) delete cascade
          created_at text required = datetime('now')
          user_id integer required -> users delete cascade
          updated_at text checked
          via_contact_uri_hash blob
          xcontact_id blob
          via_user_contact_link integer = NULL -> user_contact_links (user_contact_link_id) delete set null
          custom_user_profile_id integer -> contact_profiles delete set null
          conn_req_inv blob
          local_alias text checked = ''
          via_group_link integer checked = 0
          group_link_id blob
          security_code text
          security_code_verified_at text
          auth_err_counter integer checked = 0
          peer_chat_min_version integer required = 1
          peer_chat_max_version integer required = 1
          to_subscribe integer required = 0
          contact_conn_initiated integer required = 0
          conn_chat_version integer
          pq_support integer required = 0
          pq_encryption integer required = 0
          pq_snd_enabled integer
          pq_rcv_enabled integer
          quota_err_counter integer required = 0
          short_link_inv blob
          via_short_link_contact blob
          via_contact_uri blob
          relay_test integer required = 0
          + (snd_file_id, connection_id) -> snd_files (file_id, connection_id) delete cascade deferred
          index idx_connections_conn_req_inv (user_id, conn_req_inv)
          unique index idx_connections_contact_id (contact_id)
          index idx_connections_custom_user_profile_id (custom_user_profile_id)
          index idx_connections_group_member (user_id, group_member_id)
          unique index idx_connections_group_member_id (group_member_id)
          index idx_connections_rcv_file_id (rcv_file_id)
          index idx_connections_to_subscribe (user_id, to_subscribe)
          index idx_connections_updated_at (user_id, updated_at)
          index idx_connections_user_contact_link_id (user_contact_link_id)
          index idx_connections_via_contact (via_contact)
          index idx_connections_via_contact_uri_hash (user_id, via_contact_uri_hash)
          index idx_connections_via_user_contact_link (via_user_contact_link)
        user_contact_links
          user_contact_link_id integer key
          conn_req_contact blob required
          local_display_name text required = ''
          created_at text required = datetime('now')
          user_id integer required -> users delete cascade
          updated_at text checked
          auto_accept integer = 0
          auto_reply_msg_content text = NULL
          group_id integer -> groups delete cascade
          auto_accept_incognito integer checked = 0
          group_link_id blob
          group_link_member_role text
          business_address integer = 0
          short_link_contact blob
          short_link_data_set integer required = 0
          short_link_large_data_set integer required = 0
          link_priv_sig_key blob
          + unique (user_id, local_display_name)
          unique index idx_user_contact_links_group_id (group_id)
        contact_requests
          contact_request_id integer key
          user_contact_link_id integer -> user_contact_links delete set null update cascade
          agent_invitation_id blob required
          contact_profile_id integer -> contact_profiles delete set null deferred
          local_display_name text required
          created_at text required = datetime('now')
          user_id integer required -> users delete cascade
          updated_at text checked
          xcontact_id blob
          peer_chat_min_version integer required = 1
          peer_chat_max_version integer required = 1
          pq_support integer required = 0
          contact_id integer -> contacts delete cascade
          business_group_id integer -> groups (group_id) delete cascade
          welcome_shared_msg_id blob
          request_shared_msg_id blob
          + unique (user_id, contact_profile_id)
          + unique (user_id, local_display_name)
          + (user_id, local_display_name) -> display_names (user_id, \
        local_display_name) delete cascade update cascade deferred
          index idx_contact_requests_business_group_id (business_group_id)
          index idx_contact_requests_contact_id (contact_id)
          index idx_contact_requests_contact_profile_id (contact_profile_id)
          index idx_contact_requests_updated_at (user_id, updated_at)
          index idx_contact_requests_user_contact_link_id (user_contact_link_id)
          index idx_contact_requests_xcontact_id (user_id, xcontact_id)
        messages
          message_id integer key
          msg_sent integer required
          chat_msg_event text required
          msg_body blob
          created_at text required = datetime('now')
          updated_at text checked
          connection_id integer = NULL -> connections delete cascade
          group_id integer = NULL -> groups delete cascade
          shared_msg_id blob
          shared_msg_id_user integer
          author_group_member_id integer -> group_members delete set null
          forwarded_by_group_member_id integer -> group_members delete set null
          broker_ts text
          msg_chat_binding text
          msg_signatures blob
          index idx_messages_author_group_member_id (author_group_member_id)
          index idx_messages_connection_id (connection_id)
          index idx_messages_created_at (created_at)
          index idx_messages_forwarded_by_group_member_id (forwarded_by_group_member_id)
          index idx_messages_group_id (group_id)
          index idx_messages_group_id_shared_msg_id (group_id, shared_msg_id)
          index idx_messages_shared_msg_id (shared_msg_id)
        pending_group_messages
          pending_group_message_id integer key
          group_member_id integer required -> group_members delete cascade
          message_id integer required -> messages delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_pending_group_messages_group_member_id (group_member_id)
          index idx_pending_group_messages_message_id (message_id)
        chat_items
          chat_item_id integer key autoincrement
          user_id integer required -> users delete cascade
          contact_id integer -> contacts delete cascade
          group_id integer -> groups delete cascade
          group_member_id integer -> group_members delete set null
          chat_msg_id integer
          created_by_msg_id integer unique -> messages (message_id) delete set null
          item_sent integer required
          item_ts text required
          item_deleted integer required = 0
          item_content text required
          item_text text required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          item_status text checked
          shared_msg_id blob
          quoted_shared_msg_id blob
          quoted_sent_at text
          quoted_content text
          quoted_sent integer
          quoted_member_id blob
          item_edited integer
          timed_ttl integer
          timed_delete_at text
          item_live integer
          item_deleted_by_group_member_id integer -> group_members delete set null
          item_deleted_ts text
          forwarded_by_group_member_id integer -> group_members delete set null
          item_content_tag text
          note_folder_id integer = NULL -> note_folders delete cascade
          fwd_from_tag text
          fwd_from_chat_name text
          fwd_from_msg_dir integer
          fwd_from_contact_id integer -> contacts delete set null
          fwd_from_group_id integer -> groups delete set null
          fwd_from_chat_item_id integer -> chat_items delete set null
          via_proxy integer
          msg_content_tag text
          include_in_history integer required = 0
          user_mention integer required = 0
          group_scope_tag text
          group_scope_group_member_id integer -> group_members (group_member_id) delete cascade
          show_group_as_sender integer required = 0
          has_link integer required = 0
          msg_signed text
          item_viewed integer required = 0
          index chat_items_note_folder_id (note_folder_id)
          index idx_chat_items_contact_id (contact_id)
          index idx_chat_items_contacts (user_id, contact_id, item_status, created_at)
          index idx_chat_items_contacts_created_at (user_id, contact_id, created_at)
          index idx_chat_items_contacts_has_link_created_at (user_id, contact_id, has_link, created_at)
          index idx_chat_items_contacts_item_viewed (user_id, contact_id, item_viewed, created_at)
          index idx_chat_items_contacts_msg_content_tag_created_at (user_id, contact_id, msg_content_tag, created_at)
          unique index idx_chat_items_direct_shared_msg_id (user_id, contact_id, shared_msg_id)
          index idx_chat_items_forwarded_by_group_member_id (forwarded_by_group_member_id)
          index idx_chat_items_fwd_from_chat_item_id (fwd_from_chat_item_id)
          index idx_chat_items_fwd_from_contact_id (fwd_from_contact_id)
          index idx_chat_items_fwd_from_group_id (fwd_from_group_id)
          index idx_chat_items_group_id (group_id)
          index idx_chat_items_group_id_shared_msg_id (group_id, shared_msg_id)
          index idx_chat_items_group_member_id (group_member_id)
          index idx_chat_items_group_scope_group_member_id (group_scope_group_member_id)
          index idx_chat_items_group_scope_item_status (user_id, group_id, group_scope_tag, \
        group_scope_group_member_id, item_status, item_ts)
          index idx_chat_items_group_scope_item_ts (user_id, group_id, group_scope_tag, group_scope_group_member_id, \
        item_ts)
          index idx_chat_items_group_scope_stats_all (user_id, group_id, group_scope_tag, \
        group_scope_group_member_id, item_status, chat_item_id, user_mention)
          unique index idx_chat_items_group_shared_msg_id (user_id, group_id, group_member_id, shared_msg_id)
          index idx_chat_items_groups (user_id, group_id, item_status, item_ts)
          index idx_chat_items_groups_has_link_item_ts (user_id, group_id, has_link, item_ts)
          index idx_chat_items_groups_history (user_id, group_id, include_in_history, item_deleted, item_ts, \
        chat_item_id)
          index idx_chat_items_groups_item_ts (user_id, group_id, item_ts)
          index idx_chat_items_groups_item_viewed (user_id, group_id, item_viewed, item_ts)
          index idx_chat_items_groups_msg_content_tag_deleted (user_id, group_id, msg_content_tag, item_deleted, \
        item_sent)
          index idx_chat_items_groups_msg_content_tag_item_ts (user_id, group_id, msg_content_tag, item_ts)
          index idx_chat_items_groups_user_mention (user_id, group_id, item_status, user_mention)
          index idx_chat_items_item_deleted_by_group_member_id (item_deleted_by_group_member_id)
          index idx_chat_items_item_status (item_status)
          index idx_chat_items_note_folder_has_link_created_at (user_id, note_folder_id, has_link, created_at)
          index idx_chat_items_note_folder_msg_content_tag_created_at (user_id, note_folder_id, msg_content_tag, \
        created_at)
          index idx_chat_items_notes (user_id, note_folder_id, item_status, created_at)
          index idx_chat_items_notes_created_at (user_id, note_folder_id, created_at)
          index idx_chat_items_timed_delete_at (user_id, timed_delete_at)
          index idx_chat_items_user_id_item_status (user_id, item_status)
        chat_item_messages
          chat_item_id integer required -> chat_items delete cascade
          message_id integer required unique -> messages delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          + unique (chat_item_id, message_id)
        calls
          call_id integer key
          contact_id integer required -> contacts delete cascade
          shared_call_id blob required
          chat_item_id integer required -> chat_items delete cascade
          call_state text required
          call_ts text required
          user_id integer required -> users delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          call_uuid text required = ""
          index idx_calls_chat_item_id (chat_item_id)
          index idx_calls_contact_id (contact_id)
          index idx_calls_user_id (user_id)
        commands
          command_id integer key autoincrement
          connection_id integer -> connections delete cascade
          command_function text required
          command_status text required
          user_id integer required -> users delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_commands_connection_id (connection_id)
          index idx_commands_user_id (user_id)
        settings
          settings_id integer key
          chat_item_ttl integer
          user_id integer required -> users delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_settings_user_id (user_id)
        protocol_servers
          smp_server_id integer key
          host text required
          port text required
          key_hash blob required
          basic_auth text
          preset integer required = 0
          tested integer
          enabled integer required = 1
          user_id integer required -> users delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          protocol text required = 'smp'
          + unique (user_id, host, port)
          index idx_smp_servers_user_id (user_id)
        xftp_file_descriptions
          file_descr_id integer key autoincrement
          user_id integer required -> users delete cascade
          file_descr_text text required
          file_descr_part_no integer required = 0
          file_descr_complete integer required = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_xftp_file_descriptions_user_id (user_id)
        extra_xftp_file_descriptions
          extra_file_descr_id integer key
          file_id integer required -> files delete cascade
          user_id integer required -> users delete cascade
          file_descr_text text required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_extra_xftp_file_descriptions_file_id (file_id)
          index idx_extra_xftp_file_descriptions_user_id (user_id)
        chat_item_versions
          chat_item_version_id integer key autoincrement
          chat_item_id integer required -> chat_items delete cascade
          msg_content text required
          item_version_ts text required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_chat_item_versions_chat_item_id (chat_item_id)
        chat_item_reactions
          chat_item_reaction_id integer key autoincrement
          item_member_id blob
          shared_msg_id blob required
          contact_id integer -> contacts delete cascade
          group_id integer -> groups delete cascade
          group_member_id integer -> group_members delete set null
          created_by_msg_id integer -> messages (message_id) delete set null
          reaction text required
          reaction_sent integer required
          reaction_ts text required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_chat_item_reactions_contact (contact_id, shared_msg_id)
          index idx_chat_item_reactions_contact_id (contact_id)
          index idx_chat_item_reactions_created_by_msg_id (created_by_msg_id)
          index idx_chat_item_reactions_group (group_id, shared_msg_id)
          index idx_chat_item_reactions_group_id (group_id)
          index idx_chat_item_reactions_group_member_id (group_member_id)
          index idx_chat_item_reactions_shared_msg_id (shared_msg_id)
        chat_item_moderations
          chat_item_moderation_id integer key
          group_id integer required -> groups delete cascade
          moderator_member_id integer required -> group_members delete cascade
          item_member_id blob required
          shared_msg_id blob required
          created_by_msg_id integer -> messages (message_id) delete set null
          moderated_at text required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_chat_item_moderations_created_by_msg_id (created_by_msg_id)
          index idx_chat_item_moderations_group (group_id, item_member_id, shared_msg_id)
          index idx_chat_item_moderations_group_id (group_id)
          index idx_chat_item_moderations_moderator_member_id (moderator_member_id)
        group_snd_item_statuses
          group_snd_item_status_id integer key
          chat_item_id integer required -> chat_items delete cascade
          group_member_id integer required -> group_members delete cascade
          group_snd_item_status text required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          via_proxy integer
          index idx_group_snd_item_statuses_chat_item_id (chat_item_id)
          index idx_group_snd_item_statuses_chat_item_id_group_member_id (chat_item_id, group_member_id)
          index idx_group_snd_item_statuses_group_member_id (group_member_id)
        sent_probes
          sent_probe_id integer key
          contact_id integer -> contacts delete cascade
          group_member_id integer -> group_members delete cascade
          probe blob required
          user_id integer required -> users delete cascade
          created_at text checked
          updated_at text checked
          + unique (user_id, probe)
          index idx_sent_probes_contact_id (contact_id)
          index idx_sent_probes_created_at (created_at)
          index idx_sent_probes_group_member_id (group_member_id)
          index idx_sent_probes_user_id (user_id)
        sent_probe_hashes
          sent_probe_hash_id integer key
          sent_probe_id integer required -> sent_probes delete cascade
          contact_id integer -> contacts delete cascade
          group_member_id integer -> group_members delete cascade
          user_id integer required -> users delete cascade
          created_at text checked
          updated_at text checked
          index idx_sent_probe_hashes_contact_id (contact_id)
          index idx_sent_probe_hashes_created_at (created_at)
          index idx_sent_probe_hashes_group_member_id (group_member_id)
          index idx_sent_probe_hashes_sent_probe_id (sent_probe_id)
          index idx_sent_probe_hashes_user_id (user_id)
        received_probes
          received_probe_id integer key
          contact_id integer -> contacts delete cascade
          group_member_id integer -> group_members delete cascade
          probe blob
          probe_hash blob required
          user_id integer required -> users delete cascade
          created_at text checked
          updated_at text checked
          index idx_received_probes_contact_id (contact_id)
          index idx_received_probes_created_at (created_at)
          index idx_received_probes_group_member_id (group_member_id)
          index idx_received_probes_probe (probe)
          index idx_received_probes_probe_hash (probe_hash)
          index idx_received_probes_user_id (user_id)
        remote_hosts
          remote_host_id integer key autoincrement
          host_device_name text required
          store_path text required
          ca_key blob required
          ca_cert blob required
          id_key blob required
          host_fingerprint blob required
          host_dh_pub blob required
          bind_addr text
          bind_iface text
          bind_port integer
          unique index idx_remote_hosts_host_fingerprint (host_fingerprint)
        remote_controllers
          remote_ctrl_id integer key autoincrement
          ctrl_device_name text required
          ca_key blob required
          ca_cert blob required
          ctrl_fingerprint blob required
          id_pub blob required
          dh_priv_key blob required
          prev_dh_priv_key blob
          unique index idx_remote_controllers_ctrl_fingerprint (ctrl_fingerprint)
        msg_deliveries
          msg_delivery_id integer key
          message_id integer required -> messages delete cascade
          connection_id integer required -> connections delete cascade
          agent_msg_id integer
          agent_msg_meta text
          chat_ts text required = datetime('now')
          created_at text checked
          updated_at text checked
          delivery_status text
          index idx_msg_deliveries_agent_msg_id (connection_id, agent_msg_id)
          index idx_msg_deliveries_message_id (message_id)
        note_folders
          note_folder_id integer key autoincrement
          user_id integer required -> users delete cascade
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          chat_ts text required = datetime('now')
          favorite integer required = 0
          unread_chat integer required = 0
          index note_folders_user_id (user_id)
        app_settings
          app_settings text required
        server_operators
          server_operator_id integer key autoincrement
          server_operator_tag text
          trade_name text required
          legal_name text
          server_domains text
          enabled integer required = 1
          smp_role_storage integer required = 1
          smp_role_proxy integer required = 1
          xftp_role_storage integer required = 1
          xftp_role_proxy integer required = 1
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          smp_role_names integer required = 0
        usage_conditions
          usage_conditions_id integer key autoincrement
          conditions_commit text required unique
          notified_at text
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
        operator_usage_conditions
          operator_usage_conditions_id integer key autoincrement
          server_operator_id integer -> server_operators (server_operator_id) delete set null update cascade
          server_operator_tag text
          conditions_commit text required
          accepted_at text
          created_at text required = datetime('now')
          auto_accepted integer = 0
          unique index idx_operator_usage_conditions_conditions_commit (conditions_commit, server_operator_id)
          index idx_operator_usage_conditions_server_operator_id (server_operator_id)
        chat_tags
          chat_tag_id integer key autoincrement
          user_id integer -> users delete cascade
          chat_tag_text text required
          chat_tag_emoji text
          tag_order integer required
          index idx_chat_tags_user_id (user_id)
          unique index idx_chat_tags_user_id_chat_tag_emoji (user_id, chat_tag_emoji)
          unique index idx_chat_tags_user_id_chat_tag_text (user_id, chat_tag_text)
        chat_tags_chats
          contact_id integer -> contacts delete cascade
          group_id integer -> groups delete cascade
          chat_tag_id integer required -> chat_tags delete cascade
          index idx_chat_tags_chats_chat_tag_id (chat_tag_id)
          unique index idx_chat_tags_chats_chat_tag_id_contact_id (contact_id, chat_tag_id)
          unique index idx_chat_tags_chats_chat_tag_id_group_id (group_id, chat_tag_id)
        chat_item_mentions
          chat_item_mention_id integer key autoincrement
          group_id integer required -> groups delete cascade
          member_id blob required
          chat_item_id integer required -> chat_items delete cascade
          display_name text required
          index idx_chat_item_mentions_chat_item_id (chat_item_id)
          unique index idx_chat_item_mentions_display_name (chat_item_id, display_name)
          index idx_chat_item_mentions_group_id (group_id)
          unique index idx_chat_item_mentions_member_id (chat_item_id, member_id)
        delivery_tasks
          delivery_task_id integer key autoincrement
          group_id integer required -> groups delete cascade
          worker_scope text required
          job_scope_spec_tag text
          job_scope_include_pending integer
          job_scope_support_gm_id integer -> group_members (group_member_id) delete cascade
          sender_group_member_id integer required -> group_members (group_member_id) delete cascade
          message_id integer -> messages delete cascade
          message_from_channel integer required = 0
          task_status text required
          task_err_reason text
          failed integer = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_delivery_tasks_created_at (created_at)
          index idx_delivery_tasks_group_id (group_id)
          index idx_delivery_tasks_job_scope_support_gm_id (job_scope_support_gm_id)
          index idx_delivery_tasks_message_id (message_id)
          index idx_delivery_tasks_next (group_id, worker_scope, failed, task_status)
          index idx_delivery_tasks_next_for_job_scope (group_id, worker_scope, job_scope_spec_tag, \
        job_scope_include_pending, job_scope_support_gm_id, failed, task_status)
          index idx_delivery_tasks_next_for_job_scope_sender (group_id, worker_scope, job_scope_spec_tag, \
        job_scope_include_pending, job_scope_support_gm_id, sender_group_member_id, failed, task_status)
          index idx_delivery_tasks_sender_group_member_id (sender_group_member_id)
        delivery_jobs
          delivery_job_id integer key autoincrement
          group_id integer required -> groups delete cascade
          worker_scope text required
          job_scope_spec_tag text
          job_scope_include_pending integer
          job_scope_support_gm_id integer -> group_members (group_member_id) delete cascade
          body blob
          cursor_group_member_id integer
          job_status text required
          job_err_reason text
          failed integer = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          sender_group_member_ids text
          index idx_delivery_jobs_created_at (created_at)
          index idx_delivery_jobs_group_id (group_id)
          index idx_delivery_jobs_job_scope_support_gm_id (job_scope_support_gm_id)
          index idx_delivery_jobs_next (group_id, worker_scope, failed, job_status)
        group_member_status_predicates
          member_status text key required
          current_member integer required = 0
        connections_sync
          connections_sync_id integer key autoincrement
          should_sync integer required = 0
          last_sync_ts text
        chat_relays
          chat_relay_id integer key
          address blob required
          display_name text required
          full_name text required = ''
          short_descr text
          image text
          domains text required
          preset integer required = 0
          tested integer
          enabled integer required = 1
          user_id integer required -> users delete cascade
          deleted integer required = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_chat_relays_user_id (user_id)
          unique index idx_chat_relays_user_id_address (user_id, address)
        group_relays
          group_relay_id integer key
          group_id integer required -> groups delete cascade
          group_member_id integer required -> group_members delete cascade
          chat_relay_id integer required -> chat_relays delete cascade
          relay_status text required
          relay_link blob
          conf_id blob
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          base_web_url text
          index idx_group_relays_chat_relay_id (chat_relay_id)
          index idx_group_relays_group_id (group_id)
          unique index idx_group_relays_group_member_id (group_member_id)
        rcv_roster_transfers
          roster_transfer_id integer key
          group_id integer required -> groups delete cascade
          from_member_id integer required -> group_members delete cascade
          roster_version integer required
          roster_digest blob required
          sending_owner_gm_id integer required
          broker_ts text required
          roster_msg_body blob
          roster_msg_chat_binding text
          roster_msg_signatures blob
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_rcv_roster_transfers_from_member_id (from_member_id)
          unique index idx_rcv_roster_transfers_group_id_from_member_id (group_id, from_member_id)
        """
    )
}
