/**
 * The members of connections with several addresses: their rules, and what tests and runs find out
 * about them.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import type { Db } from "../../core/ports/store.ts";
import type { ClusterChange } from "../../integrations/apic/port.ts";
import type { TestedMember } from "../../integrations/apic/port-test-result.ts";
import type { MemberRecord } from "./tables.ts";

interface Addresses {
	readonly url?: string | undefined;
	readonly alternate_urls?: readonly string[] | undefined;
}

/** @throws 400 if the change gives an address twice, or one that the row has as `url` */
export function assertDistinct(change: Addresses, before: Addresses | null): void {
	const all = [change.url ?? before?.url, ...(change.alternate_urls ?? before?.alternate_urls ?? [])];
	const twice = all.find((url, at) => all.indexOf(url) !== at);
	if (twice !== undefined) throw buildFieldError("alternate_urls", `${twice} is given twice. Give each address once.`);
}

interface Confirmation extends Addresses {
	readonly is_one_fabric_confirmed?: boolean | undefined;
}

const listAddresses = ({ url, alternate_urls = [] }: Addresses): string => JSON.stringify([url, ...alternate_urls]);

/**
 * The confirmation that the addresses of a row are one fabric. It ends with a change of the
 * addresses, unless the change gives it anew.
 *
 * @param before null for a create
 */
export function readConfirmation(change: Confirmation, before: Confirmation | null): boolean {
	if (change.is_one_fabric_confirmed !== undefined) return change.is_one_fabric_confirmed;
	const was = before?.is_one_fabric_confirmed ?? false;
	return was && before !== null && hasSameAddresses(change, before);
}

/** @throws 403 if a caller who is no administrator confirms addresses */
export function assertConfirmationRight(
	caller: { readonly isAdmin: boolean },
	change: Confirmation,
	before: Confirmation | null,
): void {
	if (caller.isAdmin || change.is_one_fabric_confirmed === undefined) return;
	const was = before !== null && before.is_one_fabric_confirmed === true && hasSameAddresses(change, before);
	if (change.is_one_fabric_confirmed === was) return;
	throw buildForbiddenError("Only administrators write is_one_fabric_confirmed of a connection.");
}

const hasSameAddresses = (change: Addresses, before: Addresses): boolean =>
	listAddresses({
		url: change.url ?? before.url,
		alternate_urls: change.alternate_urls ?? before.alternate_urls,
	}) === listAddresses(before);

/** The parts of a test's result about the cluster. */
interface TestedCluster {
	readonly ok: boolean;
	readonly fabricId?: string | null;
	readonly members?: readonly TestedMember[];
}

/** The columns that record a test. */
export function buildTestedColumns(
	{ fabricId = null, members: tested = [] }: TestedCluster,
	now: Date,
): { members?: string; fabric_id?: string } {
	const since = now.toISOString();
	const members = tested.flatMap(({ url, state, error }) =>
		url === null ? [] : [[url, { state, last_error: error, since } satisfies MemberRecord] as const],
	);
	return {
		...(members.length === 0 ? {} : { members: JSON.stringify(Object.fromEntries(members)) }),
		...(fabricId === null ? {} : { fabric_id: fabricId }),
	};
}

async function recordClusterChange(db: Db, { targetId, revision, fabricId, member }: ClusterChange): Promise<void> {
	// A change of the connection voids earlier findings.
	const row = db
		.updateTable("controller_connections")
		.where("id", "=", targetId)
		.where("revision", "=", Number(revision));
	if (fabricId !== undefined) await row.set({ fabric_id: fabricId }).where("fabric_id", "is", null).execute();
	if (member === undefined) return;
	const { url, state, lastError, since } = member;
	const found: MemberRecord = { state, last_error: lastError, since: new Date(since).toISOString() };
	const members = sql<string>`members || ${JSON.stringify({ [url]: found })}::jsonb`;
	await row.set({ members }).execute();
}

/**
 * Stores what the driver finds out about clusters, one change after another. The returned function
 * resolves when all changes until now are stored.
 */
export function recordClusterChanges(ctx: Context): () => Promise<void> {
	let last: Promise<void> = Promise.resolve();

	ctx.controllers.onClusterChange((change) => {
		last = last
			.then(() => recordClusterChange(ctx.store.db, change))
			.catch((error: unknown) =>
				ctx.log.warn(
					{ err: error, connectionId: change.targetId },
					"the state of a cluster member could not be stored",
				),
			);
	});
	return () => last;
}
