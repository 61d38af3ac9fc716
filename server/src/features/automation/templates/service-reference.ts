/**
 * Column templates, validation lists and regex patterns: the same use cases for what has an owner
 * and may be shared.
 */
import type { OwnedList, PermissionRule } from "@weft/contracts";
import type { Insertable, Updateable } from "kysely";
import type { Caller, Identity } from "../../../platform/caller.ts";
import { buildConflictError, buildForbiddenError, invalidField, notFound } from "../../../platform/errors.ts";
import { type Events, markUnchanged } from "../../../platform/events.ts";
import { paginateRows } from "../../../platform/http/paging.ts";
import type { Quotas } from "../../../platform/quotas.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import { brokenUnique, type Store, type Tx } from "../../../ports/store.ts";
import { canChange } from "./policy.ts";
import {
	type OwnedRow,
	type OwnedTable,
	type OwnedTables,
	type ReferenceRepo,
	UNIQUE_NAMES,
} from "./repo-reference.ts";

export interface ReferenceDeps {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly quotas: Pick<Quotas, "check">;
}

/** Some of the fields. */
export type Given<Input> = { readonly [Field in keyof Input]?: Input[Field] | undefined };

interface Kind<Table extends OwnedTable, Input, Shown> {
	readonly repo: ReferenceRepo<Table>;
	/** `validationlist`: as permissions call it. */
	readonly model: string;
	/** `validation list`: as people call it. */
	readonly noun: string;
	present(row: OwnedRow<Table>, identity: Identity): Shown;
	/** The columns of the input that is given; throws 400 where it makes no sense. */
	values(tx: Tx, caller: Identity, input: Given<Input>): Promise<Record<string, unknown>>;
}

export function createReference<
	Table extends OwnedTable,
	Input extends { readonly name: string; readonly is_public: boolean },
	Shown,
>(deps: ReferenceDeps, kind: Kind<Table, Input, Shown>) {
	const { store, events, clock, ids, quotas } = deps;
	const { repo, model, noun, present } = kind;
	const about = (id: string) => ({ targetType: model, targetId: id });

	async function readReference(tx: Tx, caller: Identity, id: string): Promise<Shown> {
		const row = await repo.find(tx.db, caller, id);
		if (row === undefined) throw notFound();
		return present(row, caller);
	}

	async function lockChangeableRow(
		tx: Tx,
		caller: Caller,
		id: string,
		verb: "change" | "delete",
	): Promise<OwnedRow<Table>> {
		const row = await repo.lock(tx, caller, id);
		if (row === undefined) throw notFound();
		if (!canChange(caller, row, `${verb}_${model}` as PermissionRule)) {
			throw buildForbiddenError(`Only the owner of a ${noun} and administrators may do this.`);
		}
		return row;
	}

	async function writeWithUniqueName<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		return store.transaction(work).catch((error: unknown) => {
			if (!UNIQUE_NAMES.includes(brokenUnique(error) ?? "")) throw error;
			throw invalidField("name", `Another ${noun} has this name.`);
		});
	}

	return {
		async list(caller: Identity, filter: OwnedList, url: string) {
			return paginateRows(url, filter, await repo.page(store.db, caller, filter), (row) => present(row, caller));
		},

		async detail(caller: Identity, id: string): Promise<Shown> {
			const row = await repo.find(store.db, caller, id);
			if (row === undefined) throw notFound();
			return present(row, caller);
		},

		async create(caller: Caller, input: Input): Promise<Shown> {
			return writeWithUniqueName(async (tx) => {
				if (input.is_public) await quotas.check(caller, "can_share", tx);
				await quotas.check(caller, "automation_references_max", tx);
				const id = ids.uuid();
				const at = new Date(clock.now());
				const owner = { created_by: caller.userId, creator: caller.username, created_at: at, updated_at: at };
				const row = { id, ...(await kind.values(tx, caller, input)), ...owner };
				await repo.insert(tx, row as unknown as Insertable<OwnedTables[Table]>);
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} made the ${noun} "${input.name}"`,
				});
				return readReference(tx, caller, id);
			});
		},

		async update(caller: Caller, id: string, input: Given<Input>): Promise<Shown> {
			return writeWithUniqueName(async (tx) => {
				const before = await lockChangeableRow(tx, caller, id, "change");
				if (input.is_public === true && !before.is_public) await quotas.check(caller, "can_share", tx);
				const values = await kind.values(tx, caller, input);
				if (Object.keys(values).length === 0) {
					markUnchanged(caller);
					return readReference(tx, caller, id);
				}
				const at = { updated_at: new Date(clock.now()) };
				await repo.update(tx, id, { ...values, ...at } as unknown as Updateable<OwnedTables[Table]>);
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} changed the ${noun} "${input.name ?? before.name}"`,
					metadata: { fields: Object.keys(values) },
				});
				return readReference(tx, caller, id);
			});
		},

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await lockChangeableRow(tx, caller, id, "delete");
				if (row.usage_count > 0 || (await repo.usedByColumn(tx.db, id))) {
					throw buildConflictError(`The ${noun} is in use.`, { usage_count: row.usage_count });
				}
				await repo.remove(tx, id);
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} deleted the ${noun} "${row.name}"`,
				});
			});
		},
	};
}
