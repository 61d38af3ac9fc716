/** Which launches need approval: a rule of an automation server, whatever its connections. */

/** The columns of a connection that concern approval. */
export interface ApprovalRow {
	readonly id: string;
	readonly base_url: string;
	readonly approval: "always" | "by_template";
	readonly free_job_template_ids: readonly number[];
}

/** Servers whose launches need approval, and the addresses of all connections. */
export interface ApprovalRules {
	/** By id of a connection. */
	readonly hosts: ReadonlyMap<string, string>;
	readonly strict: readonly { readonly host: string; readonly free: ReadonlySet<number> }[];
}

/** Host and port of a server, without the dot of a fully qualified name. */
export const readHost = (url: string): string => new URL(url).host.replace(/\.(?=:|$)/, "");

export const buildApprovalRules = (rows: readonly ApprovalRow[]): ApprovalRules => {
	const strict = rows.filter(({ approval }) => approval === "always");
	return {
		hosts: strict.length === 0 ? new Map() : new Map(rows.map(({ id, base_url }) => [id, readHost(base_url)])),
		strict: strict.map((row) => ({ host: readHost(row.base_url), free: new Set(row.free_job_template_ids) })),
	};
};

/**
 * Whether the server of a connection requires approval for the launch of its template. The rule of
 * one connection holds on every connection with the same host.
 */
export function isApprovalRequired(
	{ hosts, strict }: ApprovalRules,
	connectionId: string | null,
	serverTemplateId: number,
): boolean {
	const host = connectionId === null ? undefined : hosts.get(connectionId);
	return host !== undefined && strict.some((one) => one.host === host && !one.free.has(serverTemplateId));
}
