/** Connections as files: compares a file with the stored connection, and writes it. */
import type { ConnectionContent } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildConflictError, buildFieldError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { assertDistinct, readConfirmation } from "./confirm-cluster-change.ts";
import { CONTROLLER_KIND } from "./controller-kind.ts";
import { type LoginInput, readLogin } from "./controller-login.ts";
import { checkStoredChange, insertStoredConnection, writeStoredChange } from "./manage-stored-connections.ts";
import { type ConnectionRow, lockConnectionRow } from "./sql/stored.ts";
import { assertAllowedAddresses } from "./stored-secrets.ts";

type Row = ConnectionRow<"controller_connections">;

/** A file that was checked, and the change that it makes. */
export interface ConnectionChange {
	/** A new connection has its future id. */
	readonly id: string;
	readonly isNew: boolean;
	readonly input: ConnectionContent;
	/** Names of fields that differ; empty if the connection is as the file says. */
	readonly fields: readonly string[];
}

/** A stored connection as its file holds it: without secrets. */
export const presentConnectionFile = (row: Row): ConnectionContent => ({
	name: row.name,
	description: row.description,
	url: row.url,
	alternate_urls: row.alternate_urls,
	// Only administrators write it: a file without it leaves it alone.
	is_one_fabric_confirmed: row.is_one_fabric_confirmed || undefined,
	auth_method: row.auth_method,
	...(row.auth_method === "certificate" ? { certificate_dn: row.certificate_dn } : { username: row.username }),
	verify_ssl: row.verify_ssl,
	pinned_certificate: row.pinned_certificate,
	timeout: row.timeout,
	is_active: row.is_active,
	is_public: row.is_public,
});

const ADDRESSES = ["url", "alternate_urls"] as const;

/**
 * Finds the fields of a file that differ from the stored connection, with their values.
 *
 * @throws AppError 400 where they would change the address to which a stored secret is sent
 */
function findDifferences(row: Row, input: ConnectionContent): Partial<ConnectionContent> {
	const stored: Readonly<Record<string, unknown>> = presentConnectionFile(row);
	const differing = Object.entries(input).filter(([field, value]) => {
		if (value === undefined || (value === null && stored[field] === undefined)) return false;
		// The user of a certificate is in its DN.
		if (field === "username" && input.auth_method === "certificate") return false;
		return JSON.stringify(value) !== JSON.stringify(stored[field] ?? null);
	});
	const { label, sealed } = CONTROLLER_KIND.getSecret(row);
	const moved = ADDRESSES.find((field) => differing.some(([name]) => name === field));
	if (sealed !== "" && moved !== undefined) {
		throw buildFieldError(
			moved,
			`The connection "${row.name}" has a stored ${label}, which a file sends to no other address. ` +
				`Edit the connection, enter the address and the ${label} there, and export it again.`,
		);
	}
	return Object.fromEntries(differing);
}

/**
 * Checks a file, and finds the change that it makes.
 * @param before the stored connection; null for a new one
 * @throws AppError 400 by field
 */
export function checkConnectionFile(ctx: Context, input: ConnectionContent, before: Row | null): ConnectionChange {
	if (before === null) {
		assertAllowedAddresses(ctx, CONTROLLER_KIND, readNewColumns(ctx, input));
		return { id: ctx.ids.uuid(), isNew: true, input, fields: [] };
	}
	const given = findDifferences(before, input);
	if (Object.keys(given).length > 0) checkStoredChange(ctx, CONTROLLER_KIND, before, given);
	return { id: before.id, isNew: false, input, fields: Object.keys(given) };
}

/** Reads the columns of a connection whose secret is entered later. */
function readNewColumns(ctx: Context, input: ConnectionContent): Readonly<Record<string, unknown>> {
	assertDistinct(input, null);
	const { auth_method } = input;
	// Read like a change of a stored login: a new login requires a secret.
	const { values } = readLogin(ctx, input as LoginInput, { auth_method, username: "", certificate_dn: null });
	return {
		...input,
		...values,
		is_one_fabric_confirmed: readConfirmation(input, null),
		password_sealed: "",
		private_key_sealed: "",
	};
}

/** Writes the change. @throws AppError 409 if the connection was deleted or given away meanwhile */
export async function writeConnectionFile(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ id, isNew, input }: ConnectionChange,
): Promise<void> {
	if (isNew) {
		const columns = readNewColumns(ctx, input);
		return insertStoredConnection(ctx, tx, CONTROLLER_KIND, caller, { id, input, columns });
	}
	const row = await lockConnectionRow(tx, "controller_connections", id);
	if (row?.created_by !== caller.userId)
		throw buildConflictError(`The connection "${input.name}" was deleted at the same time. Try again.`);
	const given = findDifferences(row, input);
	if (Object.keys(given).length > 0) await writeStoredChange(ctx, tx, CONTROLLER_KIND, caller, row, given);
}
