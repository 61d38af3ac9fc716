/** Controller connections: list, create, change, delete. */
import type { ConnectionCreate, ConnectionPatch, ConnectionReplace, ControllerConnection } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { forbidden, invalidField, notFound } from "../../platform/errors.ts";
import { type Events, unchanged } from "../../platform/events.ts";
import { offsetOf, type PageQuery, paginate } from "../../platform/http/paging.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ControllerDriver } from "../../ports/controller.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Secrets } from "../../ports/secrets.ts";
import { brokenUnique, type Store, type Tx } from "../../ports/store.ts";
import { canDelete, canEdit, canSee } from "./policy.ts";
import { presentConnection } from "./present.ts";
import { type ConnectionRepo, type ConnectionRow, OWNER_NAME } from "./repo.ts";

export interface ConnectionDeps {
	readonly store: Store;
	readonly repo: ConnectionRepo;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly secrets: Pick<Secrets, "seal" | "open">;
	readonly events: Pick<Events, "changed">;
	readonly controllers: ControllerDriver;
	readonly quotas: Pick<Quotas, "check">;
}

/** The context under which a connection's password is sealed. */
export const passwordContext = (id: string): string => `controller_connection:${id}:password`;

export function createConnectionService(deps: ConnectionDeps) {
	const { store, repo, clock, ids, secrets, events, controllers, quotas } = deps;
	const now = () => new Date(clock.now());

	async function show(tx: Tx, caller: Identity, id: string): Promise<ControllerConnection> {
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

	/** Only the given fields are written, so that of two changes at once both count. */
	async function change(caller: Caller, id: string, input: ConnectionPatch): Promise<ControllerConnection> {
		const { password, ...fields } = input;
		const sealed = password === undefined ? {} : { password_sealed: secrets.seal(password, passwordContext(id)) };
		return namesChecked(
			store.transaction(async (tx) => {
				const before = await own(tx, caller, id, canEdit);
				const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
				if (fields.is_public === true && !before.is_public) await quotas.check(caller, "can_share", tx);
				if (names.length === 0) {
					unchanged(caller);
					return show(tx, caller, id);
				}
				const values = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
				const reconnects = password !== undefined || RECONNECT.some((field) => differs(values[field], before[field]));
				await repo.update(tx, id, {
					...values,
					...sealed,
					...(reconnects ? { revision: before.revision + 1 } : {}),
					updated_at: now(),
				});
				await events.changed(tx, caller, {
					...about(before),
					description: `${caller.username} changed the controller connection "${fields.name ?? before.name}"`,
					metadata: { fields: names },
				});
				if (reconnects || fields.is_active === false) tx.afterCommit(() => controllers.forget(id));
				return show(tx, caller, id);
			}),
		);
	}

	return {
		async list(caller: Identity, query: PageQuery, url: string) {
			const ownerId = caller.isAdmin ? null : caller.userId;
			const page = await repo.page(store.db, ownerId, { limit: query.page_size, offset: offsetOf(query) });
			return paginate(url, query, page, (row) => presentConnection(row, caller));
		},

		async detail(caller: Identity, id: string): Promise<ControllerConnection> {
			const row = await repo.find(store.db, id);
			if (row === undefined || !canSee(caller, row)) throw notFound();
			return presentConnection(row, caller);
		},

		async create(caller: Caller, input: ConnectionCreate): Promise<ControllerConnection> {
			const { password, ...fields } = input;
			const id = ids.uuid();
			const password_sealed = secrets.seal(password, passwordContext(id));
			const at = now();
			return namesChecked(
				store.transaction(async (tx) => {
					if (fields.is_public) await quotas.check(caller, "can_share", tx);
					await quotas.check(caller, "connections_max", tx);
					await repo.insert(tx, {
						...fields,
						id,
						password_sealed,
						created_by: caller.userId,
						created_at: at,
						updated_at: at,
						last_tested_at: null,
						last_test_status: null,
					});
					await events.changed(tx, caller, {
						...about({ id }),
						description: `${caller.username} added the controller connection "${fields.name}"`,
						metadata: { is_public: fields.is_public, verify_ssl: fields.verify_ssl },
					});
					return show(tx, caller, id);
				}),
			);
		},

		update: change,

		replace: (caller: Caller, id: string, input: ConnectionReplace) => change(caller, id, input),

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await own(tx, caller, id, canDelete);
				await repo.remove(tx, id);
				await events.changed(tx, caller, {
					...about(row),
					description: `${caller.username} deleted the controller connection "${row.name}"`,
				});
				tx.afterCommit(() => controllers.forget(id));
			});
		},
	};
}

/** What a session depends on, besides the password. */
const RECONNECT = ["url", "username", "verify_ssl", "timeout"] as const;

const differs = (value: unknown, before: unknown): boolean => value !== undefined && value !== before;

export const about = ({ id }: { id: string }) => ({ targetType: "controller_connection", targetId: id });

function namesChecked<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		if (brokenUnique(error) !== OWNER_NAME) throw error;
		throw invalidField("name", "The owner has another connection of this name.");
	});
}
