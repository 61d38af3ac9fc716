/**
 * The use cases that both kinds of stored connections share: list, create, change, delete, test,
 * and opening one for use.
 */
import type { Insertable, Updateable } from "kysely";
import type { Caller, Identity } from "../../platform/caller.ts";
import { buildForbiddenError, buildRefusedError, invalidField, notFound } from "../../platform/errors.ts";
import { type Events, markUnchanged } from "../../platform/events.ts";
import { type PageQuery, paginateRows } from "../../platform/http/paging.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { UntrustedCertificate } from "../../ports/controller.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Schema } from "../../ports/schema.ts";
import type { SealedColumn, Secrets } from "../../ports/secrets.ts";
import { brokenUnique, type Store, type Tx } from "../../ports/store.ts";
import { type ConnectionPolicy, canSee } from "./policy.ts";
import type { ConnectionRow, ConnectionTable, OwnedConnection, StoredConnectionRepo } from "./repo-stored.ts";

export interface StoredConnectionDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly secrets: Pick<Secrets, "seal" | "open">;
	readonly events: Pick<Events, "changed">;
	readonly quotas: Pick<Quotas, "check">;
	readonly log: Log;
}

/** What a driver needs of every connection, besides its address and secret. */
export interface SessionParts {
	readonly id: string;
	readonly revision: string;
	readonly username: string;
	readonly verifyTls: boolean;
	readonly timeoutMs: number;
}

/** A secret of a connection. */
export interface StoredSecret {
	/** Its column is this with `_sealed`. */
	readonly name: "password" | "private_key" | "token";
	/** The field of a body that holds it. */
	readonly field: string;
	/** What messages call it. */
	readonly label: string;
	/** What would happen to it at another address, for messages. */
	readonly exposure: string;
}

export interface GivenSecret extends StoredSecret {
	readonly value: string;
}

/** Why a connection cannot be used; the message is for the user. */
export interface UnusableConnection {
	readonly problem: "deleted" | "inactive" | `${StoredSecret["name"]}_unreadable`;
	readonly message: string;
}

interface FailedTest {
	readonly ok: false;
	readonly kind: string;
	readonly message: string;
	readonly untrusted?: readonly UntrustedCertificate[];
}

/** The checked body of a create or change; an undefined field was not given. */
type Fields = Readonly<Record<string, unknown>> & {
	readonly name?: string | undefined;
	readonly is_public?: boolean | undefined;
};

/** How one kind of connections differs from the other. */
export interface ConnectionKind<Table extends ConnectionTable, Shown, Target, Usable, Tested, Answer> {
	readonly repo: StoredConnectionRepo<Table>;
	readonly policy: ConnectionPolicy;
	readonly table: Table;
	/** Type of the target in the audit log. */
	readonly targetType: string;
	/** What messages call it. */
	readonly noun: string;
	/** Those that a row may have; it has one of them. */
	readonly secrets: readonly StoredSecret[];
	/** The column of the address to which the secret is sent. */
	readonly addressColumn: string & keyof Schema[Table];
	/** The column of further addresses of the same server; absent where a kind has none. */
	readonly alternatesColumn?: string & keyof Schema[Table];
	/** Columns, besides the secret, that a driver's session depends on. */
	readonly sessionColumns: readonly (string & keyof Schema[Table])[];
	/** Columns that were learned through a session, and are reset when a new one is needed. */
	readonly resets: Updateable<Schema[Table]>;
	/** Columns of a new row besides those of the body. */
	readonly initial: Updateable<Schema[Table]>;
	/** The one that a row has. */
	getSecret(row: ConnectionRow<Table>): StoredSecret & { readonly sealed: string };
	/**
	 * The columns and the secret of a body; if the secret is null, the stored one stays.
	 *
	 * @param before null for a create
	 * @throws 400
	 */
	read(
		input: Fields,
		before: ConnectionRow<Table> | null,
	): { readonly values: Readonly<Record<string, unknown>>; readonly secret: GivenSecret | null };
	/** Checks quotas of a create, and makes room for the new row. */
	beforeCreate(tx: Tx, caller: Caller, input: Fields & { readonly is_public: boolean }, id: string): Promise<void>;
	/** Checks the right to a change. @param before the locked row */
	beforeChange(tx: Tx, caller: Caller, input: Fields, before: ConnectionRow<Table>): Promise<void>;
	/** Called after a row was created or changed. */
	afterWrite(tx: Tx): Promise<void>;
	/** Called when a change needs a new session. */
	reconnected(tx: Tx, id: string): Promise<void>;
	/** @throws 409 if the connection is in use */
	beforeRemove(tx: Tx, caller: Caller, row: ConnectionRow<Table>): Promise<void>;
	/** Why the settings refuse an address; null if they do not, or only DNS can tell. */
	refusal(address: string): string | null;
	/** Ends the driver's session. */
	forget(id: string): void;
	present(row: OwnedConnection<Table>, identity: Identity): Shown;
	/** Why the row must not be used; null if it may. */
	findProblem(row: ConnectionRow<Table>): UnusableConnection | null;
	usable(row: ConnectionRow<Table>, session: SessionParts, secret: string): Usable & { readonly target: Target };
	/** @throws AppError if the test was cancelled */
	test(target: Target, signal: AbortSignal): Promise<Tested | FailedTest>;
	/** The columns that record a test. */
	testColumns(result: Tested | FailedTest): Updateable<Schema[Table]>;
	presentTest(result: Tested | FailedTest): Answer;
}

/** Characters of a test's message that are stored. */
const MESSAGE_MAX = 1000;

/** Scheme, host and port, with the scheme's own port where none is given. */
const getOrigin = (address: unknown): string => new URL(String(address)).origin;

/** Certificates that a row, or a change to one, trusts. */
function getPins({ pinned_certificate: pins }: Readonly<Record<string, unknown>>): string[] {
	return typeof pins === "string" ? pins.split(",") : [];
}

/** Of columns that hold a value or a list of texts. */
const isDifferent = (one: unknown, other: unknown): boolean =>
	Array.isArray(one) && Array.isArray(other) ? one.join("\n") !== other.join("\n") : one !== other;

/** The context under which a secret of a row is sealed. */
const secretContext = (targetType: string, { name }: StoredSecret, id: string): string => `${targetType}:${id}:${name}`;

/** Where a table's secrets lie, for the rotation of keys. */
export const sealedColumns = (
	table: ConnectionTable,
	targetType: string,
	secrets: readonly StoredSecret[],
): SealedColumn[] =>
	secrets.map((secret) => ({
		table,
		key: "id",
		column: `${secret.name}_sealed`,
		context: (id) => secretContext(targetType, secret, id),
	}));

export function createStoredConnections<
	Table extends ConnectionTable,
	Shown,
	Target,
	Usable,
	Tested extends { readonly ok: true },
	Answer extends { readonly message: string },
>(deps: StoredConnectionDeps, kind: ConnectionKind<Table, Shown, Target, Usable, Tested, Answer>) {
	const { store, clock, ids, secrets, events, quotas, log } = deps;
	const { repo, policy, noun, targetType } = kind;
	type Row = ConnectionRow<Table>;
	const now = () => new Date(clock.now());
	const about = (id: string) => ({ targetType, targetId: id });
	/** The columns of all secrets: only the given one is stored. */
	const seal = (id: string, given: GivenSecret) =>
		Object.fromEntries(
			kind.secrets.map(({ name }) => [
				`${name}_sealed`,
				name === given.name ? secrets.seal(given.value, secretContext(targetType, given, id)) : "",
			]),
		);
	const unreadable = ({ name, label }: StoredSecret): UnusableConnection => ({
		problem: `${name}_unreadable`,
		message: `The stored ${label} cannot be read: the service's secret key was changed. Enter the ${label} again.`,
	});

	async function readConnection(tx: Tx, caller: Identity, id: string): Promise<Shown> {
		const row = await repo.find(tx.db, id);
		if (row === undefined) throw notFound();
		return kind.present(row, caller);
	}

	async function findVisible(identity: Identity, id: string): Promise<OwnedConnection<Table> | null> {
		const row = await repo.find(store.db, id);
		return row !== undefined && canSee(identity, row) ? row : null;
	}

	/** @throws 404 */
	async function requireVisible(identity: Identity, id: string): Promise<OwnedConnection<Table>> {
		const row = await findVisible(identity, id);
		if (row === null) throw notFound();
		return row;
	}

	/**
	 * Locks the row. @throws 404 if the caller does not see it, 403 if the caller sees it but may not
	 * do this
	 */
	async function lockOwn(tx: Tx, caller: Identity, id: string, may: ConnectionPolicy["canEdit"]): Promise<Row> {
		const row = await repo.lock(tx, id);
		if (row === undefined || !canSee(caller, row)) throw notFound();
		if (!may(caller, row)) throw buildForbiddenError("Only the owner of a connection and administrators may do this.");
		return row;
	}

	type Columns = Readonly<Record<string, unknown>>;
	/** All addresses of a row, or of a change to one. */
	function getAddresses(values: Columns, before: Columns = {}): { readonly field: string; readonly address: string }[] {
		const { addressColumn: column, alternatesColumn: more } = kind;
		const alternates = more === undefined ? [] : ((values[more] ?? before[more] ?? []) as readonly string[]);
		return [
			{ field: column, address: String(values[column] ?? before[column]) },
			...alternates.map((address) => ({ field: more ?? column, address })),
		];
	}

	/**
	 * Whether a change lets the stored secret go to another server, past a certificate check, or to
	 * one with a certificate that was not trusted before.
	 */
	function redirectsSecret(values: Columns, before: Columns) {
		const known = new Set(getAddresses(before).map(({ address }) => getOrigin(address)));
		const moves = getAddresses(values, before).some(({ address }) => !known.has(getOrigin(address)));
		const pinned = getPins(before);
		const trusts = getPins(values).some((pin) => !pinned.includes(pin));
		return moves || trusts || (values.verify_ssl === false && before.verify_ssl === true);
	}

	/**
	 * @throws 400 under the address's field, if the settings refuse one that the row does not have
	 */
	function assertAllowed(values: Columns, before?: Columns): void {
		const known = new Set(before === undefined ? [] : getAddresses(before).map(({ address }) => address));
		for (const { field, address } of getAddresses(values, before)) {
			const refusal = known.has(address) ? null : kind.refusal(address);
			if (refusal !== null) throw invalidField(field, refusal);
		}
	}

	async function writeWithUniqueName<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		return store.transaction(work).catch((error: unknown) => {
			if (brokenUnique(error) !== `${kind.table}_owner_name`) throw error;
			throw invalidField("name", "The owner has another connection of this name.");
		});
	}

	/** Returns null, and logs the cause, if the secret cannot be read. */
	function openConnection(row: Row): (Usable & { readonly target: Target }) | null {
		const { id, username, verify_ssl: verifyTls } = row;
		const stored = kind.getSecret(row);
		let secret: string;
		try {
			secret = secrets.open(stored.sealed, secretContext(targetType, stored, id));
		} catch (error) {
			log.error({ err: error, connectionId: id }, `the ${stored.label} of the ${noun} cannot be read`);
			return null;
		}
		const session = { id, revision: String(row.revision), username, verifyTls, timeoutMs: row.timeout * 1000 };
		return kind.usable(row, session, secret);
	}

	function findUsableConnection(row: Row | undefined): (Usable & { readonly target: Target }) | UnusableConnection {
		if (row === undefined) return { problem: "deleted", message: `The ${noun} does not exist any more.` };
		return kind.findProblem(row) ?? openConnection(row) ?? unreadable(kind.getSecret(row));
	}

	return {
		findVisible,
		requireVisible,
		use: findUsableConnection,

		/**
		 * A connection that the caller sees and that can be used. `field` names it in the body of a
		 * create: each problem is then a 400 under this key. Without it an invisible connection is a
		 * 404, and any other problem a 400 `{detail}`.
		 */
		async usable(identity: Identity, id: string, field?: string): Promise<Usable & { readonly target: Target }> {
			const row = await findVisible(identity, id);
			if (row === null) {
				throw field === undefined ? notFound() : invalidField(field, "There is no such connection that you can see.");
			}
			const found = findUsableConnection(row);
			if (!("problem" in found)) return found;
			throw field === undefined ? buildRefusedError(found.message) : invalidField(field, found.message);
		},

		/**
		 * For background work, whose right to the connection was checked before: does not check
		 * visibility.
		 */
		async target(id: string): Promise<(Usable & { readonly target: Target }) | UnusableConnection> {
			return findUsableConnection(await repo.find(store.db, id));
		},

		async list(caller: Identity, query: PageQuery & { readonly search?: string | undefined }, url: string) {
			return paginateRows(url, query, await repo.page(store.db, caller, query), (row) => kind.present(row, caller));
		},

		async detail(caller: Identity, id: string): Promise<Shown> {
			return kind.present(await requireVisible(caller, id), caller);
		},

		async create(
			caller: Caller,
			input: Fields & { readonly name: string; readonly is_public: boolean },
		): Promise<Shown> {
			const { values, secret } = kind.read(input, null);
			assertAllowed(values);
			const id = ids.uuid();
			const sealed = secret === null ? {} : seal(id, secret);
			const times = { created_at: now(), updated_at: now(), last_tested_at: null };
			return writeWithUniqueName(async (tx) => {
				await kind.beforeCreate(tx, caller, input, id);
				const row = { ...values, ...sealed, ...times, ...kind.initial, id, created_by: caller.userId };
				await repo.insert(tx, row as unknown as Insertable<Schema[Table]>);
				await kind.afterWrite(tx);
				const { is_public, is_default, verify_ssl } = input;
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} added the ${noun} "${input.name}"`,
					metadata: { is_public, verify_ssl, ...(is_default === undefined ? {} : { is_default }) },
				});
				return readConnection(tx, caller, id);
			});
		},

		/** Writes only the given fields, so that two changes at once both take effect. */
		async change(caller: Caller, id: string, input: Fields): Promise<Shown> {
			const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Fields;
			return writeWithUniqueName(async (tx) => {
				const before: Row & Readonly<Record<string, unknown>> = await lockOwn(tx, caller, id, policy.canEdit);
				const fields = Object.keys(given);
				if (input.is_public === true && !before.is_public) await quotas.check(caller, "can_share", tx);
				if (fields.length === 0) {
					markUnchanged(caller);
					return readConnection(tx, caller, id);
				}
				const { values, secret } = kind.read(given, before);
				if (secret === null && redirectsSecret(values, before)) {
					const { field, label, exposure } = kind.getSecret(before);
					throw invalidField(
						field,
						`Enter the ${label} again: ${exposure} to another address, past another certificate, or without checking it.`,
					);
				}
				assertAllowed(values, before);
				await kind.beforeChange(tx, caller, input, before);
				const reconnects =
					secret !== null ||
					kind.sessionColumns.some((name) => values[name] !== undefined && isDifferent(values[name], before[name]));
				const reset = reconnects ? { revision: before.revision + 1, ...kind.resets } : {};
				const sealed = secret === null ? {} : seal(id, secret);
				const row = { ...values, ...sealed, ...reset, updated_at: now() };
				await repo.update(tx, id, row as unknown as Updateable<Schema[Table]>);
				if (reconnects) await kind.reconnected(tx, id);
				await kind.afterWrite(tx);
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} changed the ${noun} "${input.name ?? before.name}"`,
					metadata: { fields },
				});
				if (reconnects || input.is_active === false) tx.afterCommit(() => kind.forget(id));
				return readConnection(tx, caller, id);
			});
		},

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await lockOwn(tx, caller, id, policy.canDelete);
				await kind.beforeRemove(tx, caller, row);
				await repo.remove(tx, id);
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} deleted the ${noun} "${row.name}"`,
				});
				tx.afterCommit(() => kind.forget(id));
			});
		},

		/**
		 * Signs in through the connection and records the outcome. An unreadable secret counts as a
		 * failed test.
		 */
		async test(caller: Caller, id: string, signal: AbortSignal): Promise<Answer> {
			const row = await requireVisible(caller, id);
			if (!policy.canEdit(caller, row)) {
				throw buildForbiddenError("Only the owner of a connection and administrators may test it.");
			}
			const opened = openConnection(row);
			const { problem, message } = unreadable(kind.getSecret(row));
			const result =
				opened === null ? { ok: false as const, kind: problem, message } : await kind.test(opened.target, signal);
			const answer = kind.presentTest(result);
			await store.transaction(async (tx) => {
				const current = await repo.lock(tx, id);
				if (current === undefined) throw notFound();
				// If the connection changed during the test, the test says nothing about it: its last test
				// stays as it is.
				const recorded = current.revision === row.revision;
				if (recorded) {
					const message = answer.message.slice(0, MESSAGE_MAX);
					const tested = { ...kind.testColumns(result), last_tested_at: now(), last_test_message: message };
					await repo.update(tx, id, tested as unknown as Updateable<Schema[Table]>);
				}
				await events.changed(tx, caller, {
					...about(id),
					description: `${caller.username} tested the ${noun} "${row.name}": ${result.ok ? "success" : result.kind}`,
					metadata: { success: result.ok, recorded, ...(result.ok ? {} : { reason: result.kind }) },
				});
			});
			return answer;
		},
	};
}
