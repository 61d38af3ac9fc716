/** Secrets of stored connections: their columns, and changes that must give them again. */
import type { Context } from "../../context.ts";
import { buildFieldError } from "../../core/errors.ts";
import type { SealedColumn } from "../../core/ports/secrets.ts";
import type { ConnectionTable } from "./sql/stored.ts";
import type { Columns, ConnectionKind, GivenSecret, StoredSecret, UnusableConnection } from "./stored-kind.ts";

/** The context under which a secret of a row is sealed. */
const buildSecretContext = (targetType: string, { name }: StoredSecret, id: string): string =>
	`${targetType}:${id}:${name}`;

/** The columns of a table's secrets, for the rotation of keys. */
export const listSealedColumns = (
	table: ConnectionTable,
	targetType: string,
	secrets: readonly StoredSecret[],
): SealedColumn[] =>
	secrets.map((secret) => ({
		table,
		key: "id",
		column: `${secret.name}_sealed`,
		context: (id) => buildSecretContext(targetType, secret, id),
	}));

/** The columns of all secrets: only the given one is stored. */
export function sealSecret(
	ctx: Context,
	{ secrets, targetType }: Pick<ConnectionKind<ConnectionTable>, "secrets" | "targetType">,
	id: string,
	given: GivenSecret | null,
): Record<string, string> {
	if (given === null) return {};
	return Object.fromEntries(
		secrets.map(({ name }) => [
			`${name}_sealed`,
			name === given.name ? ctx.secrets.seal(given.value, buildSecretContext(targetType, given, id)) : "",
		]),
	);
}

/** Returns null if there is no secret, or, and logs the cause, if it cannot be read. */
export function openSecret(
	ctx: Context,
	{ noun, targetType }: Pick<ConnectionKind<ConnectionTable>, "noun" | "targetType">,
	id: string,
	stored: StoredSecret & { readonly sealed: string },
): string | null {
	if (stored.sealed === "") return null;
	try {
		return ctx.secrets.open(stored.sealed, buildSecretContext(targetType, stored, id));
	} catch (error) {
		ctx.log.error({ err: error, connectionId: id }, `the ${stored.label} of the ${noun} cannot be read`);
		return null;
	}
}

export const buildUnreadableProblem = ({
	name,
	label,
	sealed,
}: StoredSecret & { readonly sealed: string }): UnusableConnection => ({
	problem: `${name}_unreadable`,
	message:
		sealed === ""
			? `No ${label} is stored yet: the connection was made from a file. Edit the connection and enter the ${label}.`
			: `The stored ${label} cannot be read: the service's secret key was changed. Enter the ${label} again.`,
});

/** Scheme, host and port, with the scheme's own port where none is given. */
const getOrigin = (address: unknown): string => new URL(String(address)).origin;

/** Certificates that a row, or a change to one, trusts. */
function getPins({ pinned_certificate: pins }: Columns): string[] {
	return typeof pins === "string" ? pins.split(",") : [];
}

interface AddressColumns {
	readonly addressColumn: string;
	readonly alternatesColumn?: string | undefined;
}

/** All addresses of a row, or of a change to one. */
function getAddresses(
	{ addressColumn: column, alternatesColumn: more }: AddressColumns,
	values: Columns,
	before: Columns = {},
): { readonly field: string; readonly address: string }[] {
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
export function redirectsSecret(kind: AddressColumns, values: Columns, before: Columns): boolean {
	const known = new Set(getAddresses(kind, before).map(({ address }) => getOrigin(address)));
	const moves = getAddresses(kind, values, before).some(({ address }) => !known.has(getOrigin(address)));
	const pinned = getPins(before);
	const trusts = getPins(values).some((pin) => !pinned.includes(pin));
	return moves || trusts || (values.verify_ssl === false && before.verify_ssl === true);
}

/**
 * @throws 400 under the address's field, if the settings refuse one that the row does not have
 */
export function assertAllowedAddresses(
	ctx: Context,
	kind: AddressColumns & Pick<ConnectionKind<ConnectionTable>, "refusal">,
	values: Columns,
	before?: Columns,
): void {
	const known = new Set(before === undefined ? [] : getAddresses(kind, before).map(({ address }) => address));
	for (const { field, address } of getAddresses(kind, values, before)) {
		const refusal = known.has(address) ? null : kind.refusal(ctx, address);
		if (refusal !== null) throw buildFieldError(field, refusal);
	}
}
