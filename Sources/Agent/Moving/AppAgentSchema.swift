internal import SQLCipher

/// The schema of the agent's database in version 7.0.0.6 of the official apps. The tables and indices were read from a
/// database of this version with SQLite's PRAGMAs. No PRAGMA shows checks, automatic numbers and deferred references:
/// these facts were read from the definitions of the tables in the same database.
enum AppAgentSchema {
    static var tables: [String] { schemaFacts.tables }
    /// SQL statements that make the indices and triggers.
    static var indicesAndTriggers: [String] { schemaFacts.indices + triggers }

    /// The triggers that update the columns of a service: the number of its queues, and a hash of the ids of these
    /// queues. The apps define the SQL function `simplex_xor_md5_combine`, which computes the hash.
    private static let triggers: [String] = {
        func makeCountedCondition(_ row: String) -> String { "(\(row).rcv_service_assoc <> 0 AND \(row).deleted = 0)" }
        func makeTrigger(_ name: String, _ event: String, _ condition: String, _ sign: String, _ row: String) -> String
        {
            """
            CREATE TRIGGER tr_rcv_queue_\(name) AFTER \(event) ON rcv_queues WHEN \(condition) BEGIN
              UPDATE client_services SET
                service_queue_ids_hash = simplex_xor_md5_combine(service_queue_ids_hash, \(row).rcv_id),
                service_queue_count = service_queue_count \(sign) 1
              WHERE host = \(row).host AND port = \(row).port
                AND user_id IN (SELECT user_id FROM connections WHERE conn_id = \(row).conn_id);
            END
            """
        }
        let (old, new) = (makeCountedCondition("OLD"), makeCountedCondition("NEW"))
        return [
            makeTrigger("insert", "INSERT", new, "+", "NEW"),
            makeTrigger("delete", "DELETE", old, "-", "OLD"),
            makeTrigger("update_remove", "UPDATE", "\(old) AND NOT \(new)", "-", "OLD"),
            makeTrigger("update_add", "UPDATE", "\(new) AND NOT \(old)", "+", "NEW"),
        ]
    }()

    private static let schemaFacts = SchemaNotation(
        """
        migrations
          name text key required
          ts text required
          down text
        servers without rowid
          host text required
          port text required
          key_hash blob required
          + key (host, port)
        connections without rowid
          conn_id blob key required
          conn_mode text required
          last_internal_msg_id integer required = 0
          last_internal_rcv_msg_id integer required = 0
          last_internal_snd_msg_id integer required = 0
          last_external_snd_msg_id integer required = 0
          last_rcv_msg_hash blob required = x''
          last_snd_msg_hash blob required = x''
          smp_agent_version integer required = 1
          duplex_handshake integer = 0
          enable_ntfs integer
          deleted integer checked = 0
          user_id integer checked -> users delete cascade
          ratchet_sync_state text required = 'ok'
          deleted_at_wait_delivery text
          pq_support integer required = 0
          index idx_connections_user (user_id)
        rcv_queues without rowid
          host text required
          port text required
          rcv_id blob required
          conn_id blob required -> connections delete cascade
          rcv_private_key blob required
          rcv_dh_secret blob required
          e2e_priv_key blob required
          e2e_dh_secret blob
          snd_id blob required
          snd_key blob
          status text required
          smp_server_version integer required = 1
          smp_client_version integer
          ntf_public_key blob
          ntf_private_key blob
          ntf_id blob
          rcv_ntf_dh_secret blob
          rcv_queue_id integer checked
          rcv_primary integer checked
          replace_rcv_queue_id integer
          delete_errors integer checked = 0
          server_key_hash blob
          switch_status text
          deleted integer required = 0
          last_broker_ts text
          link_id blob
          link_key blob
          link_priv_sig_key blob
          link_enc_fixed_data blob
          queue_mode text
          to_subscribe integer required = 0
          client_notice_id integer -> client_notices delete set null update restrict
          rcv_service_assoc integer required = 0
          + key (host, port, rcv_id)
          + unique (host, port, snd_id)
          + (host, port) -> servers delete restrict update cascade
          unique index idx_rcv_queue_id (conn_id, rcv_queue_id)
          index idx_rcv_queues_client_notice_id (client_notice_id)
          unique index idx_rcv_queues_link_id (host, port, link_id)
          unique index idx_rcv_queues_ntf (host, port, ntf_id)
          index idx_rcv_queues_to_subscribe (to_subscribe)
        snd_queues without rowid
          host text required
          port text required
          snd_id blob required
          conn_id blob required -> connections delete cascade
          snd_private_key blob required
          e2e_dh_secret blob required
          status text required
          smp_server_version integer required = 1
          smp_client_version integer required = 1
          snd_public_key blob
          e2e_pub_key blob
          snd_queue_id integer checked
          snd_primary integer checked
          replace_snd_queue_id integer
          server_key_hash blob
          switch_status text
          queue_mode text
          + key (host, port, snd_id)
          + (host, port) -> servers delete restrict update cascade
          unique index idx_snd_queue_id (conn_id, snd_queue_id)
          index idx_snd_queues_host_port (host, port)
        messages without rowid
          conn_id blob required -> connections (conn_id) delete cascade
          internal_id integer required
          internal_ts text required
          internal_rcv_id integer
          internal_snd_id integer
          msg_type blob required
          msg_body blob required = x''
          msg_flags text
          pq_encryption integer required = 0
          + key (conn_id, internal_id)
          + (conn_id, internal_snd_id) -> snd_messages delete cascade deferred
          + (conn_id, internal_rcv_id) -> rcv_messages delete cascade deferred
          index idx_messages_conn_id (conn_id)
          index idx_messages_conn_id_internal_rcv_id (conn_id, internal_rcv_id)
          index idx_messages_conn_id_internal_snd_id (conn_id, internal_snd_id)
          index idx_messages_internal_ts (internal_ts)
          index idx_messages_snd_expired (conn_id, internal_snd_id, internal_ts)
        rcv_messages without rowid
          conn_id blob required
          internal_rcv_id integer required
          internal_id integer required
          external_snd_id integer required
          broker_id blob required
          broker_ts text required
          internal_hash blob required
          external_prev_snd_hash blob required
          integrity blob required
          user_ack integer = 0
          rcv_queue_id integer checked
          receive_attempts integer required = 0
          + key (conn_id, internal_rcv_id)
          + (conn_id, internal_id) -> messages delete cascade
          index idx_rcv_messages_conn_id_internal_id (conn_id, internal_id)
        snd_messages without rowid
          conn_id blob required
          internal_snd_id integer required
          internal_id integer required
          internal_hash blob required
          previous_msg_hash blob required = x''
          retry_int_slow integer
          retry_int_fast integer
          rcpt_internal_id integer
          rcpt_status text
          msg_encrypt_key blob
          padded_msg_len integer
          snd_message_body_id integer -> snd_message_bodies delete set null
          + key (conn_id, internal_snd_id)
          + (conn_id, internal_id) -> messages delete cascade
          index idx_snd_messages_conn_id_internal_id (conn_id, internal_id)
          index idx_snd_messages_rcpt_internal_id (conn_id, rcpt_internal_id)
          index idx_snd_messages_snd_message_body_id (snd_message_body_id)
        conn_confirmations without rowid
          confirmation_id blob key required
          conn_id blob required -> connections delete cascade
          e2e_snd_pub_key blob required
          sender_key blob
          ratchet_state blob required
          sender_conn_info blob required
          accepted integer required
          own_conn_info blob
          created_at text required = datetime('now')
          smp_reply_queues blob
          smp_client_version integer
          index idx_conn_confirmations_conn_id (conn_id)
        conn_invitations without rowid
          invitation_id blob key required
          contact_conn_id blob -> connections delete set null
          cr_invitation blob required
          recipient_conn_info blob required
          accepted integer required = 0
          own_conn_info blob
          created_at text required = datetime('now')
          index idx_conn_invitations_contact_conn_id (contact_conn_id)
        ratchets without rowid
          conn_id blob key required -> connections delete cascade
          x3dh_priv_key_1 blob
          x3dh_priv_key_2 blob
          ratchet_state blob
          e2e_version integer required = 1
          x3dh_pub_key_1 blob
          x3dh_pub_key_2 blob
          pq_priv_kem blob
          pq_pub_kem blob
          index idx_ratchets_conn_id (conn_id)
        skipped_messages
          skipped_message_id integer key
          conn_id blob required -> ratchets delete cascade
          header_key blob required
          msg_n integer required
          msg_key blob required
          index idx_skipped_messages_conn_id (conn_id)
        ntf_servers without rowid
          ntf_host text required
          ntf_port text required
          ntf_key_hash blob required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          + key (ntf_host, ntf_port)
        ntf_tokens without rowid
          provider text required
          device_token blob required
          ntf_host text required
          ntf_port text required
          tkn_id blob
          tkn_pub_key blob required
          tkn_priv_key blob required
          tkn_pub_dh_key blob required
          tkn_priv_dh_key blob required
          tkn_dh_secret blob
          tkn_status text required
          tkn_action blob
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          ntf_mode text
          + key (provider, device_token, ntf_host, ntf_port)
          + (ntf_host, ntf_port) -> ntf_servers delete restrict update cascade
          index idx_ntf_tokens_ntf_host_ntf_port (ntf_host, ntf_port)
        ntf_subscriptions without rowid
          conn_id blob key required
          smp_host text
          smp_port text
          smp_ntf_id blob
          ntf_host text required
          ntf_port text required
          ntf_sub_id blob
          ntf_sub_status text required
          ntf_sub_action text
          ntf_sub_smp_action text
          ntf_sub_action_ts text
          updated_by_supervisor integer required = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          smp_server_key_hash blob
          ntf_failed integer = 0
          smp_failed integer = 0
          + (ntf_host, ntf_port) -> ntf_servers delete restrict update cascade
          + (smp_host, smp_port) -> servers (host, port) delete set null update cascade
          index idx_ntf_subscriptions_ntf_host_ntf_port (ntf_host, ntf_port)
          index idx_ntf_subscriptions_smp_host_smp_port (smp_host, smp_port)
        commands
          command_id integer key
          conn_id blob required -> connections delete cascade
          host text
          port text
          corr_id blob required
          command_tag blob required
          command blob required
          agent_version integer required = 1
          server_key_hash blob
          created_at text required = '1970-01-01 00:00:00'
          failed integer = 0
          + (host, port) -> servers delete restrict update cascade
          index idx_commands_conn_id (conn_id)
          index idx_commands_host_port (host, port)
          index idx_commands_server_commands (host, port, created_at, command_id)
        snd_message_deliveries
          snd_message_delivery_id integer key autoincrement
          conn_id blob required -> connections delete cascade
          snd_queue_id integer required
          internal_id integer required
          failed integer = 0
          + (conn_id, internal_id) -> messages delete cascade deferred
          index idx_snd_message_deliveries (conn_id, snd_queue_id)
          index idx_snd_message_deliveries_conn_id_internal_id (conn_id, internal_id)
          index idx_snd_message_deliveries_expired (conn_id, snd_queue_id, failed, internal_id)
        users
          user_id integer key autoincrement
          deleted integer checked = 0
        xftp_servers
          xftp_server_id integer key
          xftp_host text required
          xftp_port text required
          xftp_key_hash blob required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          + unique (xftp_host, xftp_port, xftp_key_hash)
        rcv_files
          rcv_file_id integer key
          rcv_file_entity_id blob required unique
          user_id integer required -> users delete cascade
          size integer required
          digest blob required
          key blob required
          nonce blob required
          chunk_size integer required
          prefix_path text required
          tmp_path text
          save_path text required
          status text required
          deleted integer required = 0
          error text
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          save_file_key blob
          save_file_nonce blob
          failed integer = 0
          redirect_id integer -> rcv_files delete set null
          redirect_entity_id blob
          redirect_size integer
          redirect_digest blob
          approved_relays integer required = 0
          index idx_rcv_files_redirect_id (redirect_id)
          index idx_rcv_files_status_created_at (status, created_at)
          index idx_rcv_files_user_id (user_id)
        rcv_file_chunks
          rcv_file_chunk_id integer key
          rcv_file_id integer required -> rcv_files delete cascade
          chunk_no integer required
          chunk_size integer required
          digest blob required
          tmp_path text
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_rcv_file_chunks_rcv_file_id (rcv_file_id)
        rcv_file_chunk_replicas
          rcv_file_chunk_replica_id integer key
          rcv_file_chunk_id integer required -> rcv_file_chunks delete cascade
          replica_number integer required
          xftp_server_id integer required -> xftp_servers delete cascade
          replica_id blob required
          replica_key blob required
          received integer required = 0
          delay integer
          retries integer required = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_rcv_file_chunk_replicas_pending (received, replica_number)
          index idx_rcv_file_chunk_replicas_rcv_file_chunk_id (rcv_file_chunk_id)
          index idx_rcv_file_chunk_replicas_xftp_server_id (xftp_server_id)
        snd_files
          snd_file_id integer key
          snd_file_entity_id blob required
          user_id integer required -> users delete cascade
          num_recipients integer required
          digest blob
          key blob required
          nonce blob required
          path text required
          prefix_path text
          status text required
          deleted integer required = 0
          error text
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          src_file_key blob
          src_file_nonce blob
          failed integer = 0
          redirect_size integer
          redirect_digest blob
          index idx_snd_files_snd_file_entity_id (snd_file_entity_id)
          index idx_snd_files_status_created_at (status, created_at)
          index idx_snd_files_user_id (user_id)
        snd_file_chunks
          snd_file_chunk_id integer key
          snd_file_id integer required -> snd_files delete cascade
          chunk_no integer required
          chunk_offset integer required
          chunk_size integer required
          digest blob required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_snd_file_chunks_snd_file_id (snd_file_id)
        snd_file_chunk_replicas
          snd_file_chunk_replica_id integer key
          snd_file_chunk_id integer required -> snd_file_chunks delete cascade
          replica_number integer required
          xftp_server_id integer required -> xftp_servers delete cascade
          replica_id blob required
          replica_key blob required
          replica_status text required
          delay integer
          retries integer required = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_snd_file_chunk_replicas_pending (replica_status, replica_number)
          index idx_snd_file_chunk_replicas_snd_file_chunk_id (snd_file_chunk_id)
          index idx_snd_file_chunk_replicas_xftp_server_id (xftp_server_id)
        snd_file_chunk_replica_recipients
          snd_file_chunk_replica_recipient_id integer key
          snd_file_chunk_replica_id integer required -> snd_file_chunk_replicas delete cascade
          rcv_replica_id blob required
          rcv_replica_key blob required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_snd_file_chunk_replica_recipients_snd_file_chunk_replica_id (snd_file_chunk_replica_id)
        deleted_snd_chunk_replicas
          deleted_snd_chunk_replica_id integer key
          user_id integer required -> users delete cascade
          xftp_server_id integer required -> xftp_servers delete cascade
          replica_id blob required
          replica_key blob required
          chunk_digest blob required
          delay integer
          retries integer required = 0
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          failed integer = 0
          index idx_deleted_snd_chunk_replicas_pending (created_at)
          index idx_deleted_snd_chunk_replicas_user_id (user_id)
          index idx_deleted_snd_chunk_replicas_xftp_server_id (xftp_server_id)
        encrypted_rcv_message_hashes
          encrypted_rcv_message_hash_id integer key
          conn_id blob required -> connections delete cascade
          hash blob required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_encrypted_rcv_message_hashes_created_at (created_at)
          index idx_encrypted_rcv_message_hashes_hash (conn_id, hash)
        processed_ratchet_key_hashes
          processed_ratchet_key_hash_id integer key
          conn_id blob required -> connections delete cascade
          hash blob required
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
          index idx_processed_ratchet_key_hashes_created_at (created_at)
          index idx_processed_ratchet_key_hashes_hash (conn_id, hash)
        servers_stats
          servers_stats_id integer key
          servers_stats text
          started_at text required = datetime('now')
          created_at text required = datetime('now')
          updated_at text required = datetime('now')
        ntf_tokens_to_delete
          ntf_token_to_delete_id integer key
          ntf_host text required
          ntf_port text required
          ntf_key_hash blob required
          tkn_id blob required
          tkn_priv_key blob required
          del_failed integer = 0
          created_at text required = datetime('now')
        snd_message_bodies
          snd_message_body_id integer key
          agent_msg blob required = x''
        inv_short_links
          inv_short_link_id integer key autoincrement
          host text required
          port text required
          server_key_hash blob
          link_id blob required
          link_key blob required
          snd_private_key blob required
          snd_id blob
          + (host, port) -> servers delete restrict update cascade
          unique index idx_inv_short_links_link_id (host, port, link_id)
        client_notices
          client_notice_id integer key autoincrement
          protocol text required
          host text required
          port text required
          entity_id blob required
          server_key_hash blob
          notice_ttl integer
          created_at integer required
          updated_at integer required
          unique index idx_client_notices_entity (protocol, host, port, entity_id)
        client_services
          user_id integer required -> users delete cascade
          host text required
          port text required
          server_key_hash blob
          service_cert blob required
          service_cert_hash blob required
          service_priv_key blob required
          service_id blob
          service_queue_count integer required = 0
          service_queue_ids_hash blob required = x'00000000000000000000000000000000'
          + (host, port) -> servers delete restrict update cascade
          index idx_server_certs_host_port (host, port)
          unique index idx_server_certs_user_id_host_port (user_id, host, port, server_key_hash)
        """
    )
}
