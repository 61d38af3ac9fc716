/** How one kind of stored connections differs from the other. */
import type { RawBuilder, Updateable } from "kysely";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import type { Schema } from "../../core/ports/schema.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { UntrustedCertificate } from "../../integrations/apic/port-test-result.ts";
import type { ConnectionModel } from "./policy.ts";
import type { ConnectionRow, ConnectionTable, OwnedConnection } from "./sql/stored.ts";

/** The parts of a target that every connection has, besides its address and secret. */
interface SessionParts {
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
	/** Its name in messages. */
	readonly label: string;
	/** The effect of another address on it, for messages: "it would be sent". */
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

/** Columns of a row, or of a change to one. */
export type Columns = Readonly<Record<string, unknown>>;

/** The checked body of a create or change; an undefined field was not given. */
export type Fields = Columns & {
	readonly name?: string | undefined;
	readonly is_public?: boolean | undefined;
};

/** A connection that may be used: it has at least the target that the driver needs. */
export interface WithTarget {
	readonly target: unknown;
}

/** Columns of a row, each as a value or an expression. */
type TestColumns<Table extends ConnectionTable> = {
	readonly [Column in keyof Updateable<Schema[Table]>]: Updateable<Schema[Table]>[Column] | RawBuilder<unknown>;
};

/** The defaults are what the shared use cases need to know of a kind. */
export interface ConnectionKind<
	Table extends ConnectionTable,
	Shown = unknown,
	Usable extends WithTarget = WithTarget,
	Tested extends { readonly ok: true } = { readonly ok: true },
	Answer extends { readonly message: string } = { readonly message: string },
> {
	readonly table: Table;
	readonly model: ConnectionModel;
	/** Type of the target in the audit log. */
	readonly targetType: string;
	/** Its name in messages. */
	readonly noun: string;
	/** A row has one of these. */
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
		ctx: Context,
		input: Fields,
		before: ConnectionRow<Table> | null,
	): { readonly values: Columns; readonly secret: GivenSecret | null };
	/** Checks quotas of a create, and makes room for the new row. */
	beforeCreate(
		ctx: Context,
		tx: Tx,
		caller: Caller,
		input: Fields & { readonly is_public: boolean },
		id: string,
	): Promise<void>;
	/** Checks the right to a change. @param before the locked row */
	beforeChange(ctx: Context, tx: Tx, caller: Caller, input: Fields, before: ConnectionRow<Table>): Promise<void>;
	/** Called after a row was created or changed. */
	afterWrite?(ctx: Context, tx: Tx): Promise<void>;
	/** Called when a change needs a new session. */
	reconnected?(ctx: Context, tx: Tx, id: string): Promise<void>;
	/** @throws 409 if the connection is in use */
	beforeRemove?(ctx: Context, tx: Tx, caller: Caller, row: ConnectionRow<Table>): Promise<void>;
	/** Why the settings refuse an address; null if they do not, or only DNS can tell. */
	refusal(ctx: Context, address: string): string | null;
	/** Ends the driver's session. */
	forget(ctx: Context, id: string): void;
	present(row: OwnedConnection<Table>, identity: Identity): Shown;
	/** Why the row must not be used; null if it may. */
	findProblem(row: ConnectionRow<Table>): UnusableConnection | null;
	usable(row: ConnectionRow<Table>, session: SessionParts, secret: string): Usable;
	/** @throws AppError if the test was cancelled */
	test(ctx: Context, target: Usable["target"], signal: AbortSignal): Promise<Tested | FailedTest>;
	/** The columns that record a test. */
	testColumns(result: Tested | FailedTest, now: Date): TestColumns<Table>;
	presentTest(result: Tested | FailedTest): Answer;
}
