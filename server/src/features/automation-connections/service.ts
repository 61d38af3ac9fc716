/** Connections to automation servers: list, create, change, delete. */
import type {
	AutomationConnection,
	AutomationConnectionCreate,
	AutomationConnectionPatch,
	AutomationConnectionReplace,
} from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { conflict, forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { type Events, unchanged } from "../../platform/events.ts";
import { offsetOf, type PageQuery, paginate } from "../../platform/http/paging.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { AutomationDriver } from "../../ports/automation-server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Secrets } from "../../ports/secrets.ts";
import { brokenUnique, type Db, type Store, type Tx } from "../../ports/store.ts";
import { canDelete, canEdit, canSee } from "./policy.ts";
import { presentConnection } from "./present.ts";
import { type ConnectionRepo, type ConnectionRow, ONE_DEFAULT, OWNER_NAME } from "./repo.ts";

export interface ConnectionDeps {
	readonly store: Store;
	readonly repo: ConnectionRepo;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly secrets: Pick<Secrets, "seal" | "open">;
	readonly events: Pick<Events, "changed">;
	readonly automation: AutomationDriver;
	readonly quotas: Pick<Quotas, "check">;
	readonly log: Log;
	/** Whether jobs that were launched through it are still watched. */
	inUse(db: Db, connectionId: string): Promise<boolean>;
}

/** The context under which a connection's token is sealed. */
export const tokenContext = (id: string): string => `automation_connection:${id}:token`;

export const about = ({ id }: { id: string }) => ({ targetType: "automation_connection", targetId: id });

/** What the driver's sockets and session depend on, besides the token. */
const RECONNECT = ["base_url", "username", "verify_ssl", "timeout"] as const;

export function createConnectionService(deps: ConnectionDeps) {
	const { store, repo, clock, ids, secrets, events, automation, quotas } = deps;
	const now = () => new Date(clock.now());

	async function show(tx: Tx, caller: Identity, id: string): Promise<AutomationConnection> {
		const row = await repo.find(tx.db, id);
		if (row === undefined) throw notFound();
		return presentConnection(row, caller);
	}

	/** The row, locked, if the caller may do this with it: 404 where it is not visible, 403 where it is. */
	async function own(
		tx: Tx,
		caller: Identity,
		id: string,
		may: (identity: Identity, row: ConnectionRow) => boolean,
	): Promise<ConnectionRow> {
		const row = await repo.lock(tx, id);
		if (row === undefined || !canSee(caller, row)) throw notFound();
		if (!may(caller, row)) throw forbidden("Only the owner of a connection and administrators may do this.");
		return row;
	}

	async function change(caller: Caller, id: string, input: AutomationConnectionPatch): Promise<AutomationConnection> {
		const { oauth_token, ...fields } = input;
		const sealed = oauth_token === undefined ? {} : { token_sealed: secrets.seal(oauth_token, tokenContext(id)) };
		return checked(
			store.transaction(async (tx) => {
				const before = await own(tx, caller, id, canEdit);
				const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
				if (fields.is_public === true && !before.is_public) await quotas.check(caller, "can_share", tx);
				if (names.length === 0) {
					unchanged(caller);
					return show(tx, caller, id);
				}
				if (fields.is_default === true) await repo.clearDefault(tx, id);
				const values = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
				const reconnects =
					oauth_token !== undefined ||
					RECONNECT.some((field) => values[field] !== undefined && values[field] !== before[field]);
				await repo.update(tx, id, {
					...values,
					...sealed,
					...(reconnects ? { revision: before.revision + 1, api_root: null, server_version: null } : {}),
					updated_at: now(),
				});
				await events.changed(tx, caller, {
					...about(before),
					description: `${caller.username} changed the automation connection "${fields.name ?? before.name}"`,
					metadata: { fields: names },
				});
				if (reconnects) tx.afterCommit(() => automation.forget(id));
				return show(tx, caller, id);
			}),
		);
	}

	return {
		async list(caller: Identity, query: PageQuery & { readonly search?: string | undefined }, url: string) {
			const ownerId = caller.isAdmin ? null : caller.userId;
			const page = await repo.page(store.db, ownerId, {
				limit: query.page_size,
				offset: offsetOf(query),
				search: query.search,
			});
			return paginate(url, query, page, (row) => presentConnection(row, caller));
		},

		async detail(caller: Identity, id: string): Promise<AutomationConnection> {
			const row = await repo.find(store.db, id);
			if (row === undefined || !canSee(caller, row)) throw notFound();
			return presentConnection(row, caller);
		},

		async create(caller: Caller, input: AutomationConnectionCreate): Promise<AutomationConnection> {
			const { oauth_token, ...fields } = input;
			const id = ids.uuid();
			const token_sealed = secrets.seal(oauth_token, tokenContext(id));
			const at = now();
			return checked(
				store.transaction(async (tx) => {
					await quotas.check(caller, "can_use_automation", tx);
					if (fields.is_public) await quotas.check(caller, "can_share", tx);
					if (fields.is_default) await repo.clearDefault(tx, id);
					await repo.insert(tx, {
						...fields,
						id,
						token_sealed,
						created_by: caller.userId,
						created_at: at,
						updated_at: at,
						api_root: null,
						server_version: null,
						last_tested_at: null,
					});
					await events.changed(tx, caller, {
						...about({ id }),
						description: `${caller.username} added the automation connection "${fields.name}"`,
						metadata: { is_public: fields.is_public, is_default: fields.is_default, verify_ssl: fields.verify_ssl },
					});
					return show(tx, caller, id);
				}),
			);
		},

		update: change,

		replace: (caller: Caller, id: string, input: AutomationConnectionReplace) => change(caller, id, input),

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await own(tx, caller, id, canDelete);
				if (await deps.inUse(tx.db, id)) {
					throw conflict("Jobs that were launched through this connection are not over yet.");
				}
				await repo.remove(tx, id);
				await events.changed(tx, caller, {
					...about(row),
					description: `${caller.username} deleted the automation connection "${row.name}"`,
				});
				tx.afterCommit(() => automation.forget(id));
			});
		},
	};
}

function checked<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		const broken = brokenUnique(error);
		if (broken === OWNER_NAME) throw invalidField("name", "The owner has another connection of this name.");
		if (broken === ONE_DEFAULT) throw conflict("Another connection was made the default at the same time. Try again.");
		throw error;
	});
}
