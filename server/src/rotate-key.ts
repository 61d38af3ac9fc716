/**
 * Reseals every stored secret with the current key. Old and new keys are accepted at the same time,
 * so this may be interrupted and repeated at any time, beside a running service.
 */
import { sql } from "kysely";
import { secondFactorSecrets } from "./areas/accounts/sign-in/check-second-factor.ts";
import { oidcSecrets } from "./areas/accounts/sign-in/login-through-provider.ts";
import { auditSecrets } from "./areas/audit/index.ts";
import { automationSecrets } from "./areas/automation/index.ts";
import { calendarSecrets } from "./areas/calendar/index.ts";
import { connectionSecrets } from "./areas/fabrics/controller-kind.ts";
import { webhookSecrets } from "./areas/notifications/index.ts";
import type { SealedColumn, Secrets } from "./core/ports/secrets.ts";
import type { Store } from "./core/ports/store.ts";
import { computeKeyId } from "./storage/secrets/secrets.ts";

/** All sealed columns. A test fails if one is missing. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
	...connectionSecrets,
	...calendarSecrets,
	...secondFactorSecrets,
	...oidcSecrets,
	...auditSecrets,
	...webhookSecrets,
	...automationSecrets,
];

const BATCH = 100;

interface Row {
	readonly key: string;
	readonly sealed: string;
}

interface Resealed {
	/** Rows that were resealed. */
	readonly resealed: number;
	/** Secrets that no known key opens, as `table.column of KEY`. */
	readonly unreadable: readonly string[];
}

interface SecretStore {
	readonly store: Store;
	readonly secrets: Pick<Secrets, "seal" | "open" | "isCurrent">;
}

/**
 * Whether the store has secrets and none of them was sealed with one of the keys. Reads every
 * secret once.
 */
export async function opensNothing(store: Store, keys: readonly string[]): Promise<boolean> {
	const known = new Set(keys.map(computeKeyId));
	let found = false;
	for (const { table, column } of SEALED_COLUMNS) {
		const name = sql.ref(column);
		const { rows } = await sql<{ id: string }>`
			select distinct split_part(${name}, '.', 2) as id from ${sql.table(table)} where ${name} <> ''`.execute(store.db);
		if (rows.some(({ id }) => known.has(id))) return false;
		found ||= rows.length > 0;
	}
	return found;
}

/** How many secrets are not under the current key. */
export async function countOlderSecrets({ store, secrets }: SecretStore): Promise<number> {
	let older = 0;
	for (const column of SEALED_COLUMNS) {
		for await (const rows of iteratePages(store, column)) {
			older += rows.filter(({ sealed }) => !secrets.isCurrent(sealed)).length;
		}
	}
	return older;
}

export async function resealSecrets({ store, secrets }: SecretStore): Promise<Resealed> {
	let resealed = 0;
	const unreadable: string[] = [];
	for (const column of SEALED_COLUMNS) {
		for await (const rows of iteratePages(store, column)) {
			const changes: (Row & { readonly fresh: string })[] = [];
			for (const row of rows.filter(({ sealed }) => !secrets.isCurrent(sealed))) {
				const context = column.context(row.key);
				try {
					changes.push({ ...row, fresh: secrets.seal(secrets.open(row.sealed, context), context) });
				} catch {
					unreadable.push(`${column.table}.${column.column} of ${row.key}`);
				}
			}
			resealed += await replaceSecrets(store, column, changes);
		}
	}
	return { resealed, unreadable };
}

async function* iteratePages(store: Store, { table, key, column }: SealedColumn): AsyncGenerator<Row[]> {
	for (let after: string | null = null; ; ) {
		const id = sql`${sql.ref(key)}::text`;
		const { rows }: { rows: Row[] } = await sql<Row>`select ${id} as key, ${sql.ref(column)} as sealed
			from ${sql.table(table)} where ${sql.ref(column)} <> '' and ${after === null ? sql`true` : sql`${id} > ${after}`}
			order by ${id} limit ${BATCH}`.execute(store.db);
		yield rows;
		const last = rows.at(-1);
		if (last === undefined || rows.length < BATCH) return;
		after = last.key;
	}
}

/**
 * Updates only rows that are unchanged since they were read: a changed row is sealed with the
 * current key already.
 */
async function replaceSecrets(
	store: Store,
	{ table, key, column }: SealedColumn,
	changes: readonly (Row & { readonly fresh: string })[],
): Promise<number> {
	if (changes.length === 0) return 0;
	const { numAffectedRows } = await sql`update ${sql.table(table)} as t set ${sql.ref(column)} = v.fresh
		from unnest(${changes.map((row) => row.key)}::text[], ${changes.map((row) => row.sealed)}::text[],
			${changes.map((row) => row.fresh)}::text[]) as v(key, sealed, fresh)
		where t.${sql.ref(key)}::text = v.key and t.${sql.ref(column)} = v.sealed`.execute(store.db);
	return Number(numAffectedRows ?? 0);
}
