/** Objects of generated fabrics as their snapshots have them, written into the index of objects. */
import type pg from "pg";
import { getParentDn } from "../../server/dist/areas/answers/find/rules/dn.js";
import { extractTerms, getLabel } from "../../server/dist/areas/answers/find/rules/terms.js";
import { createKey } from "../../server/dist/areas/answers/find/update-index.js";

interface IndexedObject {
	readonly dn: string;
	readonly className: string;
	readonly attributes: Readonly<Record<string, string>>;
}

const TENANTS = 40;
const SNAPSHOTS = 3;
const BATCH = 5_000;

/** Classes of a fabric, one query each; half of the objects are endpoints. */
const CLASSES: Readonly<Record<string, number>> = {
	fvCEp: 0.5,
	fvBD: 0.1,
	fvSubnet: 0.1,
	fvAEPg: 0.1,
	fvRsPathAtt: 0.1,
	l1PhysIf: 0.1,
};

export const formatMac = (n: number): string =>
	[
		"00",
		"22",
		"BD",
		...[16, 8, 0].map((shift) => ((n >> shift) & 255).toString(16).padStart(2, "0").toUpperCase()),
	].join(":");
export const formatIp = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

const APPLICATIONS = ["web", "orders", "billing", "search", "backup", "voice", "storage", "identity"];
const getApplication = (n: number): string => APPLICATIONS[n % APPLICATIONS.length] as string;

/** The n-th object of a class on a fabric. */
function createObject(className: string, fabric: number, n: number): IndexedObject {
	const own = fabric * 50_000 + n;
	const tenant = `uni/tn-tenant-${n % TENANTS}`;
	const epg = `${tenant}/ap-${getApplication(n)}/epg-${getApplication(n)}-prod-${Math.floor(n / 20)}`;
	const vlan = `vlan-${100 + (n % 3_000)}`;
	const port = `topology/pod-1/${n % 2 ? "paths" : "node"}-${101 + (n % 100)}`;
	switch (className) {
		case "fvCEp": {
			const mac = formatMac(own);
			return { dn: `${epg}/cep-${mac}`, className, attributes: { name: mac, mac, ip: formatIp(own), encap: vlan } };
		}
		case "fvBD": {
			const name = `BD-${getApplication(n)}-${own}`;
			return {
				dn: `${tenant}/BD-${name}`,
				className,
				attributes: { name, descr: `bridge domain of ${getApplication(n)}, ticket ${own}` },
			};
		}
		case "fvSubnet": {
			const ip = `10.${fabric}.${n & 255}.${(n >> 8) & 255 & 240}/28`;
			return { dn: `${tenant}/BD-${getApplication(n)}-${n}/subnet-[${ip}]`, className, attributes: { ip, descr: "" } };
		}
		case "fvAEPg": {
			const name = `${getApplication(n)}-prod-${n}`;
			return {
				dn: `${tenant}/ap-${getApplication(n)}/epg-${name}`,
				className,
				attributes: { name, descr: `servers of ${getApplication(n)}` },
			};
		}
		case "fvRsPathAtt": {
			const tDn = `${port}/pathep-[eth1/${1 + (n % 54)}]`;
			return { dn: `${epg}-${n}/rspathAtt-[${tDn}]`, className, attributes: { tDn, encap: vlan, descr: "" } };
		}
		default: {
			const id = `eth1/${1 + Math.floor(n / 100)}`;
			return {
				dn: `topology/pod-1/node-${101 + (n % 100)}/sys/phys-[${id}]`,
				className,
				attributes: { id, name: "", descr: `to server ${getApplication(n)}-${own} port ${n % 4}` },
			};
		}
	}
}

/** Fills the index without its secondary indexes, then builds these as the migrations say. */
export async function fillIndex(
	store: pg.Pool,
	owner: number,
	{ fabrics, objects }: Record<"fabrics" | "objects", number>,
) {
	const client = await store.connect();
	await client.query("set statement_timeout = 0");
	await client.query("set maintenance_work_mem = '512MB'");
	const { rows: indexes } = await client.query(
		`select indexname as name, indexdef as text from pg_indexes where tablename in ('indexed_objects', 'object_terms')
			and indexname not in (select conname from pg_constraint)`,
	);
	for (const { name } of indexes) await client.query(`drop index ${name}`);
	const histories = await createHistories(client, owner, fabrics);
	for (const { id, className, fabric } of histories) {
		const count = Math.round((objects / fabrics) * (CLASSES[className] ?? 0));
		for (let start = 0; start < count; start += BATCH) {
			const batch = Array.from({ length: Math.min(BATCH, count - start) }, (_, i) =>
				createObject(className, fabric, start + i),
			);
			await insertObjects(client, id, batch);
		}
	}
	for (const { text } of indexes) await client.query(text);
	await client.query("vacuum analyze indexed_objects, object_terms, indexed_snapshots, object_indexes");
	client.release();
}

/** One history for each fabric and class, with snapshots of which every object is in the last. */
async function createHistories(client: pg.PoolClient, owner: number, fabrics: number) {
	await client.query(
		`insert into controller_connections (id, name, url, username, password_sealed, created_by, created_at, updated_at)
			select gen_random_uuid(), 'fab-' || n, 'https://fab-' || n || '.example.com', 'admin', '', $1, now(), now()
			from generate_series(1, $2::integer) n`,
		[owner, fabrics],
	);
	await client.query(
		`insert into saved_queries (id, owner_id, name, major_version, minor_version, created_at, updated_at)
			select gen_random_uuid(), $1, name, 1, 0, now(), now() from unnest($2::text[]) name`,
		[owner, Object.keys(CLASSES)],
	);
	await client.query(
		`insert into snapshot_histories (id, key, saved_query_id)
			select gen_random_uuid(), q.id || '|' || c.id, q.id from saved_queries q, controller_connections c`,
	);
	await client.query(
		`insert into snapshots (id, history_id, position, query_name, class_name, query_version, query_version_hash,
				controller_connection_name, execution_type, executed_at, executed_by, result_count, loose_count,
				result_size_bytes, result_hash, is_duplicate, has_changes)
			select gen_random_uuid(), h.id, n, '', '', '1.0', '', '', 'manual', now() - interval '1 hour' * ($1 - n), '', 0, 0,
				0, '', false, true from snapshot_histories h, generate_series(1, $1::integer) n`,
		[SNAPSHOTS],
	);
	await client.query(
		`insert into object_indexes (history_id, saved_query_id, connection_id, revision, position, snapshot_count)
			select h.id, h.saved_query_id, split_part(h.key, '|', 2)::uuid, 0, $1, $1 from snapshot_histories h`,
		[SNAPSHOTS],
	);
	await client.query(
		`insert into indexed_snapshots (snapshot_id, history_id, position, executed_at)
			select id, history_id, position, executed_at from snapshots`,
	);
	const { rows } = await client.query<{ id: string; className: string; fabric: number }>(
		`select i.history_id as id, q.name as "className", substring(c.name from 5)::integer - 1 as fabric
			from object_indexes i join saved_queries q on q.id = i.saved_query_id
			join controller_connections c on c.id = i.connection_id`,
	);
	return rows;
}

async function insertObjects(client: pg.PoolClient, history: string, objects: readonly IndexedObject[]): Promise<void> {
	const rows = objects.map((object) => {
		const parent = getParentDn(object.dn);
		const target = object.attributes.tDn ?? null;
		return {
			dn: object.dn,
			dn_key: createKey(object.dn),
			parent_key: parent === null ? null : createKey(parent),
			target_key: target === null ? null : createKey(target),
			target_dn: target,
			class_name: object.className,
			label: getLabel(object),
		};
	});
	const { rows: stored } = await client.query<{ id: number; dn_key: string }>(
		`insert into indexed_objects
				(history_id, dn, dn_key, parent_key, target_key, target_dn, class_name, label, presence, terms_key)
			select $1, dn, dn_key, parent_key, target_key, target_dn, class_name, label, '{[1,)}', dn_key
			from jsonb_to_recordset($2::jsonb) as n (dn text, dn_key uuid, parent_key uuid, target_key uuid, target_dn text,
				class_name text, label text)
			on conflict do nothing returning id, dn_key`,
		[history, JSON.stringify(rows)],
	);
	const ids = new Map(stored.map(({ id, dn_key }) => [dn_key, id]));
	const terms = objects.flatMap((object, at) => {
		const id = ids.get(rows[at]?.dn_key ?? "");
		return id === undefined
			? []
			: extractTerms(object).map(({ vlans, ...term }) => ({
					object_id: id,
					...term,
					vlans: vlans && `[${vlans[0]},${vlans[1]}]`,
				}));
	});
	await client.query(
		`insert into object_terms (object_id, attribute, value, term, net, vlans)
			select object_id, attribute, value, term, net, vlans from jsonb_to_recordset($1::jsonb) as n (object_id bigint,
				attribute text, value text, term text, net inet, vlans int4range)`,
		[JSON.stringify(terms)],
	);
}
