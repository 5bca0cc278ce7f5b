/// The tables of nodes and stores.
///
/// A node renews one lease for all its stores at once, so that a renewal costs one statement for any number of stores.
/// A node has a store while the store's row names the node and its present incarnation, and the node's lease is valid
/// by PostgreSQL's clock. Each token of a store is greater than all earlier ones.
enum PlacementSchema {
    static let create = """
        DO $$ BEGIN
        PERFORM pg_advisory_xact_lock(2033140207);
        CREATE TABLE IF NOT EXISTS sxgw_node (
            name text PRIMARY KEY, owner text NOT NULL, incarnation bigint NOT NULL, lease_until timestamptz NOT NULL,
            open_stores integer NOT NULL DEFAULT 0, room integer NOT NULL DEFAULT 0);
        CREATE SEQUENCE IF NOT EXISTS sxgw_incarnation;
        CREATE TABLE IF NOT EXISTS sxgw_store (
            id text PRIMARY KEY, node text, incarnation bigint, token bigint NOT NULL, wanted boolean NOT NULL DEFAULT false, target text);
        CREATE INDEX IF NOT EXISTS sxgw_store_of_node ON sxgw_store (node, incarnation) WHERE node IS NOT NULL;
        CREATE INDEX IF NOT EXISTS sxgw_store_wanted ON sxgw_store (id) WHERE node IS NULL AND wanted;
        END $$
        """

    /// 1 name, 2 owner, 3 seconds, 4 room, 5 whether the owner's earlier process is known to have ended.
    static let register = """
        INSERT INTO sxgw_node AS n (name, owner, incarnation, lease_until, room)
        VALUES ($1::text, $2::text, nextval('sxgw_incarnation'), clock_timestamp() + $3::float8 * interval '1 second', $4::integer)
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, incarnation = excluded.incarnation, lease_until = excluded.lease_until,
            open_stores = 0, room = excluded.room
        WHERE n.lease_until < clock_timestamp() OR ($5::boolean AND n.owner = $2::text)
        RETURNING incarnation
        """

    /// 1 name.
    static let lease = "SELECT lease_until::text FROM sxgw_node WHERE name = $1::text"

    /// 1 name, 2 incarnation, 3 seconds, 4 open stores, 5 room.
    static let renew = """
        UPDATE sxgw_node SET lease_until = clock_timestamp() + $3::float8 * interval '1 second', open_stores = $4::integer, room = $5::integer
        WHERE name = $1::text AND incarnation = $2::bigint AND lease_until > clock_timestamp() RETURNING 1
        """

    /// 1 name, 2 incarnation. The stores of the node are free at once.
    static let leave =
        "UPDATE sxgw_node SET lease_until = clock_timestamp() WHERE name = $1::text AND incarnation = $2::bigint"

    /// 1 store, 2 name, 3 incarnation, 4 the token in the store's files. A store that a node has left without giving it
    /// up counts as wanted until a node that had it open gives it up.
    static let acquire = """
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

    /// 1 store, 2 name, 3 incarnation. It returns the node that has the store, and whether this node has a valid lease.
    static let holder = """
        SELECT (SELECT coalesce(target, node) FROM sxgw_store WHERE id = $1::text),
            EXISTS (SELECT 1 FROM sxgw_node WHERE name = $2::text AND incarnation = $3::bigint AND lease_until > clock_timestamp())
        """

    /// 1 store, 2 token, 3 whether the store is wanted (null: unchanged), 4 the node that is to have it.
    static let release = """
        UPDATE sxgw_store SET node = NULL, incarnation = NULL, wanted = coalesce($3::boolean, wanted), target = $4::text WHERE id = $1::text AND token = $2::bigint
        """

    /// 1 name.
    static let room = "SELECT room FROM sxgw_node WHERE name = $1::text AND lease_until > clock_timestamp()"

    /// 1 name of the requesting node.
    static let nodeWithRoom = """
        SELECT name FROM sxgw_node WHERE name <> $1::text AND room > 0 AND lease_until > clock_timestamp() ORDER BY room DESC, name LIMIT 1
        """

    /// 1 name of a node that has no room. Stores that were given to it become free for every node.
    static let turnAway = "UPDATE sxgw_store SET target = NULL WHERE node IS NULL AND wanted AND target = $1::text"

    static let nodes =
        "SELECT name, owner, open_stores, room FROM sxgw_node WHERE lease_until > clock_timestamp() ORDER BY name"

    static let held = """
        SELECT s.id, s.node FROM sxgw_store s JOIN sxgw_node n ON n.name = s.node AND n.incarnation = s.incarnation AND n.lease_until > clock_timestamp()
        """

    /// 1 store, 2 token.
    static let forget = "DELETE FROM sxgw_store WHERE id = $1::text AND token = $2::bigint"

    /// 1 name, 2 limit. It returns stores that no node has but one should open. Each node gets them in another order. A
    /// restarted node also gets the stores of its earlier incarnation.
    static let offers = """
        SELECT id FROM (
            SELECT s.id FROM sxgw_store s WHERE s.node IS NULL AND s.wanted AND (s.target IS NULL OR s.target = $1::text OR NOT EXISTS (
                SELECT 1 FROM sxgw_node n WHERE n.name = s.target AND n.lease_until > clock_timestamp()))
            UNION ALL
            SELECT s.id FROM sxgw_store s JOIN sxgw_node n ON n.name = s.node
                WHERE s.node IS NOT NULL AND (n.lease_until < clock_timestamp() OR n.name = $1::text AND n.incarnation <> s.incarnation)
        ) o ORDER BY md5(id || $1::text) LIMIT $2::integer
        """
}
