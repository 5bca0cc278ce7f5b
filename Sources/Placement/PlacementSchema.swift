/// The tables in PostgreSQL for the nodes of a cluster and their stores, and the SQL statements for these tables.
///
/// A node has one lease for all its stores, so that one statement renews it for any number of stores. Each registration
/// of a node has a number, its incarnation. A node has a store while the row of the store contains the node and its
/// present incarnation, and the node's lease is valid by PostgreSQL's clock. Each time a node acquires a store, it gets
/// a token: a number that is greater than all earlier tokens of the store.
enum PlacementSchema {
    static let createTablesSQL = """
        DO $$ BEGIN
        PERFORM pg_advisory_xact_lock(2033140207);
        CREATE TABLE IF NOT EXISTS sxgw_node (
            name text PRIMARY KEY, owner text NOT NULL, incarnation bigint NOT NULL, lease_until timestamptz NOT NULL,
            open_stores integer NOT NULL DEFAULT 0, room integer NOT NULL DEFAULT 0, folder text);
        IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'sxgw_node'::regclass AND attname = 'folder' AND NOT attisdropped) THEN
            ALTER TABLE sxgw_node ADD COLUMN folder text;
        END IF;
        CREATE SEQUENCE IF NOT EXISTS sxgw_incarnation;
        CREATE TABLE IF NOT EXISTS sxgw_store (
            id text PRIMARY KEY, node text, incarnation bigint, token bigint NOT NULL, wanted boolean NOT NULL DEFAULT false, target text,
            offered timestamptz);
        CREATE INDEX IF NOT EXISTS sxgw_store_of_node ON sxgw_store (node, incarnation) WHERE node IS NOT NULL;
        CREATE INDEX IF NOT EXISTS sxgw_store_wanted ON sxgw_store (id) WHERE node IS NULL AND wanted;
        END $$
        """

    /// The statement that registers a node. Parameters: 1 name, 2 owner, 3 duration of the lease in seconds, 4 number
    /// of additional stores that the node can open, 5 whether the owner's earlier process is known to have ended, 6 the
    /// id of the folder of the stores.
    static let registerNodeSQL = """
        INSERT INTO sxgw_node AS n (name, owner, incarnation, lease_until, room, folder)
        VALUES ($1::text, $2::text, nextval('sxgw_incarnation'), clock_timestamp() + $3::float8 * interval '1 second', $4::integer, $6::text)
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, incarnation = excluded.incarnation, lease_until = excluded.lease_until,
            open_stores = 0, room = excluded.room, folder = excluded.folder
        WHERE n.lease_until < clock_timestamp() OR ($5::boolean AND n.owner = $2::text)
        RETURNING incarnation
        """

    /// The statement that returns a running node whose folder of stores differs from the folder of the requesting node.
    /// Parameters: 1 name of the requesting node, 2 the id of its folder.
    static let findOtherFolderSQL = """
        SELECT name FROM sxgw_node WHERE name <> $1::text AND folder <> $2::text AND lease_until > clock_timestamp() ORDER BY name LIMIT 1
        """

    /// The statement that returns the end of a node's lease. Parameters: 1 name.
    static let readLeaseEndSQL = "SELECT lease_until::text FROM sxgw_node WHERE name = $1::text"

    /// The statement that renews the lease of a node. Parameters: 1 name, 2 incarnation, 3 duration of the lease in
    /// seconds, 4 number of open stores, 5 number of additional stores that the node can open.
    static let renewLeaseSQL = """
        UPDATE sxgw_node SET lease_until = clock_timestamp() + $3::float8 * interval '1 second', open_stores = $4::integer, room = $5::integer
        WHERE name = $1::text AND incarnation = $2::bigint AND lease_until > clock_timestamp() RETURNING 1
        """

    /// The statement that ends the lease of a node, so that its stores are free immediately. Parameters: 1 name, 2
    /// incarnation.
    static let endLeaseSQL =
        "UPDATE sxgw_node SET lease_until = clock_timestamp() WHERE name = $1::text AND incarnation = $2::bigint"

    /// The statement that acquires a store for a node. Parameters: 1 store, 2 name, 3 incarnation, 4 the token in the
    /// store's files. If the earlier holder (another node, or an earlier incarnation of this node) has not released the
    /// store, the store is marked as wanted: a node has to open it. A later release can remove the mark.
    static let acquireStoreSQL = """
        INSERT INTO sxgw_store AS s (id, node, incarnation, token)
        SELECT $1::text, $2::text, $3::bigint, $4::bigint + 1 FROM sxgw_node
            WHERE name = $2::text AND incarnation = $3::bigint AND lease_until > clock_timestamp()
        ON CONFLICT (id) DO UPDATE SET node = excluded.node, incarnation = excluded.incarnation, token = greatest(s.token, $4::bigint) + 1,
            wanted = s.wanted OR s.node IS NOT NULL AND (s.node, s.incarnation) <> (excluded.node, excluded.incarnation), target = NULL
        WHERE (s.node IS NULL OR s.node = $2::text OR NOT EXISTS (
                SELECT 1 FROM sxgw_node n WHERE n.name = s.node AND n.incarnation = s.incarnation AND n.lease_until > clock_timestamp()))
            AND (s.target IS NULL OR s.target = $2::text OR NOT EXISTS (
                SELECT 1 FROM sxgw_node n WHERE n.name = s.target AND n.lease_until > clock_timestamp()))
        RETURNING token
        """

    /// The statement that returns the node that has a store, or to which the store was passed. It also returns whether
    /// the requesting node has a valid lease. Parameters: 1 store, 2 name of the requesting node, 3 incarnation.
    static let findHolderSQL = """
        SELECT (SELECT coalesce(target, node) FROM sxgw_store WHERE id = $1::text),
            EXISTS (SELECT 1 FROM sxgw_node WHERE name = $2::text AND incarnation = $3::bigint AND lease_until > clock_timestamp())
        """

    /// The statement that releases a store. Parameters: 1 store, 2 token, 3 whether the store is wanted (null:
    /// unchanged), 4 the node that may acquire it next (null: every node).
    static let releaseStoreSQL = """
        UPDATE sxgw_store SET node = NULL, incarnation = NULL, wanted = coalesce($3::boolean, wanted), target = $4::text WHERE id = $1::text AND token = $2::bigint
        """

    /// The statement that returns the number of additional stores that a node can open. Parameters: 1 name.
    static let readRoomSQL = "SELECT room FROM sxgw_node WHERE name = $1::text AND lease_until > clock_timestamp()"

    /// The statement that returns another node that can open a store. Parameters: 1 name of the requesting node.
    static let findNodeWithRoomSQL = """
        SELECT name FROM sxgw_node WHERE name <> $1::text AND room > 0 AND lease_until > clock_timestamp() ORDER BY room DESC, name LIMIT 1
        """

    /// The statement that permits every node to acquire the stores that a full node would have to open: stores that
    /// were passed to the node, and stores of its earlier incarnations. Parameters: 1 name of the full node, 2
    /// incarnation.
    static let releaseFullNodeStoresSQL = """
        UPDATE sxgw_store SET wanted = wanted OR node IS NOT NULL, node = NULL, incarnation = NULL, target = NULL
        WHERE node IS NULL AND wanted AND target = $1::text OR node = $1::text AND incarnation <> $2::bigint
        """

    /// The statement that marks stores as wanted, so that a node opens them. It adds a row for a store without a row.
    /// Parameters: 1 an array of stores. The row of a store that a node has is not changed, because the store is
    /// offered anyway after the end of the node's lease.
    static let recordWantedStoresSQL = """
        INSERT INTO sxgw_store AS s (id, token, wanted) SELECT unnest($1::text[]), 0, true
        ON CONFLICT (id) DO UPDATE SET wanted = true WHERE s.node IS NULL AND NOT s.wanted
        """

    /// The statement that lists the running nodes. In a table of an earlier version, which has no column `folder`, the
    /// id of each folder is null.
    static let listNodesSQL = """
        SELECT name, owner, open_stores, room, to_jsonb(n) ->> 'folder' FROM sxgw_node n WHERE lease_until > clock_timestamp() ORDER BY name
        """

    static let listHeldStoresSQL = """
        SELECT s.id, s.node FROM sxgw_store s JOIN sxgw_node n ON n.name = s.node AND n.incarnation = s.incarnation AND n.lease_until > clock_timestamp()
        """

    /// The statement that returns the nodes of stores. Parameters: 1 an array of stores.
    static let findNodesOfStoresSQL = listHeldStoresSQL + " WHERE s.id = ANY($1::text[])"

    /// The statement that removes the row of a deleted store. Parameters: 1 store, 2 token.
    static let removeStoreSQL = "DELETE FROM sxgw_store WHERE id = $1::text AND token = $2::bigint"

    /// The statement that returns stores that no node has, and that a node has to open. Parameters: 1 name of the
    /// requesting node, 2 limit, 3 seconds for which a store is offered to one node alone. A restarted node also gets
    /// the stores of its earlier incarnation.
    ///
    /// The stores whose last offer is the longest time ago come first, so that stores that cannot be opened do not
    /// delay other stores. Among stores without an offer, the order differs for each node.
    static let findOfferedStoresSQL = """
        UPDATE sxgw_store SET offered = clock_timestamp() WHERE id IN (
            SELECT f.id FROM sxgw_store f WHERE f.id IN (
                SELECT s.id FROM sxgw_store s WHERE s.node IS NULL AND s.wanted AND (s.target IS NULL OR s.target = $1::text OR NOT EXISTS (
                    SELECT 1 FROM sxgw_node n WHERE n.name = s.target AND n.lease_until > clock_timestamp()))
                UNION ALL
                SELECT s.id FROM sxgw_store s JOIN sxgw_node n ON n.name = s.node
                    WHERE s.node IS NOT NULL AND (n.lease_until < clock_timestamp() OR n.name = $1::text AND n.incarnation <> s.incarnation))
                AND (f.offered IS NULL OR f.offered < clock_timestamp() - $3::float8 * interval '1 second')
            ORDER BY f.offered NULLS FIRST, md5(f.id || $1::text) LIMIT $2::integer FOR UPDATE SKIP LOCKED)
        RETURNING id
        """
}
