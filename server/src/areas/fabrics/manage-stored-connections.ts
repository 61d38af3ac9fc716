/**
 * The use cases that both kinds of stored connections share: list, create, change, delete, test,
 * and opening one for use.
 */
import type { Insertable, Updateable } from "kysely";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { type PageQuery, paginateRows } from "../../core/http/paging.ts";
import type { Schema } from "../../core/ports/schema.ts";
import { findBrokenUnique, type Tx } from "../../core/ports/store.ts";
import { canSee, canWrite } from "./policy.ts";
import {
	type ConnectionRow,
	type ConnectionTable,
	findConnectionRow,
	insertConnectionRow,
	listConnectionRows,
	lockConnectionRow,
	type OwnedConnection,
	removeConnectionRow,
	updateConnectionRow,
} from "./sql/stored.ts";
import type { Columns, ConnectionKind, Fields, UnusableConnection, WithTarget } from "./stored-kind.ts";
import {
	assertAllowedAddresses,
	buildUnreadableProblem,
	openSecret,
	redirectsSecret,
	sealSecret,
} from "./stored-secrets.ts";

/** Characters of a test's message that are stored. */
const MESSAGE_MAX = 1000;

/** Whether two values of a column differ: plain values, or lists of texts. */
const isDifferent = (one: unknown, other: unknown): boolean =>
	Array.isArray(one) && Array.isArray(other) ? one.join("\n") !== other.join("\n") : one !== other;

async function readConnection<Table extends ConnectionTable, Shown>(
	tx: Tx,
	kind: ConnectionKind<Table, Shown>,
	caller: Identity,
	id: string,
): Promise<Shown> {
	const row = await findConnectionRow(tx.db, kind.table, id);
	if (row === undefined) throw buildNotFoundError();
	return kind.present(row, caller);
}

/** Null if the identity does not see the connection. */
export async function findStoredConnection<Table extends ConnectionTable>(
	ctx: Context,
	{ table }: { readonly table: Table },
	identity: Identity,
	id: string,
): Promise<OwnedConnection<Table> | null> {
	const row = await findConnectionRow(ctx.store.db, table, id);
	return row !== undefined && canSee(identity, row) ? row : null;
}

/** @throws 404 */
export async function requireStoredConnection<Table extends ConnectionTable>(
	ctx: Context,
	kind: { readonly table: Table },
	identity: Identity,
	id: string,
): Promise<OwnedConnection<Table>> {
	const row = await findStoredConnection(ctx, kind, identity, id);
	if (row === null) throw buildNotFoundError();
	return row;
}

/**
 * Locks the row. @throws 404 if the caller does not see it, 403 if the caller sees it but may not
 * do this
 */
async function lockOwnConnection<Table extends ConnectionTable>(
	tx: Tx,
	{ table, model }: Pick<ConnectionKind<Table>, "table" | "model">,
	caller: Identity,
	id: string,
	verb: "change" | "delete",
): Promise<ConnectionRow<Table>> {
	const row = await lockConnectionRow(tx, table, id);
	if (row === undefined || !canSee(caller, row)) throw buildNotFoundError();
	if (!canWrite(caller, row, `${verb}_${model}`)) {
		throw buildForbiddenError("Only the owner of a connection and administrators may do this.");
	}
	return row;
}

async function writeWithUniqueName<T>(ctx: Context, table: ConnectionTable, work: (tx: Tx) => Promise<T>): Promise<T> {
	return ctx.store.transaction(work).catch((error: unknown) => {
		if (findBrokenUnique(error) !== `${table}_owner_name`) throw error;
		throw buildFieldError("name", "The owner has another connection of this name.");
	});
}

/** Returns null, and logs the cause, if the secret cannot be read. */
function openConnection<Table extends ConnectionTable, Usable extends WithTarget>(
	ctx: Context,
	kind: ConnectionKind<Table, unknown, Usable>,
	row: ConnectionRow<Table>,
): Usable | null {
	const { id, username, verify_ssl: verifyTls } = row;
	const secret = openSecret(ctx, kind, id, kind.getSecret(row));
	if (secret === null) return null;
	const session = { id, revision: String(row.revision), username, verifyTls, timeoutMs: row.timeout * 1000 };
	return kind.usable(row, session, secret);
}

/** The connection of a row for use, or the problem that prevents it. */
export function openUsableConnection<Table extends ConnectionTable, Usable extends WithTarget>(
	ctx: Context,
	kind: ConnectionKind<Table, unknown, Usable>,
	row: ConnectionRow<Table> | undefined,
): Usable | UnusableConnection {
	if (row === undefined) return { problem: "deleted", message: `The ${kind.noun} does not exist any more.` };
	return kind.findProblem(row) ?? openConnection(ctx, kind, row) ?? buildUnreadableProblem(kind.getSecret(row));
}

/**
 * A connection that the caller sees and that can be used. `field` names it in the body of a
 * create: each problem is then a 400 under this key. Without it an invisible connection is a
 * 404, and any other problem a 400 `{detail}`.
 */
export async function requireUsableConnection<Table extends ConnectionTable, Usable extends WithTarget>(
	ctx: Context,
	kind: ConnectionKind<Table, unknown, Usable>,
	identity: Identity,
	id: string,
	field?: string,
): Promise<Usable> {
	const row = await findStoredConnection(ctx, kind, identity, id);
	if (row === null) {
		throw field === undefined
			? buildNotFoundError()
			: buildFieldError(field, "There is no such connection that you can see.");
	}
	const found = openUsableConnection(ctx, kind, row);
	if (!("problem" in found)) return found;
	throw field === undefined ? buildRefusedError(found.message) : buildFieldError(field, found.message);
}

/**
 * The connection for background work, whose right to it was checked before: does not check
 * visibility.
 */
export async function findUsableConnection<Table extends ConnectionTable, Usable extends WithTarget>(
	ctx: Context,
	kind: ConnectionKind<Table, unknown, Usable>,
	id: string,
): Promise<Usable | UnusableConnection> {
	return openUsableConnection(ctx, kind, await findConnectionRow(ctx.store.db, kind.table, id));
}

export async function listStoredConnections<Table extends ConnectionTable, Shown>(
	ctx: Context,
	kind: ConnectionKind<Table, Shown>,
	caller: Identity,
	query: PageQuery & { readonly search?: string | undefined },
	url: string,
) {
	const page = await listConnectionRows(ctx.store.db, kind.table, caller, query);
	return paginateRows(url, query, page, (row) => kind.present(row, caller));
}

export async function readStoredConnection<Table extends ConnectionTable, Shown>(
	ctx: Context,
	kind: ConnectionKind<Table, Shown>,
	caller: Identity,
	id: string,
): Promise<Shown> {
	return kind.present(await requireStoredConnection(ctx, kind, caller, id), caller);
}

/** The checked body of a create. */
export type NewConnection = Fields & { readonly name: string; readonly is_public: boolean };

export async function createStoredConnection<Table extends ConnectionTable, Shown>(
	ctx: Context,
	kind: ConnectionKind<Table, Shown>,
	caller: Caller,
	input: NewConnection,
): Promise<Shown> {
	const { values, secret } = kind.read(ctx, input, null);
	assertAllowedAddresses(ctx, kind, values);
	const id = ctx.ids.uuid();
	const sealed = sealSecret(ctx, kind, id, secret);
	return writeWithUniqueName(ctx, kind.table, async (tx) => {
		await insertStoredConnection(ctx, tx, kind, caller, { id, input, columns: { ...values, ...sealed } });
		return readConnection(tx, kind, caller, id);
	});
}

/** A connection that is to be created: its body, and the columns that were read from it. */
interface CheckedConnection {
	readonly id: string;
	readonly input: NewConnection;
	readonly columns: Columns;
}

/** Inserts a checked connection, and writes its event. */
export async function insertStoredConnection<Table extends ConnectionTable>(
	ctx: Context,
	tx: Tx,
	kind: ConnectionKind<Table>,
	caller: Caller,
	{ id, input, columns }: CheckedConnection,
): Promise<void> {
	await kind.beforeCreate(ctx, tx, caller, input, id);
	const now = getNow(ctx);
	const times = { created_at: now, updated_at: now, last_tested_at: null };
	const row = { ...columns, ...times, ...kind.initial, id, created_by: caller.userId };
	await insertConnectionRow(tx, kind.table, row as unknown as Insertable<Schema[Table]>);
	await kind.afterWrite?.(ctx, tx);
	const { is_public, is_default, verify_ssl } = input;
	await ctx.events.changed(tx, caller, {
		targetType: kind.targetType,
		targetId: id,
		description: `${caller.username} added the ${kind.noun} "${input.name}"`,
		metadata: { is_public, verify_ssl, ...(is_default === undefined ? {} : { is_default }) },
	});
}

/** Writes only the given fields, so that two changes at once both take effect. */
export async function changeStoredConnection<Table extends ConnectionTable, Shown>(
	ctx: Context,
	kind: ConnectionKind<Table, Shown>,
	caller: Caller,
	id: string,
	input: Fields,
): Promise<Shown> {
	const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Fields;
	return writeWithUniqueName(ctx, kind.table, async (tx) => {
		const before = await lockOwnConnection(tx, kind, caller, id, "change");
		await writeStoredChange(ctx, tx, kind, caller, before, given);
		return readConnection(tx, kind, caller, id);
	});
}

/**
 * Writes a change and its event.
 * @param before the locked row
 * @param given the fields to write
 */
export async function writeStoredChange<Table extends ConnectionTable>(
	ctx: Context,
	tx: Tx,
	kind: ConnectionKind<Table>,
	caller: Caller,
	before: ConnectionRow<Table>,
	given: Fields,
): Promise<void> {
	const { id } = before;
	const fields = Object.keys(given);
	if (given.is_public === true && !before.is_public) await ctx.quotas.check(caller, "can_share", tx);
	if (fields.length === 0) {
		markUnchanged(caller);
		return;
	}
	const { row, reconnects } = await buildChange(ctx, kind, tx, caller, before, given);
	await updateConnectionRow(tx, kind.table, id, row);
	if (reconnects) await kind.reconnected?.(ctx, tx, id);
	await kind.afterWrite?.(ctx, tx);
	await ctx.events.changed(tx, caller, {
		targetType: kind.targetType,
		targetId: id,
		description: `${caller.username} changed the ${kind.noun} "${given.name ?? before.name}"`,
		metadata: { fields },
	});
	if (reconnects || given.is_active === false) tx.afterCommit(() => kind.forget(ctx, id));
}

/**
 * Checks the values of a change. Returns its columns and its secret.
 *
 * @throws 400 where it is wrong, or would send the stored secret elsewhere
 */
export function checkStoredChange<Table extends ConnectionTable>(
	ctx: Context,
	kind: ConnectionKind<Table>,
	before: ConnectionRow<Table>,
	given: Fields,
): ReturnType<ConnectionKind<Table>["read"]> {
	const { values, secret } = kind.read(ctx, given, before);
	const { field, label, exposure, sealed } = kind.getSecret(before);
	if (secret === null && sealed !== "" && redirectsSecret(kind, values, before as Columns)) {
		throw buildFieldError(
			field,
			`Enter the ${label} again: ${exposure} to another address, past another certificate, or without checking it.`,
		);
	}
	assertAllowedAddresses(ctx, kind, values, before as Columns);
	return { values, secret };
}

/**
 * Checks a change. Returns the columns to write, and whether the driver needs a new session.
 *
 * @param before the locked row
 */
async function buildChange<Table extends ConnectionTable>(
	ctx: Context,
	kind: ConnectionKind<Table>,
	tx: Tx,
	caller: Caller,
	before: ConnectionRow<Table> & Columns,
	given: Fields,
): Promise<{ readonly row: Updateable<Schema[Table]>; readonly reconnects: boolean }> {
	const { values, secret } = checkStoredChange(ctx, kind, before, given);
	await kind.beforeChange(ctx, tx, caller, given, before);
	const reconnects =
		secret !== null ||
		kind.sessionColumns.some((name) => values[name] !== undefined && isDifferent(values[name], before[name]));
	const reset = reconnects ? { revision: before.revision + 1, ...kind.resets } : {};
	const sealed = sealSecret(ctx, kind, before.id, secret);
	const row = { ...values, ...sealed, ...reset, updated_at: getNow(ctx) };
	return { row: row as unknown as Updateable<Schema[Table]>, reconnects };
}

export async function removeStoredConnection<Table extends ConnectionTable>(
	ctx: Context,
	kind: ConnectionKind<Table>,
	caller: Caller,
	id: string,
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockOwnConnection(tx, kind, caller, id, "delete");
		await kind.beforeRemove?.(ctx, tx, caller, row);
		await removeConnectionRow(tx, kind.table, id);
		await ctx.events.changed(tx, caller, {
			targetType: kind.targetType,
			targetId: id,
			description: `${caller.username} deleted the ${kind.noun} "${row.name}"`,
		});
		tx.afterCommit(() => kind.forget(ctx, id));
	});
}

/**
 * Signs in through the connection and records the outcome. An unreadable secret counts as a
 * failed test.
 */
export async function testStoredConnection<
	Table extends ConnectionTable,
	Usable extends WithTarget,
	Tested extends { readonly ok: true },
	Answer extends { readonly message: string },
>(
	ctx: Context,
	kind: ConnectionKind<Table, unknown, Usable, Tested, Answer>,
	caller: Caller,
	id: string,
	signal: AbortSignal,
): Promise<Answer> {
	const row = await requireStoredConnection(ctx, kind, caller, id);
	if (!canWrite(caller, row, `change_${kind.model}`)) {
		throw buildForbiddenError("Only the owner of a connection and administrators may test it.");
	}
	const opened = openConnection(ctx, kind, row);
	const { problem, message } = buildUnreadableProblem(kind.getSecret(row));
	const result =
		opened === null ? { ok: false as const, kind: problem, message } : await kind.test(ctx, opened.target, signal);
	const answer = kind.presentTest(result);
	await ctx.store.transaction(async (tx) => {
		const current = await lockConnectionRow(tx, kind.table, id);
		if (current === undefined) throw buildNotFoundError();
		// If the connection changed during the test, the test says nothing about it: its last test
		// stays as it is.
		const recorded = current.revision === row.revision;
		if (recorded) {
			const now = getNow(ctx);
			const last_test_message = answer.message.slice(0, MESSAGE_MAX);
			const tested = { ...kind.testColumns(result, now), last_tested_at: now, last_test_message };
			await updateConnectionRow(tx, kind.table, id, tested as unknown as Updateable<Schema[Table]>);
		}
		await ctx.events.changed(tx, caller, {
			targetType: kind.targetType,
			targetId: id,
			description: `${caller.username} tested the ${kind.noun} "${row.name}": ${result.ok ? "success" : result.kind}`,
			metadata: { success: result.ok, recorded, ...(result.ok ? {} : { reason: result.kind }) },
		});
	});
	return answer;
}
